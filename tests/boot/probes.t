#!/bin/sh
# SPDX-License-Identifier: MIT
# Our probes are in the kernel while we trace, and gone afterwards. Those that a
# killed tracer leaves the next one replaces and removes; what another program
# uses it does not add again; one that is refused, because another one runs,
# does not touch them. Those on vmalloc tell who asked
# for an area: the same callers that /proc/vmallocinfo names. No setting of the
# kernel is written, as a probe on all such writes shows.
. "$(dirname "$0")/planted.sh"

planted_runs <<'INIT'
mount -t tracefs tracefs /sys/kernel/tracing
probes() { say "$1=$(grep -c memstrack /sys/kernel/tracing/kprobe_events)"; }
start() {
	memstrack trace --level=3 --ring=4M --mem=6M --format=json \
		--out=/report.json &
	wait_for_report
}
start
probes first
say "behind=$(grep -c 'memstrack.*+[59] ' /sys/kernel/tracing/kprobe_events)"
mkdir /sys/kernel/tracing/instances/held
held=/sys/kernel/tracing/instances/held/events/memstrack/free/enable
echo 1 >$held
kill -9 %1
wait
probes killed
start
memstrack trace
say "refused=$?"
probes second
echo 0 >$held
rmdir /sys/kernel/tracing/instances/held
load finit /lib/planted0.ko vm=64
# Kernel stacks of our time: the kernel keeps two old ones for each CPU.
sleepers=
for i in 1 2 3 4 5 6; do
	sleep 60 &
	sleepers="$sleepers $!"
done
step loaded
kill $sleepers
sed -n 's,^[^ ]* *[0-9]* \([^ /]*\)/.* pages=.*,kernel=\1,p' \
	/proc/vmallocinfo | sort -u >&3
sed -n 's/.*"vmalloc","caller":"\([^"]*\)".*"pages":[1-9].*/caller=\1/p' \
	/report.json >&3
cd /sys/kernel/tracing
echo 'p:watch/write proc_sys_write comm=$comm' >>kprobe_events
mkdir instances/watch
echo 1 >instances/watch/events/watch/write/enable
writes() { grep -c "write: .*comm=\"$1\"" instances/watch/trace; }
kptr=/proc/sys/kernel/kptr_restrict
for round in 1 2 3; do
	echo 2 >$kptr
	load finit /lib/planted1.ko vm=64
	memstrack report
	say "kptr=$(cat $kptr)"
	rmmod planted1
	echo 0 >$kptr
done
say "tracer-wrote=$(writes memstrack)"
say "shell-wrote=$(writes init)"
echo 0 >instances/watch/events/watch/write/enable
rmdir instances/watch
echo '-:watch/write' >>kprobe_events
cd /
kill $(tracers)
wait
probes ended
INIT

boot 'quiet rd.memstrack=0' -m 256
ok 'ten while it traces, three behind the entry of a function' \
	fact first=10 behind=3
ok 'a tracer that is killed leaves them' fact killed=10
ok 'a second one is refused, and leaves them alone' fact refused=1 second=10
# Since 7.0 vmalloc takes its pages in blocks, of which events tell.
# Neither a new table of page addresses nor a new slab, for what describes the
# area, is a page of the area.
traced=$(chains loaded planted0 planted_vm | grep -v 'pte_alloc\|slab_alloc' |
	number now_pages | sum)
ok 'they tell the next one of areas' same \
	"$(($(row loaded planted0 | number vmalloc_pages) + traced))" 64
sed -n 's/^kernel=//p' "$facts" >"$work/kernel"
sed -n 's/^caller=//p' "$facts" >"$work/callers"
ok "the kernel names all $(wc -l <"$work/callers") callers too" \
	sh -c "[ -s '$work/kernel' ] &&
		! grep -v -x -F -f '$work/kernel' '$work/callers'"
for function in planted_vm kernel_clone; do
	if [ "$traced" = 0 ]; then
		ok "$function is one" grep "^$function+0x" "$work/callers"
	else
		skip "$function is one" 'none has pages without an event'
	fi
done
ok 'kptr_restrict stays as it is set' test "$(grep -c '^kptr=2$' "$facts")" = 3
ok 'of such writes none is ours' fact shell-wrote=6 tracer-wrote=0
ok 'they are gone when it ends' fact ended=0
finish
