#!/bin/busybox sh
# SPDX-License-Identifier: MIT
# shellcheck shell=dash
# The init of the guest. It does what a boot does and counts each part by
# itself; then it causes one kind of event at a time, in a known number.
# shellcheck source=tests/bench/guest.sh
. /guest.sh
export PATH=/bin:/
mount -t devtmpfs dev /dev
mark init
mount -t proc proc /proc
mark_idle
mount -t tmpfs -o size=100%,huge=never tmpfs /tmpfs
programs=$1 pages=$2 rounds=$3 opens=$4 idle=$5

modules() { . /load; }
programs() {
	i=0
	while [ "$((i += 1))" -le "$programs" ]; do
		busybox ls -l /bin
	done
}
files() { cp -r /files /tmpfs/files; }
anon() { churn anon "$pages" "$rounds"; }
tmpfs() { churn tmpfs /tmpfs/file "$pages" "$rounds"; }
opens() { churn open /dev/null "$opens"; }
idle() { sleep "$idle"; }

# perf needs these two; memstrack mounts its own.
perf_mounts() {
	mount -t sysfs sys /sys
	mount -t tracefs tracefs /sys/kernel/tracing
}

# It records the whole machine from now on: it answers when all events are on.
recorder_start() {
	perf_mounts
	mkfifo /control /answer
	HOME=/ /usr/bin/perf kmem --slab record -m 1024 -o /perf.data \
		--control=fifo:/control,/answer 2>/perf.log &
	echo ping >/control
	read -r _ </answer
}

recorder_end() {
	echo stop >/control
	wait
}

# Its file becomes the table of call sites that memstrack has at any time.
recorder_table() {
	HOME=/ /usr/bin/perf kmem -i /perf.data --caller stat 2>/dev/null
}

# What it says of itself: events, and whether some were lost.
recorder_says() {
	while read -r line; do
		mark "recorder $line"
	done </perf.log
	mark "recorder wrote $(stat -c %s /perf.data) bytes"
}

# How many events of objects one workload causes, by the kernel's counters.
objects_counted() {
	perf_mounts
	HOME=/ /usr/bin/perf stat -a -x ' ' -o /stat -e 'kmem:k*' \
		churn open /dev/null "$opens"
	mark "objects $(awk '/kmem:/ { n += $1 } END { print n }' /stat)"
}

[ "${objects-}" != record ] || counted recorder_start
for part in modules programs files anon tmpfs opens idle; do
	counted $part
done
case ${objects-} in
record)
	counted recorder_end
	counted recorder_table
	recorder_says
	;;
count) objects_counted ;;
esac
! grep -q rdinit=/memstrack /proc/cmdline || counted report memstrack report
off
