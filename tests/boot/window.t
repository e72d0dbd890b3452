#!/bin/sh
# SPDX-License-Identifier: MIT
# The loading window on kernels that refuse our probes of the system calls, or
# have no events of these calls: a guest makes the probes useless, and then hides
# the events of init_module and finit_module, and the events of all system calls.
# Pages that a task takes while it loads a module belong to the module, and
# pages that it takes afterwards do not.
. "$(dirname "$0")/planted.sh"
keep=30 inittext=50

planted_runs <<'INIT'
mount -t tracefs tracefs /sys/kernel/tracing
events=/sys/kernel/tracing/events
trace() {
	memstrack trace --level=3 --ring=4M --mem=6M --format=json --out=/"$1".json &
	wait_for_report
	# One task loads, and goes on to take pages: 64 of them.
	sh -c 'load '"${2:-finit}"' /lib/planted0.ko "keep=30 inittext=50" &&
		exec dd if=/dev/zero of=/tmp/after bs=4096 count=64 2>/dev/null'
	memstrack report
	kill %1
	wait
	tail -n "$(tac /"$1".json | grep -n -m 1 '"type":"head"' |
		cut -d: -f1)" /"$1".json >/last
	grep -E '"type":"(note|module|end)"' /last | sed "s/^/$1=/" >&3
	grep '"type":"task".*"comm":"dd"' /last | sed "s/^/$1.dd=/" >&3
	rmmod planted0
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

pages_of() { row "$1" planted0 | number "$2_pages"; }
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
	has_image() { row "$1" planted0 | grep '"image_peak_pages":null'; } ;;
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
