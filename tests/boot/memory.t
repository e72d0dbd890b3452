#!/bin/sh
# SPDX-License-Identifier: MIT
# Memory comes while we trace. What is offline at boot and then put online; a
# memory device that is plugged in, of which a part goes offline again: totals,
# shares, the rows `ram` and the balance follow the machine, the module that takes
# more than there was at the start is named to the page, and with the advised
# memory, from the start on, the same boot goes on. Where the page table has no
# room, that is said.
. "$(dirname "$0")/planted.sh"
. "$here/ram.sh"

in_guest='
memory=/sys/devices/system/memory
# The files of blocks in a state.
blocks() { grep -lx "$1" $memory/memory*/state; }
put_online() { for state in $(blocks offline); do echo online >$state; done; }
meminfo() {
	sed -n "s/^MemTotal: *\([0-9]*\) kB/total-$1=\1/p" /proc/meminfo >&3
}
full_report() {
	rm -f /report.json
	memstrack report
	say "report-$1=$?"
	grep -v -e "\"type\":\"\(stack\|timeline\|kind\|task\)" /report.json |
		sed "s/^/$1=/" >&3
	meminfo $1
}
'
# of_step STEP: this report alone becomes the facts; next_guest: all do again.
all=$facts
next_guest() {
	facts=$all
	rm -f "$facts.raw"
}
of_step() {
	facts=$work/step
	sed -n "s/^$1=//p" "$all" >"$facts"
	step=$1
}
fact_of() { sed -n "s/^$1=//p" "$all" | tail -n 1; }

# follows "name" MIB PAGES MODULE: what holds of every report; the machine has so
# many MiB installed, and the module holds so many pages.
follows() {
	is "$1: reported, nothing is lost, rejected or without room" \
		"$(fact_of "report-$step") $(of head lost) $(of head rejected) $(
		of counters untracked_pages)" '0 0 0 0'
	ok "$1: total is MemTotal" same "$(of head mem_total_kib)" \
		"$(fact_of "total-$step")"
	ok "$1: RAM is what is installed, not offline and not the firmware's" \
		same "$(of head ram_kib)" \
		$(($(row all installed) - $(rows 'firmware|offline')))
	ok "$1: the module is the culprit" grep \
		"\"type\":\"verdict\".*\"module\":\"$4\"" "$facts"
	ok "$1: to the page" is_between \
		$(($(of verdict module_pages) - $3)) 0 32
	little_unknown "$1" "$2"
	ok "$1: the firmware has less than 1 MiB" is_between \
		"$(rows firmware)" 1 1023
	ok "$1: nothing was from before tracing" is_between \
		"$(of reconcile before_pages)" -256 256
	ok "$1: no rest" is_between "$(of reconcile rest_pages)" -64 64
}

# 2 GiB beside 256 MiB, offline at boot. The module takes twice what was free.
{
	printf '%s\n' "$in_guest"
	cat <<'INIT'
say "blocks=$(blocks offline | wc -l)"
put_online
load finit /lib/planted0.ko keep=40000 >&3
full_report online
INIT
} | planted_runs
dimm='-object memory-backend-ram,id=m0,size=2G -device pc-dimm,memdev=m0'
boot "$json_report rd.memstrack.ring=2M" -m 256M,slots=2,maxmem=4G -o "$dimm"
of_step online
ok 'offline at boot: 16 blocks' same "$(fact_of blocks)" 16
follows 'offline at boot' 2304 40000 planted0
ok 'offline at boot: 2 GiB came' same "$(of growth more_kib)" 2097152
ok 'offline at boot: the page structs of them were there before' same \
	"$(row before 'page structs of offline RAM')" 32768
ok 'offline at boot: nothing is offline now' no_row offline offline
# 256 MiB less what was free were in use; of that 32 MiB were page structs of
# memory that will not be there.
used=$((262144 - $(of head free_start_kib) - 32768 + 160000))
advice=$(($(of advice advice_kib) / 1024))
ok "offline at boot: $advice MiB are for what was used" is_between \
	$((advice * 1024)) "$used" $((used + used / 16 + 8192))

# Without hotplug, of the advised size.
next_guest
boot "$json_report rd.memstrack.ring=2M" -m "$advice"
# And a few of slab and of page tables, which depend on who came before.
ok 'of the advised size: the module has all its pages' is_between \
	"$(row=$(grep '^online=.*"type":"module","name":"planted0"' "$facts")
	echo "$row" | number now_pages)" 40000 40032
ok 'of the advised size: nobody is killed' never_seen 'Out of memory'

# A device of 1 GiB, plugged in once the guest has said so. Where what is held
# finds room in a hash of the page table's size, that is what it becomes.
mkfifo "$work/monitor.in" "$work/monitor.out"
plug() {
	until grep -q '^plug=' "$facts.raw" 2>/dev/null; do
		sleep 0.2
	done
	printf '%s\n' 'object_add memory-backend-ram,id=m1,size=1G' \
		'device_add pc-dimm,id=d1,memdev=m1' >"$work/monitor.in"
}
{
	printf '%s\n' "$in_guest"
	cat <<'INIT'
load finit /lib/planted1.ko keep=3000 >&3
say plug=now
until [ "$(blocks offline | wc -l)" = 8 ]; do
	usleep 50000
done
put_online
load finit /lib/planted0.ko keep=18000 >&3
full_report plugged
grep -F 'module:(no module)' /report.json | grep vmemmap | sed 's/^/structs=/' >&3
rmmod planted0
rmmod planted1
sleep 0.2
full_report unloaded
for state in $(blocks online | tail -n 4); do
	echo offline >$state
done
sleep 0.2
full_report offline
say "offline=$(blocks offline | wc -l)"
load finit /lib/planted2.ko keep=40000 >&3
full_report full
INIT
} | planted_runs
next_guest
plug &
boot "$json_report rd.memstrack.ring=2M" -m 256M,slots=2,maxmem=4G -o \
	"-chardev pipe,id=c,path=$work/monitor -mon chardev=c"
of_step plugged
follows 'plugged in' 1280 18000 planted0
ok 'plugged in: 1 GiB came' same "$(of growth more_kib)" 1048576
ok 'plugged in: 16 MiB of page structs' same \
	"$(of growth page_structs_kib)" 16384
ok 'plugged in: held by a task of the kernel' is_between \
	"$(grep '^structs={' "$all" | number now_pages | sum)" 4096 4096
of_step unloaded
ok 'unloaded: nothing is held' is_between "$(grep '"name":"planted[01]"' \
	"$facts" | number now_pages | sum)" 0 8
of_step offline
ok 'offline: total is MemTotal' same "$(of head mem_total_kib)" \
	"$(fact_of total-offline)"
ok 'offline: so much went' same "$(of growth less_kib)" \
	$(($(fact_of offline) * 131072))
ok 'offline: so much is offline' same "$(row offline offline)" \
	$(($(fact_of offline) * 131072))
ok 'offline: some is' test "$(fact_of offline)" -ge 1
little_unknown 'offline' 1280
ok 'offline: no rest' is_between "$(of reconcile rest_pages)" -64 64
of_step full
ok 'no room: it is said how many pages have none' is_between \
	"$(of counters untracked_pages)" 10000 20000
ok 'no room: no rest' is_between "$(of reconcile rest_pages)" -64 64

[ "${MATRIX-}" = all ] || finish

# By a driver, in parts of a block; then so much less again. And a balloon takes
# memory: what it holds is its own, and the machine does not get smaller.
tell_monitor() {
	until grep -q "^$1=now" "$facts.raw" 2>/dev/null; do
		sleep 0.2
	done
	echo "$2" >"$work/monitor.in"
}
has_loaded() {
	new_guest
	loadable "$@"
	{
		printf '%s\n' "$in_guest"
		cat <<'INIT'
load_modules
total() { sed -n "s/^MemTotal: *\([0-9]*\) kB/\1/p" /proc/meminfo; }
INIT
		cat
	} | planted_runs
}
has_loaded virtio_pci virtio_mem <<'INIT'
until_grown() { until [ "$(total)" -ge "$1" ]; do usleep 50000; done; }
say more=now
until_grown 600000
sleep 1
load finit /lib/planted0.ko keep=18000 >&3
full_report more
rmmod planted0
say less=now
until [ "$(total)" -le 500000 ]; do usleep 50000; done
sleep 1
full_report less
INIT
requests() {
	tell_monitor more 'qom-set m requested-size 500M'
	tell_monitor less 'qom-set m requested-size 300M'
}
next_guest
requests &
boot "$json_report rd.memstrack.ring=2M memhp_default_state=online" \
	-m 256M,slots=2,maxmem=4G -o "-chardev pipe,id=c,path=$work/monitor
	-mon chardev=c -object memory-backend-ram,id=r,size=1G
	-device virtio-mem-pci,id=m,memdev=r,requested-size=0"
of_step more
follows 'virtio_mem' "$((256 + $(of growth plugged_kib) / 1024 - 255))" 18000 planted0
ok 'virtio_mem: 500 MiB came' same "$(of growth more_kib)" 512000
of_step less
ok 'virtio_mem, less: 200 MiB went' same "$(of growth less_kib)" 204800
ok 'virtio_mem, less: total is MemTotal' same "$(of head mem_total_kib)" \
	"$(fact_of total-less)"
ok 'virtio_mem, less: no rest' is_between "$(of reconcile rest_pages)" -64 64

has_loaded virtio_pci virtio_balloon <<'INIT'
before=$(total)
say "before=$before"
say less=now
until [ "$(total)" -le $((before - 40 * 1024)) ]; do usleep 50000; done
sleep 1
full_report balloon
INIT
next_guest
tell_monitor less 'balloon 216' &
boot "$json_report rd.memstrack.ring=2M" -m 256 -o "-chardev pipe,id=c,path=$work/monitor
	-mon chardev=c -device virtio-balloon-pci"
of_step balloon
ok 'balloon: its driver is the culprit' \
	grep '"type":"verdict".*"module":"virtio_balloon"' "$facts"
ok 'balloon: of 40 MiB' is_between "$(of verdict module_pages)" 10240 10400
ok 'balloon: which are needed' test "$(of advice need_kib)" -ge 65536
ok 'balloon: the machine is as large as before' same \
	"$(of head mem_total_kib)" "$(fact_of before)"
ok 'balloon: no rest' is_between "$(of reconcile rest_pages)" -64 64
finish
