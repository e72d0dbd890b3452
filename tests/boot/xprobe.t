#!/bin/sh
. "$(dirname "$0")/lib.sh"
new_guest
to_guest /init <<'INIT'
mounts
facts
mkdir -p /t; mount -t tracefs t /t
uname -r >&3
cat /t/trace_clock /t/buffer_size_kb /t/tracing_on /t/trace_options >&3
cat /t/per_cpu/cpu0/stats >&3
cat /t/set_event >&3
head -60 /t/trace >&3
cat /t/events/header_page /t/events/header_event /t/events/ftrace/kernel_stack/format >&3
grep -n do_one_initcall /proc/kallsyms >&3
cat /proc/cmdline >&3
cat /t/saved_cmdlines | head -50 >&3
off
INIT
run_as=
boot "$BOOTLINE" -m 256
cat "$facts"
