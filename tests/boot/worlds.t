#!/bin/sh
# SPDX-License-Identifier: MIT
# Systems that lack something: everything that can be traced without it is
# traced. What cannot be traced is told in one plain line, on any output that
# exists, and the boot goes on. tests/boot/hide.c hides the parts of a kernel;
# no-tracing.t has lockdown.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"

"$top/tests/need" musl-tools linux-libc-dev >&2 ||
	skip_all 'musl-gcc is missing'
mkdir -p "$guest"
musl-gcc -std=gnu11 -D_GNU_SOURCE= -Os -static \
	-idirafter "$BUILD/kernel-headers" -o "$guest/hide" "$here/hide.c" ||
	exit 1

to_guest /init <<'INIT'
mounts
facts
say "tracers=$(count_tracers)"
[ "$(count_tracers)" = 0 ] || {
	memstrack report 2>/said
	say "report=$?"
	sed 's/^/said=/' /said >&3
}
dmesg | sed -n 's/^[^]]*] memstrack: /log=/p' >&3
[ ! -e /report.json ] || {
	say "lines=$(wc -l </report.json)"
	grep -E '"type":"(head|own|note|end)"' /report.json >&3
}
say reached
off
INIT
to_file='rd.memstrack.out=/report.json rd.memstrack.format=json'

# world NAME WHAT "parameters" [options of initramfs/qemu]: WHAT is hidden.
world() {
	name=$1
	parameters="rdinit=/hide hide=$2 rd.memstrack=1 $3"
	shift 3
	boot "$parameters" "$@"
	ok "$name: the boot goes on" fact reached
}

# The tracer's only line, in the kernel log; or on the console where there is
# no other place. What the kernel says of the process of that name is no line
# of ours.
lines() { sed -n "s/^$1//p" | grep -v 'page allocation failure'; }
only_line() {
	cat "$work/lines"
	[ "$(wc -l <"$work/lines")" = 1 ] && grep -q "$1" "$work/lines"
}
untraced() {
	ok "$name: no tracer stays" fact 'tracers=0'
	if [ "$1" = log ]; then
		lines 'log=' <"$facts"
	else
		lines 'memstrack: ' <"$console"
	fi >"$work/lines"
	ok "$name: is told in one line" only_line "$2"
}

number() { sed -n "s/.*\"$1\":\([0-9]*\)[,}].*/\1/p" "$facts"; }
whole() {
	grep '"type":"end"' "$facts"
	[ "$(grep -c '"type":"head"' "$facts")" = 1 ] &&
		[ "$(number records)" = $(($(value lines) - 1)) ] &&
		[ "$(number lost)" = 0 ]
}
traced() {
	ok "$name: it traces" fact 'tracers=1'
	ok "$name: a report was to be had" fact 'report=0'
	ok "$name: it is whole, nothing lost" whole
}
noted() { grep '"type":"note"' "$facts" | grep -q "$1"; }

# --- of the kernel

world 'no perf events' perf "$to_file"
traced
by_ftrace() { grep '"type":"head".*"source":"ftrace"' "$facts"; }
ok "$name: tracefs is the source" by_ftrace
ok "$name: that is in the report" \
	noted 'not traced by perf: Function not implemented'

world 'no perf events, asked for by name' perf \
	"rd.memstrack.backend=perf $to_file"
traced
ok "$name: tracefs is the source" by_ftrace
ok "$name: the log says why" fact \
	'log=perf events: Function not implemented'

world 'tracefs takes no instance' mkdir:/instances/ \
	"rd.memstrack.backend=ftrace $to_file"
traced
ok "$name: perf is the source" grep '"source":"perf"' "$facts"
ok "$name: the log says why" fact \
	'log=ftrace events: Operation not permitted'

world 'no tracefs' mount:tracefs,mount:debugfs "$to_file"
traced
ok "$name: it is sampled, and why" \
	noted 'not traced by perf: no page events: .*/mm_page_alloc: No such file'

world 'neither tracefs nor perf events' perf,mount:tracefs,mount:debugfs "$to_file"
traced
ok "$name: it is sampled, and why" \
	noted 'not traced by perf: Function not implemented'

world 'no /proc' mount:proc ''
untraced log 'not traced: .*no /proc'

world 'nothing can be mounted' mount ''
untraced console 'not traced: no mounts of its own'

world 'no mount namespaces' unshare ''
untraced console 'not traced: no mounts of its own'

world 'no pipes' pipe ''
untraced log 'no tracer: .*not traced'

world 'no modules' openat:/module/,openat:init_module,openat:/modules \
	"$to_file"
traced
ok "$name: that is in the report" noted module_load

# Which CPUs there are is to be read in /sys.
world 'no /sys' mount:sysfs "$to_file" -c 2
traced
every_cpu_or_told() {
	grep '"type":"own"' "$facts"
	[ "$(number cpus_traced)" = 2 ] || noted CPU
}
ok "$name: all CPUs are traced, or it is told" every_cpu_or_told

world 'one CPU of two' none "nr_cpus=1 $to_file" -c 2
traced
ok "$name: it is traced" test "$(number cpus_traced)" = 1

world 'lockdown=integrity' none "lsm=lockdown lockdown=integrity $to_file"
traced

world 'no locked memory' mlockall "$to_file"
traced
ok "$name: that is in the report" noted 'could not be locked'

# --- of places to say it

# A report for people in $1 behind the prefix $2, its last line counting those
# before it.
whole_text() {
	sed -n "s/^$2//p" "$1" | report_of request >"$work/text"
	cat "$work/text"
	[ "$(sed -n 's/.*end of report, \([0-9]*\) lines$/\1/p' "$work/text")" \
		= $(($(wc -l <"$work/text") - 1)) ]
}
for how in '' quiet; do
	world "no /dev/kmsg, ${how:-loud}" mknod:kmsg "$how"
	ok "$name: the console has the whole report" whole_text "$console" ""
	ok "$name: nothing is in the log" test "$(grep -c log= "$facts")" = 0
done

world 'no /dev/console' mknod:console quiet
ok "$name: the log has the whole report" whole_text "$facts" log=
ok "$name: which is well" fact 'report=0'

world 'neither of them' mknod quiet
ok "$name: who asks is told" fact 'said=memstrack: report: No such device'

world 'neither of them, but a file' mknod "$to_file"
traced

# In the image: one that leads nowhere, and one that no one can write.
mkdir "$guest/dev"
ln -s /nowhere "$guest/dev/console"
world 'no console in the image' none "$to_file"
ok "$name: the kernel found none" seen 'unable to open an initial console'
traced
world 'nor /proc' mount:proc ''
untraced log 'not traced: .*no /proc'
rm "$guest/dev/console"
mkdir "$guest/dev/console"
world 'a console nobody can write' none "$to_file"
ok "$name: the kernel found none" seen 'unable to open an initial console'
traced
rmdir "$guest/dev/console"

# --- of memory

# Half of what is free is the boot's: all of ours is locked, and the OOM killer
# passes the tracer over. Free is counted when ours is taken.
leaves_half() {
	echo "$(number own_bytes) bytes, then $(number free_start_kib) KiB free"
	[ $(($(number own_bytes) / 1024)) -le \
		$(($(number free_start_kib) + 1024)) ]
}
world '96 MiB' none "$to_file" -m 96
traced
free_kib=$(number free_start_kib)
world 'a budget below the floor' none 'rd.memstrack.mem=256K' -m 96
untraced log '256 KiB are too little to trace with: raise rd.memstrack.mem'
world 'no perf events, too little memory for tracefs' perf "$to_file" -m 88
traced
ok "$name: it is sampled" grep '"type":"head".*"source":"sampled"' "$facts"
ok "$name: the log says why" fact 'log=ftrace events: Cannot allocate memory'
world 'no room for rings' none "rd.memstrack.ring=4K $to_file" -c 2
traced
ok "$name: it is sampled" grep '"type":"head".*"source":"sampled"' "$facts"
ok "$name: the log says what to raise" fact \
	'log=no room for rings of 2 CPUs: raise rd.memstrack.ring or mem'
for mem in 1G "$((${free_kib:-0} + 1024))K"; do
	world "a budget of $mem" none "rd.memstrack.mem=$mem $to_file" -m 96
	traced
	ok "$name: half of what is free is left" leaves_half
done
finish
