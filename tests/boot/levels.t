#!/bin/sh
# SPDX-License-Identifier: MIT
# Levels 0 to 3 of a boot: what is printed, what remains after it, and that the
# real init is started as the kernel would have started it.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"

to_guest /init <<'INIT'
mounts
facts
say "init=$0 pid=$$ arguments=$*"
say "variable=$variable"
say "tracefs=$(grep -c tracefs /proc/mounts)"
say "tracers=$(count_tracers)"
[ "$(count_tracers)" = 0 ] || {
	memstrack report
	say "report=$?"
}
say reached
off
INIT

for level in 0 1 2 3; do
	boot "rd.memstrack=$level variable=kept -- one two"
	ok "level $level: /init ran" fact reached
	ok "level $level: as PID 1, with its arguments" \
		fact 'init=/init pid=1 arguments=one two'
	ok "level $level: with its environment" fact 'variable=kept'
	ok "level $level: no mount of ours is seen" fact 'tracefs=0'
	case $level in
	0)
		ok "level 0: no process stays" fact 'tracers=0'
		ok "level 0: nothing is said" unseen 'memstrack 0'
		continue ;;
	esac
	ok "level $level: one tracer runs" fact 'tracers=1'
	ok "level $level: a report was to be had" fact 'report=0'
	ok "level $level: and is on the console" \
		seen "report  level $level, by perf, .*reason: request"
	ok "level $level: no record was lost" seen 'frees, 0 lost'
	lines=$(grep -c 'memstrack: ' "$console")
	[ "$level" = 1 ] ||
		ok "level $level says more than the one below" \
			test "$lines" -gt "$below"
	below=$lines
done

boot "variable=kept -- one two"
ok "no level: /init ran" fact reached
ok "no level: no process stays" fact 'tracers=0'
finish
