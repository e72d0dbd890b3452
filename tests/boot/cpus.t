#!/bin/sh
# SPDX-License-Identifier: MIT
# Many CPUs: PID 1 does not wait until the events of all of them are open, and
# what is allocated on the last CPU is there to the page. To open an event
# takes long with 64 emulated CPUs, or where tests/boot/hide.c makes it slow:
# PID 1 then goes on first, and the report says from when on the rest was
# traced; or, with rd.memstrack.ready=, waits for all. MATRIX=all: 64 CPUs, whose
# boot takes half a minute, 8, and one, whose number of events all others must
# have for each CPU.
. "$(dirname "$0")/planted.sh"
. "$here/again.sh"

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
# Until all are open: a report then has no note of some that are not.
until
	rm -f /report.json
	memstrack report && ! grep -q 'are not traced yet' /report.json
do
	usleep 50000
done
rm -f /report.json
say "at_once=$at_once"
say "init_ms=$(echo "$init" | millis)"
say "begin_ms=$(dmesg | sed -n 's/^\[ *\([0-9.]*\)\] Run .*/\1/p' | millis)"
cpus=$(grep -c ^processor /proc/cpuinfo)
taskset "$(printf %x $((1 << (cpus - 1))))" \
	load finit /lib/planted0.ko 'keep=300 temp=50' >&3
step end
say "in_the_end=$(opened)"
[ ! -e /slow ] || say "slow=$(cat /slow)"
grep -F '"type":"note"' /report.json >&3
off
INIT

cp "$work/hide" "$guest/hide"

went_on() { [ "$(value at_once)" -lt "$(value in_the_end)" ]; }
# The same, told by who makes them slow.
went_on_slowly() {
	sed -n 's/^slow=//p' "$facts"
	# shellcheck disable=SC2046 # two words
	set -- $(sed -n 's/^slow=calls=\(.*\) before=/\1 /p' "$facts")
	[ $# = 2 ] && [ "$2" -gt 0 ] && [ "$2" -lt "$1" ]
}

# on CPUS [slow [READY]]
on() {
	run_as=rdinit=/memstrack
	[ "${2-}" != slow ] || run_as='rdinit=/hide hide=slow'
	boot "quiet $json_report rd.memstrack.ring=16M rd.memstrack.mem=24M
		rd.memstrack.ready=${3-2}" \
		-m $((256 + 12 * $1)) -c "$1"
	echo "# $1 CPUs${2:+, slow}: init ran after" \
		"$(($(value init_ms) - $(value begin_ms))) ms, when" \
		"$(value at_once) of $(value in_the_end) events were open"
	whole end
	exactly end planted0 planted_keep now 300 planted_temp peak 50
	[ "$1" != 1 ] || one=$(value in_the_end)
	is 'each CPU has as many events' "$(value in_the_end)" \
		$(($1 * ${one:-$(($(value in_the_end) / $1))}))
	! went_on || ok 'late: it says from when on modules are seen' \
		note 'the OOM killer are traced from [0-9]* ms'
	note ' traced from ' | sed 's/^/# /'
}

[ "${MATRIX-}" != all ] || on 1
on 3 slow
ok 'PID 1 went on before all were open' went_on_slowly
on 3 slow 250
is 'ready=250: PID 1 went on when all were open' "$(value at_once)" \
	"$(value in_the_end)"
is 'ready=250: nothing was seen late' "$(note 'are traced from')" ''
ok 'ready=250: in time' never_seen 'the tracer is not ready'
[ "${MATRIX-}" != all ] || {
	on 8
	on 64
	ok '64 CPUs: PID 1 went on before all were open' went_on
}
finish
