#!/bin/sh
# SPDX-License-Identifier: MIT
# Without kprobes the areas of vmalloc are sampled, and the tracepoints of
# vmalloc (since Linux 6.2) tell when an area came or went. The samples are in
# the recording, and the report says that they are samples. They are taken as
# the kernel shows them: kptr_restrict is not written.
set -u
# shellcheck source-path=SCRIPTDIR source=tracer.sh
. "$(dirname -- "$0")/tracer.sh"

tracing=/sys/kernel/tracing
[ ! -e $tracing/kprobe_events ] || skip_all "this kernel has kprobes"
[ -d $tracing/events/vmalloc ] || skip_all "it has no events of vmalloc"

# of TYPE: how many records of it; each begins with its size and type.
of() {
	python3 - "$work/trace" "$1" <<-'END'
	import struct
	import sys
	data = open(sys.argv[1], "rb").read()
	at, found = 24, 0
	while at < len(data):
	    head, = struct.unpack_from("=I", data, at)
	    found += head >> 16 == int(sys.argv[2])
	    at += head & 0xffff
	print(found)
	END
}

kptr=/proc/sys/kernel/kptr_restrict
mkfifo "$work/end"
"$here/writes.py" $kptr <"$work/end" >"$work/writes" &
exec 4>"$work/end"
until grep -q watching "$work/writes"; do sleep 0.1; done

"$memstrack" record "$work/trace" --level=1 --out="$work/report" \
	2>"$work/stderr" &
tracer=$!
until "$memstrack" report 2>/dev/null; do sleep 0.1; done
# Processes, which have stacks.
round=0
while [ $round -lt 8 ]; do
	(sleep 0.3 & sleep 0.3 & sleep 0.3 & wait)
	round=$((round + 1))
done
kill -TERM $tracer
wait $tracer
ok $? "it records and ends well"
tracer=
[ "$(of 15)" -gt 0 ]
ok $? "areas came: $(of 15) records"
[ "$(of 18)" -gt 0 ]
ok $? "areas went: $(of 18) records"
[ "$(of 20)" -gt 4 ]
ok $? "so they were looked at: $(of 20) times"
grep -q 'note .*vmalloc is sampled' "$work/report"
ok $? "the report says so"
hashed='note .*of no module: addresses are hashed'
case $(cat $kptr) in
0) check "and what it cannot tell" grep "$hashed" "$work/report" ;;
1) check "and nothing more" sh -c "! grep '$hashed' '$work/report'" ;;
*) check "and that it sees none" grep 'vmalloc is not seen' "$work/report" ;;
esac
grep -q '^vmalloc ' "$work/report"
ok $? "areas are known again from sample to sample"
exec 4>&-
wait
is "kptr_restrict is not written, as who watches it sees" \
	"$(sed -n 2p "$work/writes")" 0
[ "$(sed -n 3p "$work/writes")" -gt 0 ]
ok $? "who watches sees writes"
echo "1..$count"
