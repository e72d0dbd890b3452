#!/bin/sh
# SPDX-License-Identifier: MIT
# Kernels on which nobody can trace: /proc is sampled instead, and the report
# says so and why. Lockdown makes tracefs empty, even for root.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"

to_guest /init <<'INIT'
mounts
facts
mount -t securityfs securityfs /sys/kernel/security
say "lockdown=$(cat /sys/kernel/security/lockdown)"
say "tracers=$(count_tracers)"
memstrack report
say "report=$?"
say reached
off
INIT

boot 'quiet lsm=lockdown lockdown=confidentiality rd.memstrack=2'
ok "the kernel is locked down" \
	fact 'lockdown=none integrity .confidentiality.'
ok "locked down: /init ran" fact reached
ok "a tracer runs" fact 'tracers=1'
ok "which can be asked for a report" fact 'report=0'
ok "that is sampled" seen '^memstrack 0.*; sampled$'
ok "and says why" seen '^note    not traced by perf: .*tracing'
finish
