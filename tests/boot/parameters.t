#!/bin/sh
# SPDX-License-Identifier: MIT
# A bad value causes one warning on the console that names parameter and value.
# The default is used, and the boot goes on.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"

to_guest /init <<'INIT'
mounts
facts
memstrack report
say "report=$?"
off
INIT

# The warning of parameter $1 with value $2, once.
warned() {
	[ "$(grep 'memstrack: ' "$console" | grep -e "$1" |
		grep -c -e "$2")" = 1 ]
}

boot 'quiet rd.memstrack=2 rd.memstrack.top=many rd.memstrack.mem=12Q
	rd.memstrack.backend=magic rd.memstrack.throttle=101
	rd.memstrack.format=xml rd.memstrack.nonsense=1'
ok "bad values: the boot went on, with a report" fact 'report=0'
ok "as text, which is the default" seen 'level 2, .*reason: request'
ok "top=many is warned of" warned 'rd.memstrack.top' many
ok "mem=12Q is warned of" warned 'rd.memstrack.mem' 12Q
ok "backend=magic is warned of" warned 'rd.memstrack.backend' magic
ok "throttle=101 is warned of" warned 'rd.memstrack.throttle' 101
ok "format=xml is warned of" warned 'rd.memstrack.format' xml
ok "an unknown parameter is warned of" warned 'rd.memstrack.nonsense' 1

boot 'quiet rd.memstrack=9'
ok "a level out of range is warned of" warned 'rd.memstrack' 9
ok "and traced at level 1" seen 'level 1, .*reason: request'

boot 'rd.memstrack=2 rd.memstrack.mem=16K'
ok "too small a budget: the boot goes on" seen 'Power down'

boot 'rd.memstrack=1 rd.memstrack=3 rd.memstrack.top=5 rd.memstrack.top=7'
ok "repeated: the last one wins" seen 'level 3, .*reason: request'
finish
