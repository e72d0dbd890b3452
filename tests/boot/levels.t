#!/bin/sh
# SPDX-License-Identifier: MIT
# No level, level 0 and level 2, and other parameters of a boot: what is printed,
# what remains after it, and that the real init is started as the kernel would
# have started it. A bad value causes one warning on the console that names
# parameter and value; the default is used, and the boot goes on. (All values:
# unit/cases/cmdline; what each level has: replay/reports.)
# Without a level nothing is traced, but rd.memstrack.init= is obeyed.
. "$(dirname "$0")/again.sh"

started='
say "init=$0 pid=$$ arguments=$*"
say "variable=$variable"
say "tracefs=$(grep -c tracefs /proc/mounts)"
tell
'
# The kernel's own list begins with /init.
echo "$started" | again_guest /init
again_guest /other <<INIT
$started
tried() { again "\$@"; tell; }
tried 'level 0' 'rd.memstrack=0'
tried 'bad values' 'rd.memstrack=2 rd.memstrack.top=many
	rd.memstrack.nonsense=1 rd.memstrack.init=app'
INIT

starts() {
	ok "$name: $1 runs as PID 1, with its arguments" \
		fact "init=$1 pid=1 arguments=one two"
	ok "$name: with its environment" fact 'variable=kept'
	ok "$name: no mount of ours is seen" fact 'tracefs=0'
}
traces_nothing() {
	ok "$name: it goes on, and no process stays" fact reached tracers=0
	is "$name: nothing is said" "$(grep memstrack "$console")" ''
	is "$name: nor in the log" "$(grep '^log=' "$facts")" ''
}
reports() {
	ok "$name: one tracer runs, and reports" fact tracers=1 report=0
	ok "$name: of that level, on the console" \
		seen "report  level $1, by [a-z]*, .*reason: request"
}

boot_again "rd.memstrack=2 $roomy log_buf_len=4M variable=kept -- one two"
look_at_boot 'level 2'
starts /init
reports 2
ok "$name: no record was lost" seen 'complete, 0 lost'

boot_again 'quiet log_buf_len=4M variable=kept rd.memstrack.init=/other
	-- one two' -i 3
look_at_boot 'no level'
starts /other
traces_nothing
look_at 'level 0'
traces_nothing

# The warning of parameter $1 with value $2.
warned() {
	ok "$name: of $1=$2 it is warned once" same \
		"$(grep 'memstrack: ' "$console" | grep -e "$1" |
			grep -c -e "$2")" 1
}
look_at 'bad values'
reports 2
warned rd.memstrack.top many
warned rd.memstrack.nonsense 1
warned rd.memstrack.init 'app: not a path from /'
finish
