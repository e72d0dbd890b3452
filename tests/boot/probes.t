#!/bin/sh
# SPDX-License-Identifier: MIT
# Our probes are in the kernel while we trace, and gone afterwards. Those that a
# killed tracer leaves the next one replaces and removes; what another program
# uses it does not add again; one that is refused, because another one runs,
# does not touch them. Those on vmalloc tell who asked
# for an area: the same callers that /proc/vmallocinfo names. No setting of the
# kernel is written, as a probe on all such writes shows.
#
# The loading window on kernels that refuse our probes of the system calls, or
# have no events of these calls: the guest makes the probes useless, and then
# hides the events of init_module and finit_module, and the events of all
# system calls. Pages that a task takes while it loads a module belong to the
# module, and pages that it takes afterwards do not.
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
sed -n 's/.*"areas","caller":"\([^"]*\)".*"now_pages":[1-9].*/caller=\1/p' \
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

events=/sys/kernel/tracing/events
trace() {
	memstrack trace --level=3 --ring=4M --mem=6M --format=json --out=/"$1".json &
	wait_for_report
	# One task loads, and goes on to take pages: 64 of them.
	sh -c 'load '"${2:-finit}"' /lib/planted2.ko "keep=30 inittext=50" &&
		exec dd if=/dev/zero of=/tmp/after bs=4096 count=64 2>/dev/null'
	memstrack report
	kill %1
	wait
	tail -n "$(tac /"$1".json | grep -n -m 1 '"type":"head"' |
		cut -d: -f1)" /"$1".json >/last
	grep -E '"type":"(note|module|end)"' /last | sed "s/^/$1=/" >&3
	grep '"type":"task".*"comm":"dd"' /last | sed "s/^/$1.dd=/" >&3
	rmmod planted2
	rm /tmp/after
}
trace probed
trace copied init
# An event of that name without what a tracer reads, which is in use.
echo 'p:memstrack/loaded load_module x=$arg2' \
	>>/sys/kernel/tracing/kprobe_events
echo 1 >$events/memstrack/loaded/enable
trace exact
mount -t tmpfs tmpfs $events/syscalls
trace raw
mount -t tmpfs tmpfs $events/raw_syscalls
trace initcall
mount -t tmpfs tmpfs $events/initcall
trace none
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

# --- the loading window

keep=30 inittext=50
pages_of() { row "$1" planted2 | number "$2_pages"; }
# What it took in init, and no more than a load takes beside: slab, sysfs.
is_charged() {
	echo "$1: $(pages_of "$1" now) pages"
	[ "$(pages_of "$1" now)" -ge $((keep + inittext)) ] &&
		[ "$(pages_of "$1" now)" -lt $((keep + inittext + 40)) ]
}
has_image() {
	echo "$1: image of $(pages_of "$1" image_peak) pages"
	[ "$(pages_of "$1" image_peak)" -ge 4 ]
}
# Before 5.14, and since 7.2, the pages of an image are traced, like all others:
# they stand in the other column.
case $(cat "$kernel/release") in
5.10.* | 7.[2-9].*)
	has_image() { row "$1" planted2 | grep '"image_peak_pages":null'; } ;;
esac
for how in probed copied exact raw initcall; do
	ok "$how: the module is charged for its init" is_charged "$how"
	ok "$how: what dd took afterwards is dd's" \
		grep -q "^$how.dd=.*\"peak_pages\":\([6-9][0-9]\|1[0-9][0-9]\)" \
		"$facts"
done
for how in probed copied exact raw; do
	ok "$how: the file and the image are its own" has_image $how
done
says() { grep "^$1=.*\"type\":\"note\".*$2" "$facts"; }
# Of a report that came to its end.
is_silent() { grep "^$1=.*\"type\":\"end\"" "$facts" && ! says "$@"; }
for how in probed exact raw; do
	ok "$how: no note on modules" is_silent $how '\(module\|syscall\)'
done
ok 'initcall: the window is said to be approximate' says initcall approximate
ok 'none: what is missing is named' says none sys_enter_init_module
finish
