#!/bin/sh
# SPDX-License-Identifier: MIT
# Settings of the kernel that a report goes by, and what it counts for us.
#
# - perf_event_max_stack: no more frames than it allows; a report says how many.
# - kptr_restrict: only the kernel log gets addresses, and only if root alone
#   can read it. With 2 no frame has a name.
# - memory of the kernel for our probes and events: 1 to 4 KiB for each of the
#   16 events of a CPU, 8 KiB for each of four probes on a return, and our share
#   of what all probes and events use together.
. "$(dirname "$0")/again.sh"

again_guest <<'INIT'
json='rd.memstrack=3 rd.memstrack.format=json rd.memstrack.out=/report.json'
# Some of these the kernel keeps while anybody uses them.
set_to() {
	kill_tracers
	echo "$2" >"/proc/sys/kernel/$1"
}
# Of the longest call chain, how many; and what is said of it, once all is traced.
frames() {
	while
		rows 'baseline|note'
		grep -q -F 'are not traced yet' /report.json
	do
		usleep 50000
	done
	awk '/^."type":"stack"/ {
		sub(/.*"frames":./, "")
		n = split($0, all, "\",\"")
		if (n > most)
			most = n
	}
	END { print "frames=" most }' /report.json >&3
}
frames

set_to perf_event_max_stack 12
again 'a kernel that allows 12 frames' "$json"
frames
set_to perf_event_max_stack 127
again '6 frames are asked for' "$json rd.memstrack.frames=6"
frames

# addresses NAME KPTR_RESTRICT DMESG_RESTRICT
addresses() {
	set_to kptr_restrict "$2"
	set_to dmesg_restrict "$3"
	again "$1" 'rd.memstrack=2 rd.memstrack.out=/report'
	# It hears signals once it has answered.
	wait_for_report
	rm /report
	kill -USR2 $(tracers)
	until grep -q 'end of report' /report; do usleep 10000; done
	sed 's/^/file=/' /report >&3
	dmesg -c >/dev/null
	# Without a file it goes to the log.
	rm /report
	mkdir /report
	memstrack report
	log
	rmdir /report
}
addresses 'kptr_restrict=1' 1 1
# Loud: the kernel itself shows its log on the console.
dmesg -n 8
addresses 'kptr_restrict=2' 2 1
dmesg -n 4
echo '=== kptr_restrict=2, quiet'
mkdir /report
memstrack report
rmdir /report
addresses 'then any user reads the log' 2 0
INIT
boot_again 'quiet log_buf_len=4M rd.memstrack=3 rd.memstrack.format=json
	rd.memstrack.out=/report.json' -m 512

look_at_boot 'on one CPU'
ok "$name: traced" fact 'report=0'
ok "$name: memory of the kernel for our events" is_between \
	"$(of baseline size_kib '"events of memstrack"')" 112 210

# --- frames

# has_frames LEAST MOST
has_frames() {
	ok "$name: traced" fact 'report=0'
	ok "$name: the longest has so many" is_between "$(value frames)" "$1" "$2"
}
look_at_boot 'frames by default'
has_frames 13 64
ok "$name: no note" fails note 'frames: '
look_at 'a kernel that allows 12 frames'
has_frames 12 12
ok "$name: a note says so" note 'at most 12 frames: kernel.perf_event_max_stack'
look_at '6 frames are asked for'
has_frames 6 6
ok "$name: a note says so" note 'at most 6 frames: rd.memstrack.frames'

# --- addresses

# frame file|log WHAT: what a frame has there.
frame() { grep -e "^$1=      .*[ <]" "$facts" | grep -e "$2"; }
address='0xf[0-9a-f]\{15\}'
no_address() {
	has_report "$1" && ! grep "^$1=.*$address" "$facts"
}
nothing_hidden() { has_report "$1" && ! grep "^$1=.*hidden" "$facts"; }
has_report() { grep "^$1=.*: end of report, " "$facts"; }
look_at 'kptr_restrict=1'
for place in file log; do
	ok "$name: names in $place" frame $place '[a-z_]\{4,\}+0x[0-9a-f]'
	ok "$name: nothing hidden in the $place" nothing_hidden $place
done
look_at 'kptr_restrict=2'
ok "$name: no address in a file" no_address file
ok "$name: something is said there" frame file '(hidden)'
ok "$name: addresses in the log" frame log "$address"
ok "$name: nothing hidden there" nothing_hidden log
# The console gets the lines of the log from us.
look_at 'kptr_restrict=2, quiet'
has_console() { seen 'end of report' && ! grep "$address" "$console"; }
ok "$name: a report on the console, without an address" has_console
look_at 'then any user reads the log'
ok "$name: something is said there" frame log '(hidden)'
ok "$name: and no address" no_address log
finish
