#!/bin/sh
. "$(dirname "$0")/lib.sh"
to_guest /init <<'INIT'
mounts
facts; say "up $(cat /proc/uptime)"; dmesg | grep "Run /" >&3
for i in 1 2 3 4 5; do cat /proc/modules >/dev/null; done
memstrack report
say "report=$?"
log_of_tracers
cat /proc/$(tracers)/status | grep -i "name\|VmR\|pol" >&3
wait_for_tracers
mount -t tracefs none /sys/kernel/tracing
ls /sys/kernel/tracing/instances >&3
for p in $(tracers); do kill -TERM $p; done
wait_for_tracers
ls /sys/kernel/tracing/instances >&3
cat /sys/kernel/tracing/kprobe_events >&3
off
INIT
boot "rd.memstrack=2 rd.memstrack.backend=${B:-ftrace}" -m 256 -c ${C:-1}
cat $facts; cat $console | tail -${T:-10}
