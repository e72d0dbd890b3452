# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# The cost of tracing on this machine, by the clock.
#
# Three workloads (tests/live/churn.c) run bare, under `memstrack trace
# --level=2`, and under drain, which opens the same events and throws them
# away: that is the cost of the kernel alone. A fourth one, which only opens
# and closes a file, runs bare, with the objects of slab traced, and recorded
# by perf kmem, whose start and end count too. The three take turns, and the
# ratios are taken within each round, so a machine that becomes slower
# meanwhile does not favour one of them. The medians of ROUNDS=7 are shown.
# Then the speed of replay is measured, and what others cost the tracer who try
# to reach it.
# shellcheck disable=SC2154 # of run.sh

: "${ROUNDS:=7}"
tracer=''

# Nanoseconds that a command takes.
took() {
	started=$(date +%s%N)
	"$@" || fail "$*: status $?"
	echo $(($(date +%s%N) - started))
}

workload() {
	case $1 in
	anon) "$churn" anon 4096 400 ;;
	tmpfs) "$churn" tmpfs "$work/tmpfs/file" 4096 400 ;;
	fork) "$churn" fork 4000 ;;
	open) "$churn" open /dev/null 100000 ;;
	esac
}

# The tracer answers when all of its sources are open.
start_memstrack() {
	! "$MEMSTRACK" report >/dev/null 2>&1 || fail "another tracer runs"
	"$MEMSTRACK" "$@" --format=json --out="$work/report" \
		>"$work/tracer.log" 2>&1 &
	tracer=$!
	tries=0
	until "$MEMSTRACK" report >/dev/null 2>&1; do
		tries=$((tries + 1))
		if [ "$tries" = 100 ] || ! kill -0 "$tracer" 2>/dev/null; then
			fail "no tracer: $(cat "$work/tracer.log")"
		fi
		sleep 0.1
	done
}

start_drain() {
	rm -f "$work/ready"
	mkfifo "$work/ready"
	"$drain" >"$work/ready" 2>"$work/tracer.log" &
	tracer=$!
	read -r answer <"$work/ready" || answer=''
	[ "$answer" = ready ] || fail "no drain: $(cat "$work/tracer.log")"
}

stop() {
	if ! kill "$tracer" || ! wait "$tracer"; then
		fail "the tracer failed: $(cat "$work/tracer.log")"
	fi
	tracer=''
}

# by_perf COMMAND...: recorded by perf kmem, which says of how many events.
by_perf() {
	perf kmem record -m 1024 -o "$work/perf.data" "$@" 2>"$work/perf.log"
}
round() {
	took workload "$1" >>"$work/$1.bare"
	options=--level=2
	[ "$1" != open ] || options='--level=1 --slab=16M'
	# shellcheck disable=SC2086 # words
	start_memstrack trace $options
	took workload "$1" >>"$work/$1.memstrack"
	stop
	for field in lost cpu_ns own_bytes seen; do
		head_field "$field" "$work/report" >>"$work/$1.$field"
	done
	if [ "$1" = open ]; then
		took by_perf "$churn" open /dev/null 100000 >>"$work/$1.other"
		return
	fi
	start_drain
	took workload "$1" >>"$work/$1.other"
	stop
}

# Median of the ratios, round by round, of $2 to $3 in workload $1.
ratio() {
	paste "$work/$1.$2" "$work/$1.$3" | awk '{ print $1 / $2 }' | median
}

row() {
	echo "$(median <"$work/$1.bare") $(ratio "$1" memstrack bare)" \
		"$(ratio "$1" other bare) $(ratio "$1" memstrack other)" \
		"$(median <"$work/$1.seen")" \
		"$(awk '{ n += $1 } END { print n }' "$work/$1.lost")" \
		"$(median <"$work/$1.cpu_ns") $(median <"$work/$1.own_bytes")" |
		awk -v name="$1" '{
			printf "%-8s %8.0f %9.2f %6.2f %15.2f %9d %5d %7.0f %8d\n",
				name, $1 / 1e6, $2, $3, $4, $5, $6, $7 / 1e6,
				$8 / 1024 }'
}

# --- replay --------------------------------------------------------------

replay() {
	start_memstrack record "$work/trace" --level=1
	for name in anon tmpfs fork; do
		workload "$name"
	done
	stop
	for i in 1 2 3 4 5; do
		took "$MEMSTRACK" replay "$work/trace" --format=json \
			>"$work/replay.$i.out"
		# The last line is the time.
		tail -n 1 "$work/replay.$i.out" >>"$work/replay.ns"
	done
	echo "$(head_field seen "$work/replay.1.out")" \
		"$(median <"$work/replay.ns")" \
		"$(wc -c <"$work/trace")" | awk '{
		printf "replay: %.1f million events/s (%d events, %.0f MiB)\n",
			$1 * 1000 / $2, $1, $3 / 1048576 }'
}

# --- two who are refused, all the time ------------------------------------

FLOOD_SECONDS=6

# User and system time of the tracer.
tracer_ticks() { awk '{ print $14 + $15 }' "/proc/$tracer/stat"; }

floods() {
	gcc -std=gnu11 -D_GNU_SOURCE= -O1 -static -o "$work/intruder" \
		"$top/tests/live/intruder.c"
	chmod 755 "$work"
	mkfifo "$work/fifo"
	start_memstrack trace --level=1
	for i in 1 2; do
		setpriv --reuid=65534 --regid=65534 --clear-groups \
			"$work/intruder" flood "$tracer" <"$work/fifo" \
			>/dev/null &
	done
	exec 9>"$work/fifo"
	ticks=$(tracer_ticks)
	sleep "$FLOOD_SECONDS"
	ticks=$(($(tracer_ticks) - ticks))
	exec 9>&-
	stop
	echo "two floods of connections: the tracer takes" \
		"$((ticks * 100 / (FLOOD_SECONDS * $(getconf CLK_TCK)))) %" \
		"of a CPU"
}

live() {
	mount -t tmpfs -o size=64M,huge=never bench "$work/tmpfs" ||
		fail "no tmpfs can be mounted"
	echo "kernel $(uname -r), $(nproc) CPUs, medians of $ROUNDS"
	"$top/tests/need" linux-perf
	echo "workload  bare ms memstrack  other memstrack/other    events" \
		" lost  cpu ms  own KiB"
	for name in anon tmpfs fork open; do
		for i in $(seq "$ROUNDS"); do
			round "$name"
		done
		row "$name"
	done
	echo "other: drain; for open, perf kmem record," \
		"$(sed -n 's/.*(\([0-9]*\) samples).*/\1/p' "$work/perf.log") events"
	replay
	floods
}
