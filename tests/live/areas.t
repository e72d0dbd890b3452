#!/bin/sh
# SPDX-License-Identifier: MIT
# Without kprobes the areas of vmalloc are sampled, and the tracepoints of
# vmalloc (since Linux 6.2) tell when an area came or went. The samples are in
# the recording, and the report says that they are samples. They are taken as
# the kernel shows them: kptr_restrict is not written.
# shellcheck source=tests/live/tracer.sh
. "$(dirname -- "$0")/tracer.sh"

tracing=/sys/kernel/tracing
[ ! -e $tracing/kprobe_events ] || skip_all "this kernel has kprobes"
[ -d $tracing/events/vmalloc ] || skip_all "it has no events of vmalloc"

# Processes, which have stacks, until areas came and went and all areas were
# looked at more than four times: that much was recorded.
sampled() {
	(sleep 0.1 & sleep 0.1 & sleep 0.1 & ls -R /proc/self >/dev/null 2>&1
	wait)
	python3 -B "$here/losses.py" has "$work/trace" 15 1 18 1 20 5
}

kptr=/proc/sys/kernel/kptr_restrict
mkfifo "$work/end"
"$here/writes.py" $kptr <"$work/end" >"$work/writes" &
watcher=$!
exec 4>"$work/end"
until_true grep -q watching "$work/writes"

out=$work/report
begin record "$work/trace" --level=1 --out="$out"
until_true sampled
ok "areas come, go and are looked at; it ends well" stop TERM
ok "the report says so" grep 'note .*vmalloc is sampled' "$out"
hashed='note .*of no module: addresses are hashed'
case $(cat $kptr) in
0) ok "and what it cannot tell" grep "$hashed" "$out" ;;
1) ok "and nothing more" fails grep "$hashed" "$out" ;;
*) ok "and that it sees none" grep 'vmalloc is not seen' "$out" ;;
esac
ok "areas are known again from sample to sample" grep '^vmalloc ' "$out"
exec 4>&-
wait $watcher
is "kptr_restrict is not written, as who watches it sees" \
	"$(sed -n 2p "$work/writes")" 0
ok "who watches sees writes" test "$(sed -n 3p "$work/writes")" -gt 0
finish
