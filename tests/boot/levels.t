#!/bin/sh
# SPDX-License-Identifier: MIT
# Levels 0 to 3: what is printed, what remains after it, and that the real init
# is started as the kernel would have started it.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"

to_guest /init <<'INIT'
mounts
facts
say "init=$0 pid=$$ arguments=$*"
say "variable=$variable"
say "tracefs=$(grep -c tracefs /proc/mounts)"
say "tracers=$(count_tracers)"
[ "$(count_tracers)" = 1 ] || off
memstrack report
say "report=$?"
kill "$(tracers)"
wait_for_tracers
for level in 1 2 3; do
	memstrack --level=$level --ring=4M --mem=6M --out=/report-$level &
	wait_for_report
	ls -lR /bin >/dev/null
	memstrack report
	say "lines-$level=$(sed -n \
		'$s/.*end of report, \([0-9]*\) lines$/\1/p' /report-$level)"
	! grep -q "^report  level $level, " /report-$level || say "head-$level"
	kill "$(tracers)"
	wait_for_tracers
done
off
INIT

for level in 0 2; do
	boot "rd.memstrack=$level rd.memstrack.ring=4M rd.memstrack.mem=6M
		variable=kept -- one two"
	ok "level $level: /init ran as PID 1, with its arguments" \
		fact 'init=/init pid=1 arguments=one two'
	ok "level $level: with its environment" fact 'variable=kept'
	ok "level $level: no mount of ours is seen" fact 'tracefs=0'
	[ $level = 2 ] || {
		ok 'level 0: no process stays' fact 'tracers=0'
		ok 'level 0: nothing is said' never_seen 'memstrack 0'
	}
done
ok 'level 2: one tracer runs' fact 'tracers=1'
ok 'level 2: a report was to be had' fact 'report=0'
ok 'level 2: and is on the console' \
	seen 'report  level 2, by perf, .*reason: request'
ok 'level 2: no record was lost' seen 'frees, 0 lost'
below=10
for level in 1 2 3; do
	ok "level $level: it is named" fact "head-$level"
	lines=$(value lines-$level)
	ok "level $level says more than the one below" \
		is_between "$lines" $((below + 1)) 100000
	below=${lines:-0}
done
finish
