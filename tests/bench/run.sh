#!/bin/sh
# What tracing costs: `make bench`.
#
# Three workloads (churn.c), each bare, under `memstrack trace --level=2`, and
# under drain, which opens the same events and throws them away: what the
# kernel alone costs. Bare, memstrack and drain take turns, and the ratios
# of each round are taken by themselves, so that a machine that grows slower
# meanwhile is unfair to none; shown are the medians of ROUNDS=7. Then the
# speed of replay, and the delay of a boot in QEMU.
#
# MEMSTRACK: the program. BUILD: where to build. SUITE: kernel of the boot.
# Needs root. Takes some three minutes.
set -eu
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
BUILD=${BUILD:-$top/build}
export BUILD
: "${MEMSTRACK:=$BUILD/memstrack}"
: "${ROUNDS:=7}"
tracer=''

fail() {
	echo "bench: $*" >&2
	exit 1
}

[ "$(id -u)" = 0 ] || fail "only root can trace"
[ -x "$MEMSTRACK" ] || fail "$MEMSTRACK: not built"
# What is mounted here ends with us.
if [ "${IN_NAMESPACE_OF-}" != $$ ]; then
	IN_NAMESPACE_OF=$$
	export IN_NAMESPACE_OF
	exec unshare --mount sh "$0" "$@"
fi
[ -d /sys/kernel/tracing/events ] ||
	mount -t tracefs none /sys/kernel/tracing || fail "no tracefs"

work=$(mktemp -d)
end() {
	[ -z "$tracer" ] || kill "$tracer" 2>/dev/null || :
	umount "$work/tmpfs" 2>/dev/null || :
	rm -rf "$work"
}
trap end EXIT
trap 'exit 130' INT TERM

mkdir -p "$BUILD/bench" "$work/tmpfs"
churn=$BUILD/bench/churn
drain=$BUILD/bench/drain
gcc -std=gnu11 -O2 -Wall -Wextra -Werror -static -o "$churn" "$here/churn.c"
# drain opens its events by the tracer's own source.
# shellcheck disable=SC2046 # one word a file
gcc -std=gnu11 -D_GNU_SOURCE= -Os -Wall -Wextra -Werror -static \
	-iquote "$top/applet" -o "$drain" "$here/drain.c" \
	$(find "$top/applet" -name '*.c' ! -name main.c)
mount -t tmpfs -o size=64M,huge=never bench "$work/tmpfs" ||
	fail "no tmpfs can be mounted"

# --- measuring -----------------------------------------------------------

# Nanoseconds that a command takes.
took() {
	started=$(date +%s%N)
	"$@" || fail "$*: status $?"
	echo $(($(date +%s%N) - started))
}

# Of numbers, a line each.
median() {
	sort -n | awk '{ v[NR] = $1 }
		END { if (NR) print v[int((NR + 1) / 2)]; else print "-" }'
}

# A number of the report's head, from a report in JSON lines.
head_field() {
	sed -n "s/^.*\"type\":\"head\".*\"$1\":\([0-9]*\).*/\1/p" "$2" |
		tail -n 1
}

workload() {
	case $1 in
	anon) "$churn" anon 4096 400 ;;
	tmpfs) "$churn" tmpfs "$work/tmpfs/file" 4096 400 ;;
	fork) "$churn" fork 4000 ;;
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

round() {
	took workload "$1" >>"$work/$1.bare"
	start_memstrack trace --level=2
	took workload "$1" >>"$work/$1.memstrack"
	stop
	for field in lost cpu_ns own_bytes seen; do
		head_field "$field" "$work/report" >>"$work/$1.$field"
	done
	start_drain
	took workload "$1" >>"$work/$1.drain"
	stop
}

# Median of the ratios, round by round, of $2 to $3 in workload $1.
ratio() {
	paste "$work/$1.$2" "$work/$1.$3" | awk '{ print $1 / $2 }' | median
}

row() {
	echo "$(median <"$work/$1.bare") $(ratio "$1" memstrack bare)" \
		"$(ratio "$1" drain bare) $(ratio "$1" memstrack drain)" \
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

# --- boot ----------------------------------------------------------------

# An initramfs whose init says at once, by the kernel's clock, that it runs.
boot_image() {
	mkdir -p "$work/guest/bin" "$work/guest/dev" "$work/guest/proc"
	cp "$(command -v busybox)" "$work/guest/bin/busybox"
	cp "$MEMSTRACK" "$work/guest/memstrack"
	cat >"$work/guest/init" <<-'END'
		#!/bin/busybox sh
		/bin/busybox mount -t devtmpfs dev /dev
		echo "bench: init runs" >/dev/kmsg
		/bin/busybox mount -t proc proc /proc
		/memstrack report
		/bin/busybox poweroff -f
	END
	chmod +x "$work/guest/init"
	(cd "$work/guest" && find . | cpio --quiet -o -H newc -R 0:0) \
		>"$work/initrd"
}

# Microseconds between the kernel's start of the first process and init's
# first word. The console of the last boot stays in $work/console.
boot_delay() {
	"$top/initramfs/qemu" -m 192 "$1/vmlinuz" "$work/initrd" "$2" \
		>"$work/console" 2>"$work/qemu.log" ||
		fail "boot: $(cat "$work/qemu.log")"
	sed -n 's/^.*\[ *\([0-9]*\)\.\([0-9]*\)\] \(Run .* as init\|bench: init\).*/\1\2/p' \
		"$work/console" | awk '{ t[NR] = $1 }
		END { if (NR == 2) print t[2] - t[1] }'
}

boot() {
	"$top/tests/need" qemu-system-x86 busybox-static cpio
	# shellcheck disable=SC2086 # SUITE may be none
	kernel=$("$top/initramfs/kernel" ${SUITE:-})
	boot_image
	for i in 1 2 3 4 5; do
		boot_delay "$kernel" rdinit=/init >>"$work/boot.bare"
		boot_delay "$kernel" "rdinit=/memstrack rd.memstrack=1
			rd.memstrack.format=json rd.memstrack.out=kmsg" \
			>>"$work/boot.memstrack"
	done
	tr -d '\r' <"$work/console" >"$work/boot.report"
	echo "$(median <"$work/boot.bare") $(median <"$work/boot.memstrack")" \
		"$(head_field own_bytes "$work/boot.report")" \
		"$(head_field lost "$work/boot.report")" | awk '{
		printf "boot in QEMU (192 MiB, 1 CPU), start of PID 1 to init: "
		printf "%.1f ms, bare %.1f ms; own memory %.0f KiB, lost %d\n",
			$2 / 1000, $1 / 1000, $3 / 1024, $4 }'
}

echo "kernel $(uname -r), $(nproc) CPUs, medians of $ROUNDS"
echo "workload  bare ms memstrack  drain memstrack/drain    events  lost" \
	" cpu ms  own KiB"
for name in anon tmpfs fork; do
	i=0
	while [ "$i" -lt "$ROUNDS" ]; do
		round "$name"
		i=$((i + 1))
	done
	row "$name"
done
replay
boot
