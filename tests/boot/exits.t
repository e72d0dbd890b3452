#!/bin/sh
# SPDX-License-Identifier: MIT
# All ways in which a system can end, and by whom: what the kernel log then
# shows. (Switching the root: switch-root.t. Out of memory and the panics after
# it: oom.t.)
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"

"$top/tests/need" musl-tools >&2 || skip_all 'musl-gcc is missing'

# leave "COMMANDS" "parameters"
leave() {
	new_guest busybox
	mkdir -p "$guest/bin"
	musl-gcc -static -Os -o "$guest/bin/ask" "$here/reboot.c" || exit 1
	to_guest /init <<INIT
mounts
facts
left() { say left=\$(count_tracers); }
sleep 0.5
$1
sleep 10
INIT
	boot "rd.memstrack=1 $2" -m 128
}
# Lines of the log: N of report REASON; whole, and before LINE.
reasons() { [ "$(grep -c "reason: $1" "$console")" = "$2" ]; }
last() { grep -n -e "$1" "$console" | tail -n 1 | cut -d: -f1; }
whole_before() {
	begins=$(last "reason: $1") ends=$(last 'end of report') then=$(last "$2")
	echo "${begins:-none} ${ends:-none} ${then:-none}"
	[ "$begins" ] && [ "$ends" ] && [ "$then" ] &&
		[ "$begins" -lt "$ends" ] && [ "$ends" -lt "$then" ]
}
# Seconds between the last heartbeat and the line.
age() {
	awk -v then="$1" '{ stamp = $0; sub(/^\[ */, "", stamp) }
		/memstrack: \+[0-9]+ s: free/ { beat = stamp + 0 }
		$0 ~ then { if (beat) print int(stamp - beat + 0.99); exit }' \
		"$console"
}
young() { [ "$(age "$1")" ] && [ "$(age "$1")" -le 2 ]; }

leave 'reboot -f' ''
ok 'reboot -f: a whole report' whole_before reboot 'reboot: Restarting'
leave 'reboot -f' 'rd.memstrack.out=/run/report'
ok 'reboot -f: in the log too, though it goes to a file' \
	whole_before reboot 'reboot: Restarting'
leave 'poweroff -f' ''
ok 'poweroff -f: a whole report' whole_before reboot 'reboot: Power down'
ok 'poweroff -f: one' reasons reboot 1
leave 'ask cad; ask nobody; sleep 1; say alive; reboot -f' ''
ok 'Ctrl-Alt-Del and a user refused' sh -c \
	"grep -q cad=set '$console' && grep -q nobody=refused '$console'"
ok 'are no reboot' reasons reboot 1
ok 'which gets its report' whole_before reboot 'reboot: Restarting'

# As systemd does at switch-root and shutdown: all, then it goes on.
leave 'kill -TERM -1; sleep 1; left; reboot -f' ''
ok 'SIGTERM to all: a whole report' whole_before SIGTERM 'reboot: Restarting'
ok 'SIGTERM to all: once, and the tracer leaves' sh -c \
	"grep -q left=0 '$facts' && ! grep -q 'reason: reboot' '$console'"
leave 'kill -TERM -1; reboot -f' ''
ok 'SIGTERM to all, and a reboot at once: a whole report' \
	whole_before SIGTERM 'reboot: Restarting'

leave 'sleep 3; echo b >/proc/sysrq-trigger' rd.memstrack.heartbeat=1
ok 'sysrq b: the log is a second old' young 'sysrq: Resetting'
leave 'sleep 3; echo c >/proc/sysrq-trigger' rd.memstrack.heartbeat=1
ok 'sysrq c, a panic: the log is a second old' young 'Kernel panic'
finish
