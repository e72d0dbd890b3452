#!/bin/sh
# SPDX-License-Identifier: MIT
# If there is no real init where the kernel command line says, or where the
# kernel's own list says, the next one is tried. The failure is reported if the
# init was named, or if its file exists. If no init can be executed, PID 1 says
# so and stays, because the kernel panics when PID 1 exits. tests/live/shim.t
# has all that an init may be; parameters.t boots that of rd.memstrack.init=.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"

to_guest /sbin/init <<'INIT'
mounts
facts
say "init=$0 pid=$$"
say "tracers=$(count_tracers)"
off
INIT
printf '#!/nowhere/sh\n' >"$guest/init"
chmod +x "$guest/init"
boot 'rd.memstrack=1 rd.memstrack.init=/nowhere'
ok 'neither rd.memstrack.init= nor /init can run: /sbin/init ran' \
	fact 'init=/sbin/init pid=1'
ok 'the first failure was told' seen 'memstrack: exec /nowhere: '
ok 'and the second' seen 'memstrack: exec /init: '

# memstrack as the /init of the image itself must not start itself again.
ln -sf /memstrack "$guest/init"
boot 'rdinit=/init rd.memstrack=1'
ok 'as /init itself: /sbin/init ran' fact 'init=/sbin/init pid=1'
ok 'and there is one tracer' fact 'tracers=1'

# Nothing to run: no shell either. The report of the tracer shows that the
# machine lives on after PID 1 has given up.
new_guest bare
boot 'rd.memstrack=1' -u 'end of report'
ok 'no init at all is told' seen 'memstrack: no init could be executed'
ok 'the report follows, by itself' seen 'report .*, reason: SIGUSR1'
ok 'none of those that are not there' unseen 'exec /'
ok 'and PID 1 does not exit' unseen 'Attempted to kill init'
finish
