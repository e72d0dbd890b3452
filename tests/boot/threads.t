#!/bin/sh
# SPDX-License-Identifier: MIT
# What threads hold is their process's: of threads that are made while we trace,
# and of those that were there before. At boot no process has threads when
# tracing begins. Then the kernel does not write the number of the process into
# each event, and the forks tell it: a probe on perf_event_open() shows what we
# ask for.
. "$(dirname "$0")/lib.sh"

guest_program "$here/actor.c"

guest_runs <<'INIT'
mount -t tracefs tracefs /sys/kernel/tracing
echo never >/sys/kernel/mm/transparent_hugepage/enabled
tracing=/sys/kernel/tracing/instances/watch
# type and sample_type of struct perf_event_attr
probe='p:watch/open __x64_sys_perf_event_open'
echo "$probe type=+u0(+0x70(%di)):u32 sample=+u24(+0x70(%di)):x64" \
	>/sys/kernel/tracing/kprobe_events
mkdir $tracing
echo 1 >$tracing/events/watch/open/enable
start() {
	actor threads 700 /$1 &
	process=$!
}
# trace NAME COMMAND...
trace() {
	name=$1
	shift
	rm -f /report.json
	echo >$tracing/trace
	"$@" &
	wait_for_report
	sed -n "s/.* type=2 sample=/$name-asks=/p" $tracing/trace |
		sort -u >&3
}
ask() {
	touch /$1
	until [ -e /$1.held ]; do
		usleep 2000
	done
	say "$1-process=$process"
	rm /report.json
	memstrack report
	grep -e '"type":"head"' -e '"type":"task".*"comm":"actor' \
		/report.json | sed "s/^/$1=/" >&3
	kill $process
	end_tracers
}
trace boot memstrack boot
start boot
ask boot
trace late memstrack trace --format=json --out=/report.json
start late
ask late
start before
until [ "$(ls /proc/$process/task | wc -l)" = 3 ]; do
	usleep 2000
done
trace before memstrack boot
ask before
INIT

# PERF_SAMPLE_TID is 2.
asks() { sed -n "s/^$1-asks=//p" "$facts"; }
with_tgids() { asks "$1" | grep '0x' && ! asks "$1" | grep '[014589cd]$'; }
without_tgids() { asks "$1" | grep '0x' && ! asks "$1" | grep '[2367abef]$'; }

run_as=rdinit=/init
boot "quiet rd.memstrack=2 $json $roomy" -m 256
for name in boot late before; do
	process=$(value "$name-process")
	row=$(grep "^$name=.*\"type\":\"task\"" "$facts")
	ok "$name: one row, the process" same "$(echo "$row" | wc -l) $(echo \
		"$row" | number pid)" "1 $process"
	now=$(echo "$row" | number now_pages)
	ok "$name: pages of both: $now" \
		test "$((now >= 1400 && now < 1460))" = 1
	ok "$name: nothing lost" grep -q "^$name=.*\"lost\":0[,}]" "$facts"
done
# What perf is asked for; entries of ftrace never tell a process.
if [ "${BACKEND:-perf}" = perf ]; then
	ok 'at boot no event tells its process' without_tgids boot
	ok 'and where some process has threads' with_tgids before
fi
ok 'of what begins late each does' with_tgids late
finish
