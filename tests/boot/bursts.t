#!/bin/sh
# SPDX-License-Identifier: MIT
# With the rings of every boot, bursts of events lose nothing:
#
#	dd	40 MiB written into a tmpfs
#	loads	one module, loaded and unloaded 50 times
#	split	a module that takes pages one by one and frees every second one
#	hogs	five processes that take all memory, until they are killed
#	first	a module that takes 1,000 pages, at init's first action
#
# A boot has some of these; the fact of each is how many records were lost until
# then. With one CPU and a clock that counts instructions this is the same on
# every machine. With several CPUs it depends on the host: one thread emulates
# all of them, each for up to 100 ms, and meanwhile none of the others reads.
# So they are only measured: CASES in the environment, one or more words, each in
# a boot of its own; CPUS, how many, one or more numbers; TIMES, boots of each.
. "$(dirname "$0")/planted.sh"

guest_program "$top/tests/live/churn.c"
planted_runs <<'INIT'
mkdir /scratch
mount -t tmpfs -o size=80% tmpfs /scratch
lost() {
	step "$1"
	say "lost.$1=$(sed -n 's/.*"type":"head".*"lost":\([0-9]*\).*/\1/p' \
		/report.json)"
}
burst_dd() { dd if=/dev/zero of=/scratch/file bs=1M count=40; }
burst_loads() {
	for i in 1 2 3 4 5; do
		for j in 1 2 3 4 5 6 7 8 9 10; do
			load finit /lib/planted0.ko 'keep=100 vm=20'
			rmmod planted0
		done
	done
}
burst_split() { load finit /lib/planted1.ko split=20000; }
burst_hogs() {
	hogs=
	for i in 1 2 3 4 5; do
		churn anon 50000 1 &
		hogs="$hogs $!"
	done
	for hog in $hogs; do
		wait "$hog"
	done
}
burst_first() { :; }
lost before
rm -f /scratch/file
for burst in $(cat /bursts); do
	"burst_$burst" >/dev/null 2>&1
	lost "$burst"
	rm -f /scratch/file
done
INIT
# Before all else.
{
	sed '/^# -----/q' "$guest/init"
	echo '[ ! -e /first ] || load finit /lib/planted2.ko keep=1000'
	sed '1,/^# -----/d' "$guest/init"
} >"$work/init"
cat "$work/init" >"$guest/init"

# bursts CPUS CASE...: a boot with these.
bursts() {
	cpus=$1
	shift
	memory=256
	case " $* " in
	*' first '*) memory=1024; : >"$guest/first" ;;
	*) rm -f "$guest/first" ;;
	esac
	echo "$*" >"$guest/bursts"
	counts=''
	[ "$cpus" != 1 ] || counts='-i 0'
	# shellcheck disable=SC2086 # two words or none
	boot "quiet $json_report" -m "$memory" -c "$cpus" $counts
	before=0
	for burst in before "$@"; do
		now=$(value "lost.$burst")
		ok "$cpus CPUs, $burst: nothing lost: ${now:-no report}" \
			test "${now:-none}" = "$before"
		before=${now:-0}
	done
	case " $* " in
	*' first '*) exactly first planted2 planted_keep now 1000 ;;
	esac
}

for _ in $(seq "${TIMES:-1}"); do
	[ "${CASES-}" ] || bursts 1 dd loads split hogs
	for burst in ${CASES-}; do
		for cpus in ${CPUS:-1 2 4 32}; do
			bursts "$cpus" "$burst"
		done
	done
done
finish
