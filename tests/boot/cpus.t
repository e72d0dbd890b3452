#!/bin/sh
# SPDX-License-Identifier: MIT
# Many CPUs: PID 1 does not wait until the events of all of them are open, and
# what is allocated on the last CPU is there to the page. With 64 emulated CPUs
# PID 1 goes on first, and the report says from when on the rest was traced.
#
# MATRIX=all: 64 CPUs too, whose boot takes half a minute.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/boot/planted.sh
. "$here/planted.sh"

# Time to ready: from the kernel's word that it starts us to the first that init
# reads.
planted_guest <<'INIT'
opened() {
	ls -l "/proc/$(tracers | head -n 1)/fd" | grep -c 'perf_event'
}
millis() { sed 's/\([0-9]*\)\.\([0-9][0-9]\).*/\1\20/'; }
mkdir -p /proc
mount -t proc proc /proc
read -r init _ </proc/uptime
at_once=$(opened)
mounts
facts
say "at_once=$at_once"
say "init_ms=$(echo "$init" | millis)"
say "begin_ms=$(dmesg | sed -n 's/^\[ *\([0-9.]*\)\] Run .*/\1/p' | millis)"
cpus=$(grep -c ^processor /proc/cpuinfo)
for _ in $(seq 60); do
	memstrack report
	grep -q 'the OOM killer are not traced yet' /report.json || break
	sleep 1
done
taskset "$(printf %x $((1 << (cpus - 1))))" \
	load finit /lib/planted0.ko 'keep=300 temp=50' >&3
step end
say "in_the_end=$(opened)"
grep '"type":"note"\|"events of memstrack"' /report.json >&3
off
INIT

# The kernel's memory for the events of each CPU. Rings are counted apart.
of_events() { of baseline kib '"events of memstrack"'; }
went_on() { [ "$(value at_once)" -lt "$(value in_the_end)" ]; }

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
	! went_on || ok 'late: it says from when on modules are seen' \
		note 'the OOM killer are traced from [0-9]* ms'
	[ "$cpus" != 64 ] || ok 'PID 1 went on before all were open' went_on
	note ' traced from ' | sed 's/^/# /'
done
finish
