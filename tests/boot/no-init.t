#!/bin/sh
# SPDX-License-Identifier: MIT
# If there is no real init where the kernel command line says, or where the
# kernel's own list says, the next one is tried. The failure is reported if the
# init was named, or if its file exists. If no init can be executed, PID 1 says
# so and stays, because the kernel panics when PID 1 exits.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"

to_guest /sbin/init <<'INIT'
mounts
facts
say "init=$0 pid=$$"
off
INIT
boot "rd.memstrack=1"
ok "no /init: /sbin/init ran" fact 'init=/sbin/init pid=1'

printf '#!/nowhere/sh\n' >"$guest/init"
chmod +x "$guest/init"
boot "rd.memstrack=1"
ok "an /init that cannot run: /sbin/init ran" fact 'init=/sbin/init pid=1'
ok "and the failure was told" seen 'memstrack: exec /init: '
rm "$guest/init"

boot "rd.memstrack=1 rd.memstrack.init=/nowhere"
ok "rd.memstrack.init names nothing: /sbin/init ran" \
	fact 'init=/sbin/init pid=1'
ok "and the failure was told" seen 'memstrack: exec /nowhere: '

to_guest /other <<'INIT'
mounts
facts
say "init=$0 pid=$$"
off
INIT
boot "rd.memstrack=1 rd.memstrack.init=/other"
ok "rd.memstrack.init is the one that runs" fact 'init=/other pid=1'

# memstrack as the /init of the image itself must not start itself again.
new_guest
to_guest /sbin/init <<'INIT'
mounts
facts
say "init=$0 pid=$$"
say "tracers=$(count_tracers)"
off
INIT
ln -s /memstrack "$guest/init"
boot "rdinit=/init rd.memstrack=1"
ok "as /init itself: /sbin/init ran" fact 'init=/sbin/init pid=1'
ok "and there is one tracer" fact 'tracers=1'

# Nothing to run: no shell either. The tracer's heartbeat shows that the
# machine lives on after PID 1 has given up.
new_guest bare
boot "rd.memstrack=1 rd.memstrack.heartbeat=1" -u 'no init could be' -t 60
ok "no init at all is told" seen 'memstrack: no init could be executed'
ok "and PID 1 does not exit" unseen 'Attempted to kill init'
finish
