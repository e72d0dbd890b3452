#!/bin/sh
. "$(dirname "$0")/lib.sh"
new_guest
to_guest /init <<'INIT'
mounts
facts
sleep 1
mkdir -p /t; mount -t tracefs t /t
cat /t/buffer_size_kb /t/trace_clock /t/set_event /t/options/stacktrace >&3
grep MemFree /proc/meminfo >&3
for p in $(tracers); do kill -USR1 $p; done
sleep 5
off
INIT
boot "$BOOTLINE" ${MEM:--m 256} ${CPUS-}
cat "$facts" "$console"
