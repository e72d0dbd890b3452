#!/bin/sh
# SPDX-License-Identifier: MIT
# Without kprobes the areas of vmalloc are sampled, and the tracepoints of
# vmalloc (since Linux 6.2) tell when an area came or went. The samples are in
# the recording, and the report says that they are samples. They are taken as
# the kernel shows them: kptr_restrict is not written.
. "$(dirname "$0")/tracer.sh"
need_strace

tracing=/sys/kernel/tracing
[ ! -e $tracing/kprobe_events ] || skip_all "this kernel has kprobes"
[ -d $tracing/events/vmalloc ] || skip_all "it has no events of vmalloc"

# Processes, which have stacks, until areas came and went and all areas were
# looked at more than four times: that much was recorded.
sampled() {
	(sleep 0.1 & sleep 0.1 & sleep 0.1 & ls -R /proc/self >/dev/null 2>&1
	wait)
	/usr/bin/python3 -B "$here/losses.py" has "$work/trace" 15 1 18 1 20 5
}

out=$work/report
under="$straced -e trace=open,openat"
begin record "$work/trace" --level=1 --out="$out"
until_true sampled
ok "areas come, go and are looked at; it ends well" stop TERM
ok "the report says so" grep 'note .*vmalloc is sampled' "$out"
hashed='note .*of no module: addresses are hashed'
case $(cat /proc/sys/kernel/kptr_restrict) in
0) ok "and what it cannot tell" grep "$hashed" "$out" ;;
1) ok "and nothing more" fails grep "$hashed" "$out" ;;
*) ok "and that it sees none" grep 'vmalloc is not seen' "$out" ;;
esac
ok "areas are known again from sample to sample" grep '^areas ' "$out"
until_true strace_is_whole
ok "kptr_restrict is opened" grep kptr_restrict "$work/strace"
ok "to be read, by all its system calls" \
	fails grep 'kptr_restrict.*O_\(WRONLY\|RDWR\)' "$work/strace"
finish
