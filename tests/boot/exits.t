#!/bin/sh
# SPDX-License-Identifier: MIT
# All ways in which a system can end, and by whom: what the kernel log then
# shows. (Switching the root: switch-root.t. Out of memory and the panics after
# it: oom.t.)
#
# MATRIX=all: a panic by sysrq, too; and the end of power as init's first action
# 20 times, with 1 to 4 CPUs; else a reboot on two.
. "$(dirname "$0")/lib.sh"

guest_program "$here/actor.c"

# leave "COMMANDS" "parameters": once the tracer runs, as its heartbeat tells.
leave() {
	to_guest /init <<INIT
mounts
facts
until dmesg | grep -q 'memstrack: +[0-9]* s: free'; do
	usleep 200000
done
$1
sleep 1000
INIT
	boot "rd.memstrack=1 rd.memstrack.heartbeat=1 $2" -m 128
}
# Lines of the log: N of report REASON; whole, and before LINE.
reasons() { is "$1: reports" "$(grep -c "reason: $2" "$console")" "$3"; }
last() { grep -n -e "$1" "$console" | tail -n 1 | cut -d: -f1; }
whole_before() {
	begins=$(last "reason: $1") ends=$(last 'end of report') then=$(last "$2")
	echo "${begins:-none} ${ends:-none} ${then:-none}"
	[ "$begins" ] && [ "$ends" ] && [ "$then" ] &&
		[ "$begins" -lt "$ends" ] && [ "$ends" -lt "$then" ]
}
# Seconds of the guest between the last heartbeat and the line.
age() {
	awk -v then="$1" '{ stamp = $0; sub(/^\[ */, "", stamp) }
		/memstrack: \+[0-9]+ s: free/ { beat = stamp + 0 }
		$0 ~ then { if (beat) print int(stamp - beat + 0.99); exit }' \
		"$console"
}

leave 'actor reboot cad; actor reboot nobody; sleep 1; echo alive; poweroff -f' \
	rd.memstrack.out=/run/report
ok 'Ctrl-Alt-Del is set, a user is refused' \
	eval "seen cad=set && seen nobody=refused && seen alive"
reasons 'which are no end' reboot 1
ok 'poweroff -f: a whole report, in the log though it goes to a file' \
	whole_before reboot 'reboot: Power down'

# As the first thing that init does, with any number of CPUs: the reboot waits.
# So it does though a busy host makes the tracer's start take seconds: the
# kernel would let others run after one (that the guard prevents this, too, is
# tested in unit/guard). at_once CPUS "COMMAND" "LINE"
at_once() {
	printf '#!/bin/sh\n%s\n' "$2" >"$guest/init"
	boot 'rd.memstrack=1 rd.memstrack.wait=60
		sysctl.kernel.sched_rt_runtime_us=-1' -m 128 -c "$1"
	ok "$2 at once, CPUs: $1: a whole report" whole_before reboot "$3"
}
at_once 2 'reboot -f' 'reboot: Restarting'
for cpus in ${MATRIX:+$(seq 20)}; do
	at_once $((cpus % 4 + 1)) 'poweroff -f' 'reboot: Power down'
done

# As systemd does at shutdown. (At switch-root, where it goes on: dracut.t.)
leave 'kill -TERM -1; reboot -f' ''
ok 'SIGTERM to all, and a reboot at once: a whole report' \
	whole_before SIGTERM 'reboot: Restarting'
reasons 'SIGTERM to all' SIGTERM 1

# Nothing is told of these; the log has heartbeats.
for end in 'b Resetting' ${MATRIX:+'c Kernel.panic'}; do
	leave "sleep 3; echo ${end% *} >/proc/sysrq-trigger" ''
	ok "sysrq ${end% *}: the log is a second old" \
		is_between "$(age "${end#* }")" 0 2
done
finish
