#!/bin/sh
# SPDX-License-Identifier: MIT
# Parameters of a boot. A bad value causes one warning on the console that names
# parameter and value; the default is used, and the boot goes on. Without a
# level nothing is traced, but rd.memstrack.init= is obeyed.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/boot/again.sh
. "$here/again.sh"

# The kernel's own list begins with /init.
printf '#!/bin/sh\npoweroff -f\n' >"$guest/init"
chmod +x "$guest/init"
again_guest /other <<'INIT'
mounts
facts
say "init=$0 pid=$$ arguments=$*"
tell() {
	say "tracers=$(count_tracers)"
	[ "$(count_tracers)" = 0 ] || {
		memstrack report
		say "report=$?"
	}
	log
	say reached
}
tried() { again "$@"; tell; }
tell
tried 'level 0' 'rd.memstrack=0'
tried 'bad values' 'rd.memstrack=2 rd.memstrack.top=many rd.memstrack.mem=12Q
	rd.memstrack.backend=magic rd.memstrack.throttle=101
	rd.memstrack.format=xml rd.memstrack.nonsense=1 rd.memstrack.init=app'
tried 'a level out of range' 'rd.memstrack=9'
tried 'too small a budget' 'rd.memstrack=2 rd.memstrack.mem=16K'
tried 'repeated' 'rd.memstrack=1 rd.memstrack=3 rd.memstrack.top=5
	rd.memstrack.top=7'
off
INIT

traces_nothing() {
	ok "$name: it goes on" fact reached
	ok "$name: no process stays" fact 'tracers=0'
}
is_silent() {
	is "$name: nothing is said" "$(grep memstrack "$console")" ''
	is "$name: nor in the log" "$(grep '^log=' "$facts")" ''
}
reports() {
	ok "$name: one tracer runs" fact 'tracers=1'
	ok "$name: a report was to be had" fact 'report=0'
	ok "$name: of that level, on the console" \
		seen "report  level $1, by [a-z]*, .*reason: request"
}

boot_again 'quiet log_buf_len=4M rd.memstrack.init=/other -- one two' -i
look_at_boot 'no level'
ok "$name: the init asked for runs as PID 1" \
	fact 'init=/other pid=1 arguments=one two'
traces_nothing
is_silent
look_at 'level 0'
traces_nothing
is_silent

# The warning of parameter $1 with value $2.
warned() {
	ok "$name: of $1=$2 it is warned once" same \
		"$(grep 'memstrack: ' "$console" | grep -e "$1" |
			grep -c -e "$2")" 1
}
look_at 'bad values'
reports 2
warned rd.memstrack.top many
warned rd.memstrack.mem 12Q
warned rd.memstrack.backend magic
warned rd.memstrack.throttle 101
warned rd.memstrack.format xml
warned rd.memstrack.nonsense 1
warned rd.memstrack.init 'app: not a path from /'
look_at 'a level out of range'
warned rd.memstrack 9
reports 1
look_at 'too small a budget'
warned rd.memstrack.mem 16K
reports 2
look_at repeated
reports 3
finish
