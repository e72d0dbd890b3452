#!/bin/sh
# SPDX-License-Identifier: MIT
# Two sources, one truth: a tracer by perf and one by ftrace record the same
# seconds of the same boot. Where neither lost an event, each page event of one
# is in the other, with the same task, context and call chain; and the reports
# of what both saw agree to the page (tests/boot/sources.py). One tracer runs in
# a kernel, by a lock on a file of tracefs: the second one sees another file in
# its place. MATRIX=all: with three CPUs, too.
. "$(dirname "$0")/planted.sh"

planted_runs <<'INIT'
mkdir -p /sys/kernel/tracing /scratch
mount -t tracefs tracefs /sys/kernel/tracing
mount -t tmpfs tmpfs /scratch
: >/lock
options='--level=3 --format=json --ring=8M --mem=14M'
# shellcheck disable=SC2086
memstrack record /perf.trace --backend=perf --out=/perf.json $options &
first=$!
begun /perf.trace
# shellcheck disable=SC2086
/bin/busybox unshare -m sh -c "mount --bind /lock /sys/kernel/tracing/README
	exec memstrack record /ftrace.trace --backend=ftrace \
	--out=/ftrace.json $options" &
second=$!
begun /ftrace.trace
usleep 300000
load finit /lib/planted0.ko 'keep=900 temp=99 order=1 work=40 timer=9 vm=50 \
	vmtemp=33 k64=400 k2048=30 hold=7' \
	/lib/planted1.ko 'keep=100 order=3 k512=90 vm=64 inittext=5' >&3
head -c 300000 /dev/zero | tee /scratch/a | gzip >/scratch/b
ls -lR /sys/class/net >/dev/null
(cat /proc/self/stat >/dev/null) &
rmmod planted0
rm /scratch/a
usleep 300000
kill -TERM $second
wait $second
say "ftrace=$?"
kill -TERM $first
wait $first
say "perf=$?"
say "instances=$(ls /sys/kernel/tracing/instances | tr '\n' ' ')"
say "probes=$(grep -c memstrack /sys/kernel/tracing/kprobe_events)"
for kind in perf ftrace; do
	grep '"type":"head"' /$kind.json >&3
	send $kind /$kind.trace
done
INIT

# With several CPUs, QEMU hangs if the guest's clock counts instructions.
for machine in 'counted -c 1 -i 3' ${MATRIX:+'free -c 3'}; do
	# shellcheck disable=SC2086 # some words
	set -- $machine
	clock=$1
	shift
	backend='' boot 'quiet rd.memstrack=0' -m 384 "$@"
	echo "# $machine"
	ok 'both recorders ended well' eval "fact 'perf=0' && fact 'ftrace=0'"
	for kind in perf ftrace; do
		ok "by $kind: nothing lost" grep -q \
			"\"type\":\"head\".*\"source\":\"$kind\".*\"lost\":0," \
			"$facts"
	done
	ok 'nothing remains' eval "fact 'instances=' && fact 'probes=0'"
	agree 'both saw the same, and their reports agree' sources.py \
		"$clock" "$MEMSTRACK" "$work"
done
finish
