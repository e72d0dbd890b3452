#!/bin/sh
# SPDX-License-Identifier: MIT
# Each page event is compared with the kernel's own record of it, and what two
# sources saw of the same seconds of one boot, with each other.
#
# The kernel prints the events as text, and a tracer by perf and one by ftrace
# record them. Every event that perf recorded is one that the kernel printed,
# in the same order for each page, and none is missing. So in the end both have
# the same set of held pages, as many as the report says. And each page event
# of perf is in ftrace's recording, with the same task, context and call chain, as
# are the events of tasks, modules and areas (tests/boot/sources.py).
#
# One tracer runs in a kernel, by a lock on a file of tracefs: the second one
# sees another file in its place. MATRIX=all: with one CPU, too, and times to
# 50 ms each.
. "$(dirname "$0")/planted.sh"

planted_runs <<'INIT'
tracing=/sys/kernel/tracing
mount -t tracefs tracefs $tracing
mkdir /scratch
mount -t tmpfs tmpfs /scratch
: >/lock
echo mono >$tracing/trace_clock
echo 12288 >$tracing/buffer_size_kb
pages_events() {
	for event in mm_page_alloc mm_page_free; do
		echo "$1" >$tracing/events/kmem/$event/enable
	done
}
pages_events 1
options='--level=3 --format=json --ring=8M --mem=14M'
# shellcheck disable=SC2086
memstrack record /perf.trace --backend=perf --out=/perf.json $options &
perf=$!
# It begins to write once it traces. Both ends of the recording are quiet, for
# CPUs do not begin at the same time.
begun /perf.trace
# shellcheck disable=SC2086
/bin/busybox unshare -m sh -c "mount --bind /lock $tracing/README
	exec memstrack record /ftrace.trace --backend=ftrace \
	--out=/ftrace.json $options" &
ftrace=$!
begun /ftrace.trace
usleep 600000
load finit /lib/planted0.ko 'keep=700 temp=99 order=1 work=40 timer=9 vm=150 \
	vmtemp=333 k64=4000 k2048=300 churn=5000 hold=7' \
	/lib/planted1.ko 'keep=300 order=3 k512=900 k4096=77 vm=64 vms=3 inittext=5' \
	/lib/planted2.ko 'keep=111 inittext=5 temp=500 fail=1' >&3
head -c 3000000 /dev/zero | tee /scratch/a | gzip >/scratch/b
ls -lR /bin /sys/class >/dev/null
(cat /proc/self/stat >/dev/null) &
rmmod planted0
rm /scratch/a
usleep 600000
kill -TERM $ftrace
wait $ftrace
say "ftrace=$?"
kill -TERM $perf
wait $perf
say "perf=$?"
pages_events 0
say "overrun=$(cat $tracing/per_cpu/cpu*/stats |
	sed -n 's/^overrun: //p' | sort -u | tr '\n' ' ')"
say "instances=$(ls $tracing/instances | tr '\n' ' ')"
say "probes=$(grep -c memstrack $tracing/kprobe_events)"
for source in perf ftrace; do
	grep '"type":"\(head\|note\)"' /$source.json >&3
	send $source /$source.trace
done
send text $tracing/trace
INIT

lost() {
	sed -n "s/.*\"type\":\"head\".*\"source\":\"$1\".*\"lost\":\([0-9]*\),.*/\1/p" \
		"$facts"
}

# With several CPUs, QEMU hangs if the guest's clock counts instructions.
for machine in 'free -c 4' ${MATRIX:+'counted -c 1 -i 3'}; do
	# shellcheck disable=SC2086 # some words
	set -- $machine
	clock=$1
	shift
	backend='' boot 'quiet rd.memstrack=0' -m 512 "$@"
	echo "# $machine"
	ok 'both recorders ended well' fact perf=0 ftrace=0
	is 'by perf: nothing lost' "$(lost perf)" 0
	skipped=$(sed -n 's/.*"\([0-9]*\) lost records: the kernel did not return .*/\1/p' \
		"$facts" | sum)
	is 'by ftrace: nothing but what the kernel does not return' \
		"$(lost ftrace)" "$skipped"
	ok 'the kernel lost nothing of its own text' fact 'overrun=0 *'
	ok 'nothing remains' fact instances= probes=0
	agree 'the kernel and perf saw the same events, and hold the same pages' \
		sources.py text "$clock"
	agree 'perf and ftrace saw the same' sources.py both "$clock"
done
finish
