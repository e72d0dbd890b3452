#!/bin/sh
# Kernels on which nobody can trace: the boot goes on, and the reason is
# printed. Lockdown makes tracefs empty, even for root.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"

to_guest /init <<'INIT'
mounts
facts
mount -t securityfs securityfs /sys/kernel/security
say "lockdown=$(cat /sys/kernel/security/lockdown)"
say "tracers=$(count_tracers)"
say reached
off
INIT

boot 'quiet lsm=lockdown lockdown=confidentiality rd.memstrack=2'
ok "the kernel is locked down" \
	fact 'lockdown=none integrity .confidentiality.'
ok "locked down: /init ran" fact reached
ok "no tracer stays where it cannot trace" fact 'tracers=0'
ok "and why is on the console" \
	seen 'memstrack: no page events: .*tracing'
finish
