#!/bin/sh
# SPDX-License-Identifier: MIT
# Each page event is compared with the kernel's own record of it. Every recorded
# event is one that the kernel itself printed in the same boot, in the same
# order for each page, and none is missing. So in the end both have the same set
# of held pages, as many as the report says. tests/boot/page_by_page.py compares
# them. MATRIX=all: with one CPU, too, and times to 50 ms each.
. "$(dirname "$0")/planted.sh"

planted_runs <<'INIT'
tracing=/sys/kernel/tracing
mount -t tracefs tracefs $tracing
mkdir /scratch
mount -t tmpfs tmpfs /scratch
echo mono >$tracing/trace_clock
echo 12288 >$tracing/buffer_size_kb
for event in mm_page_alloc mm_page_free; do
	echo 1 >$tracing/events/kmem/$event/enable
done
memstrack record /trace --level=3 --format=json --out=/report.json \
	--ring=4M --mem=8M &
recorder=$!
# It begins to write once it traces. Both ends of the recording are quiet, for
# CPUs do not begin at the same time.
begun /trace
usleep 200000
load finit /lib/planted0.ko 'keep=700 temp=99 order=1 work=40 timer=9 vm=150 \
	vmtemp=333 k64=4000 k2048=300 churn=5000 hold=7' \
	/lib/planted1.ko 'keep=300 order=3 k512=900 k4096=77 vm=64 vms=3' \
	/lib/planted2.ko 'keep=111 inittext=5 temp=500 fail=1' >&3
head -c 3000000 /dev/zero | tee /scratch/a | gzip >/scratch/b
ls -lR /bin /sys/class >/dev/null
rmmod planted0
rm /scratch/a
usleep 200000
kill -TERM $recorder
wait $recorder
say "recorder=$recorder status=$?"
for event in mm_page_alloc mm_page_free; do
	echo 0 >$tracing/events/kmem/$event/enable
done
say "overrun=$(cat $tracing/per_cpu/cpu*/stats |
	sed -n 's/^overrun: //p' | sort -u | tr '\n' ' ')"
grep '"type":"head"' /report.json >&3
send trace /trace
send text $tracing/trace
INIT

# With several CPUs, QEMU hangs if the guest's clock counts instructions.
for machine in 'free -c 4' ${MATRIX:+'counted -c 1 -i 3'}; do
	# shellcheck disable=SC2086 # some words
	set -- $machine
	clock=$1
	shift
	boot 'quiet rd.memstrack=0' -m 384 "$@"
	echo "# $machine"
	ok 'the recorder ended well' fact 'recorder=[0-9]* status=0'
	ok 'and lost nothing' grep -q '"type":"head".*"lost":0,' "$facts"
	ok 'the kernel lost nothing of its own text' fact 'overrun=0 *'
	agree 'both saw the same events, and hold the same pages' \
		page_by_page.py "$clock"
done
finish
