#!/bin/sh
# SPDX-License-Identifier: MIT
# Many CPUs: PID 1 does not wait until the events of all of them are open, and
# what is allocated on the last CPU is there to the page. With 64 emulated CPUs
# the events are there long after PID 1 went on, and the report says from when
# on.
#
# MATRIX=all: 64 CPUs too, whose boot takes a minute and a half.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/boot/planted.sh
. "$here/planted.sh"

planted_guest <<'INIT'
mounts
facts
opened() {
	ls -l "/proc/$(tracers | head -n 1)/fd" | grep -c 'perf_event'
}
millis() { sed 's/\([0-9]*\)\.\([0-9][0-9]\).*/\1\20/'; }
say "at_once=$(opened)"
say "init_ms=$(millis </proc/uptime)"
say "begin_ms=$(dmesg | sed -n 's/^\[ *\([0-9.]*\)\] Run .*/\1/p' | millis)"
cpus=$(grep -c ^processor /proc/cpuinfo)
for _ in $(seq 60); do
	memstrack report
	grep -q 'the OOM killer are not traced yet' /report.json || break
	echo late >/late
	sleep 1
done
[ ! -e /late ] || say late
taskset "$(printf %x $((1 << (cpus - 1))))" \
	load finit /lib/planted0.ko 'keep=300 temp=50' >&3
step end
say "in_the_end=$(opened)"
grep '"type":"note"\|"events of memstrack"' /report.json >&3
off
INIT

# The kernel's memory for the events of each CPU. Rings are counted apart.
of_events() { of baseline kib '"events of memstrack"'; }

for cpus in 1 8 ${MATRIX:+64}; do
	boot "quiet $json_report rd.memstrack.ring=16M rd.memstrack.mem=24M" \
		-m 1024 -c "$cpus" -t 400
	echo "# $cpus CPUs: init ran after" \
		"$(($(value init_ms) - $(value begin_ms))) ms, when" \
		"$(value at_once) of $(value in_the_end) events were open;" \
		"$(of_events) KiB for events"
	whole end
	exactly end planted0 planted_keep now 300
	exactly end planted0 planted_temp peak 50
	[ "$cpus" != 1 ] || one=$(value in_the_end)
	ok 'each CPU has as many events' \
		same "$(value in_the_end)" $((cpus * one))
	! fact late || ok 'late: it says from when on modules are seen' \
		note 'the OOM killer are traced from [0-9]* ms'
	[ "$cpus" != 64 ] || ok 'which it said at once' fact late
	note ' traced from ' | sed 's/^/# /'
done
finish
