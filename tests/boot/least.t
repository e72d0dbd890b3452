#!/bin/sh
# SPDX-License-Identifier: MIT
# The program without any feature (make FEATURES=): as the first process it traces
# a boot by perf and reports at the switch of the root, as text. What it lacks is
# refused by name, and the boot goes on with the default.
. "$(dirname "$0")/lib.sh"
unset MAKEFLAGS MAKELEVEL	# of a make that runs the tests
make -s -C "$top" "$BUILD/words/none/memstrack" BUILD="$BUILD" >&2
BOOT=$BUILD/words/none/memstrack

guest_runs <<'INIT'
say "pid=$$"
dd if=/dev/zero of=/dev/block bs=1M count=8 2>/dev/null
memstrack report
say "report=$?"
memstrack diff 2>&1 | sed 's/^/said=/' >&3
end_tracers
log
INIT
boot "$roomy"' quiet rd.memstrack=2 rd.memstrack.slab rd.memstrack.format=json
	rd.memstrack.out=auto,/x.svg rd.memstrack.backend=ftrace
	rd.memstrack.report=module_summary'
ok 'init runs as PID 1' fact pid=1
ok 'a report on request, and one at the end' same \
	"$(grep -c '^log=memstrack .*: end of report, ' "$facts")" 2
ok 'traced by perf, complete' fact 'log=report  level 2, by perf, traced .*' \
	'log=memstrack .*; complete, 0 lost'
ok 'dd is in it, and its memory' fact 'log=dd\[.*' 'log=.*tmpfs 8\.[0-9]M.*'
here="not in this build of memstrack; a host's has it"
for value in slab:.1 format:.json out:.auto,/x.svg report:.module_summary; do
	ok "${value%%:*}: refused" \
		fact "log=rd.memstrack.${value%%:*}: ${value#*:.}: $here; it is ignored"
done
ok 'another source of events is said to be missing' \
	fact 'log=this program has no such source of events'
ok 'so is an applet' fact "said=memstrack: diff: $here"
finish
