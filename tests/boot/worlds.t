#!/bin/sh
# SPDX-License-Identifier: MIT
# Systems that lack something: everything that can be traced without it is
# traced. What cannot be traced is told in one plain line, on any output that
# exists, and the boot goes on. tests/boot/hide.c hides the parts of a kernel.
#
# What matters to the first process itself, or to the kernel's start, is a boot
# of its own. All others are tried one after the other in one guest (again.sh).
#
# MATRIX=all: of two CPUs, one that the kernel does not start.
# (lockdown=confidentiality: sampled.t.)
. "$(dirname "$0")/again.sh"

json="rd.memstrack=1 $json"

tell_functions='
tell_all() {
	tell
	[ ! -e /report.json ] || {
		say "lines=$(wc -l </report.json)"
		grep -E "\"type\":\"(head|own|note|baseline|end)\"" \
			/report.json >&3
	}
}
# world NAME HIDDEN "parameters". None has the names of functions either, which
# are most of what a report costs.
world() { again "$1" "$3" "$2,openat:/kallsyms"; tell_all; }
'
# What the boot itself left; then the rest of /init, from stdin.
world_guest() {
	{
		echo "$tell_functions"
		echo "json='$json' roomy='$roomy'"
		echo tell_all
		cat
		echo kill_tracers
	} | again_guest
}

world() { look_at "$1"; goes_on; }
booted() { look_at_boot "$1"; goes_on; }
goes_on() { ok "$name: the boot goes on" fact reached; }
# The tracer's only line, in the kernel log; or on the console where there is
# no other place. What the kernel says of the process of that name is no line
# of ours.
lines() { sed -n "s/^$1//p" | grep -v 'page allocation failure'; }
untraced() {
	ok "$name: no tracer stays" fact 'tracers=0'
	if [ "$1" = log ]; then
		lines 'log=' <"$facts"
	else
		lines 'memstrack: ' <"$console"
	fi >"$work/lines"
	ok "$name: is told in one line" one_line_matches "$2"
}
one_line_matches() {
	cat "$work/lines"
	[ "$(wc -l <"$work/lines")" = 1 ] && grep -q "$1" "$work/lines"
}
whole_json() {
	grep '"type":"end"' "$facts"
	[ "$(grep -c '"type":"head"' "$facts")" = 1 ] &&
		same "$(of end records)" $(($(value lines) - 1))
}
traced() {
	ok "$name: it traces, and reports" fact tracers=1 report=0
	ok "$name: it is whole" whole_json
}
# With rings that lose nothing.
traced_all() {
	traced
	ok "$name: nothing lost" same "$(of head lost)" 0
}
# traced_by SOURCE: what samples has nothing to lose.
traced_by() {
	if [ "$1" = sampled ]; then traced; else traced_all; fi
	ok "$name: $1 is the source" \
		grep "\"type\":\"head\".*\"source\":\"$1\"" "$facts"
}
noted() { ok "$name: that is in the report" note "$1"; }
logged() { ok "$name: the log says $1" fact "log=$2"; }

# --- one guest: of the kernel, of places to say it, and of memory. Half of what is
# free is the boot's, because all of ours is locked, and the OOM killer passes the
# tracer over. Free is counted when ours is taken.

world_guest <<INIT
world 'a budget below the floor' none \
	'rd.memstrack=1 rd.memstrack.mem=512K'
free_kib=\$(sed -n 's/^MemFree: *\([0-9]*\) kB/\1/p' /proc/meminfo)
world 'a budget of 1 GiB' none "\$json rd.memstrack.mem=1G"
world 'no perf events' perf "\$json \$roomy"
end_tracers
world 'no perf events, asked for by name' perf \
	"\$json \$roomy rd.memstrack.backend=perf"
end_tracers
world 'tracefs takes no instance' mkdir:/instances/ \
	"\$json \$roomy rd.memstrack.backend=ftrace"
world 'neither tracefs nor perf events' perf,mount:tracefs,mount:debugfs \
	"\$json"
world 'no mount namespaces' unshare rd.memstrack=1
world 'no pipes' pipe rd.memstrack=1
world 'no modules, no locked memory' \
	openat:/module/,openat:init_module,openat:/modules,mlockall \
	"\$json \$roomy"
world 'no log' mknod:kmsg rd.memstrack=1
dmesg -n 1
world 'no console' mknod:console rd.memstrack=1
world 'neither of them' mknod rd.memstrack=1
mount -t securityfs securityfs /sys/kernel/security
echo integrity >/sys/kernel/security/lockdown
world 'lockdown=integrity, neither of them, but a file' mknod "\$json \$roomy"
say "lockdown=\$(cat /sys/kernel/security/lockdown)"
# Its instances take 18 MiB: there is less than twice that.
kill_tracers
mount -t tmpfs -o size=100% tmpfs /tmp
dd if=/dev/zero of=/tmp/zeros bs=1024 count=\$((free_kib - 30720)) 2>/dev/null
world 'no perf events, too little memory for tracefs' perf "\$json"
INIT
# By the count of instructions no tracer is late, which would be another line.
# shellcheck disable=SC2046 # two words
boot_again "quiet lsm=lockdown ${MATRIX:+nr_cpus=1} $json $roomy" -m 160 \
	$([ "${MATRIX-}" = all ] && echo -c 2 || echo -i 3)
booted 'nothing is hidden'
traced_by perf
ok "$name: the CPU is traced" same "$(of own cpus_traced)" 1

world 'a budget below the floor'
untraced log '512 KiB are too little to trace with: raise rd.memstrack.mem'
leaves_half() {
	own=$(of head own_bytes) free=$(of head free_start_kib)
	echo "${own:-no} bytes, then ${free:-no} KiB free"
	[ "$own" ] && [ "$free" ] && [ $((own / 1024)) -le $((free + 1024)) ]
}
world 'a budget of 1 GiB'
traced
ok "$name: half of what is free is left" leaves_half
world 'no perf events'
traced_by ftrace
noted 'not traced by perf: Function not implemented'
world 'no perf events, asked for by name'
traced_by ftrace
logged why 'perf events: Function not implemented'
world 'tracefs takes no instance'
traced_by perf
logged why 'ftrace events: Operation not permitted'
world 'neither tracefs nor perf events'
traced
noted 'not traced by perf: Function not implemented'
world 'no mount namespaces'
untraced log 'not traced: no mounts of its own'
world 'no pipes'
untraced log 'no tracer: .*not traced'
world 'no modules, no locked memory'
traced_all
noted module_load
noted 'could not be locked'

# A report for people in file $1, behind the prefix $2.
whole_text() { sed -n "s/^$2//p" "$1" | report_of request | whole_report; }
world 'no log'
ok "$name: the console has the whole report" whole_text "$console" ''
is "$name: nothing is in the log" "$(grep log= "$facts")" ''
world 'no console'
ok "$name: the log has the whole report" whole_text "$facts" log=
ok "$name: which is well" fact 'report=0'
world 'neither of them'
ok "$name: who asks is told" fact 'said=memstrack: report: No such device'
world 'lockdown=integrity, neither of them, but a file'
traced_all
ok "$name: so it is" fact 'lockdown=none .integrity. confidentiality'
world 'no perf events, too little memory for tracefs'
traced_by sampled
logged why 'ftrace events: Cannot allocate memory'

# --- PID 1 has nothing, not even the mounts to read its parameters with

world_guest </dev/null
run_as=rdinit=/hide
boot_again 'quiet hide=mount rd.memstrack=1'
booted 'nothing can be mounted'
untraced console 'not traced: no mounts of its own'
run_as=rdinit=/memstrack

# --- a console of the image that leads nowhere, or that no one can write

mkdir "$guest/dev"
ln -s /nowhere "$guest/dev/console"
world_guest <<'INIT'
# What devtmpfs has there would hide it.
umount -l /dev
world 'a console nowhere, no proc' mount:proc rd.memstrack=1
rm /dev/console
mkdir /dev/console
world 'a console nobody can write, no sysfs' mount:sysfs "$json $roomy"
# On a busy machine some events are switched on late.
until grep -e '"cpus_traced":2' -e '"note".*CPU' /report.json >&3; do
	memstrack report
done
mount -t devtmpfs devtmpfs /dev
world 'no room for rings' none "$json rd.memstrack.ring=4K"
INIT
boot_again "quiet $json $roomy" -c 2
booted 'no console in the image'
ok "$name: the kernel found none" seen 'unable to open an initial console'
traced_all
world 'a console nowhere, no proc'
untraced log 'not traced: .*no /proc'
# Which CPUs there are is to be read in /sys.
world 'a console nobody can write, no sysfs'
traced_all
every_cpu_or_told() {
	grep '"cpus_traced":2' "$facts" || note CPU
}
ok "$name: all CPUs are traced, or it is told" every_cpu_or_told
world 'no room for rings'
traced_by sampled
logged 'what to raise' \
	'no room for rings of 2 CPUs: raise rd.memstrack.ring or mem'
finish
