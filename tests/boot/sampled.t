#!/bin/sh
# SPDX-License-Identifier: MIT
# Where nothing can be traced, /proc is sampled: the figures of the report are
# the kernel's own, a task that eats all memory is named, so is the kind of
# memory that a module eats, reports come at the change of the root and before a
# panic, and all this takes less than 1 % of one CPU. By backend=sampled, and
# in a kernel in lockdown, without tracefs and perf.
. "$(dirname "$0")/planted.sh"

planted_runs <<'INIT'
# Of a cache, objects a slab are of no interest: pages a slab, slabs.
caches() {
	sed '1,2d' /proc/slabinfo |
		while read -r name _ _ _ _ pages _ _ _ _ _ _ _ _ slabs _; do
			say "cache=$name $((pages * slabs))"
		done
}
meminfo() { sed -n "s/^$1: *\([0-9]*\) kB/\1/p" /proc/meminfo; }
# Given back before it sleeps; what is now and what was at most.
actor hold 30 &
hold=$!
load finit /lib/planted0.ko keep=2000
dd if=/dev/zero of=/run/file bs=1M count=10 2>/dev/null
sleep 2
step() {
	rm -f /report.json
	memstrack report
	say "report-$1=$?"
	sed "s/^/$1=/" /report.json >&3
}
step figures
say "pid=$hold"
sed -n "s/^VmHWM:[^0-9]*\([0-9]*\) kB/hwm=\1/p
	s/^VmRSS:[^0-9]*\([0-9]*\) kB/rss=\1/p" /proc/$hold/status >&3
sed -n "s/^Rss:[^0-9]*\([0-9]*\) kB/mapped=\1/p" /proc/$hold/smaps_rollup >&3
say "release=$(uname -r)"
sed -n 's/^planted0 \([0-9]*\) .*/image=\1/p' /proc/modules >&3
for name in MemFree AnonPages Shmem Slab; do
	say "$name=$(meminfo $name)"
done
caches
# Figures of the CPU: two reports, which take time too, before and after.
step first
step second
sleep 15
step idle
for i in $(seq 12); do
	dd if=/dev/zero of=/run/file bs=1M count=$i 2>/dev/null
	sleep 1
done
step busy
INIT
guest_program "$here/actor.c"

# A number of the first row of a type in the report of a step, at STEP TYPE
# NAME; of a row with a name.
report_lines() { sed -n "s/^$1=//p" "$facts"; }
at() { report_lines "$1" | grep "\"type\":\"$2\"" | number "$3" | head -n 1; }
named() { report_lines figures | grep "\"type\":\"$1\",.*\"$2\"" | number "$3"; }
# "what it shows" VALUE EXPECTED SLACK
near() {
	ok "$1: $2, expected $3" is_between "$2" $(($3 - $4)) $(($3 + $4))
}
# JSON that says it is sampled, with kinds, rows of RAM and slab caches.
is_true() {
	report_lines figures >"$work/json"
	sed -n 's/^cache=//p' "$facts" >"$work/caches"
	/usr/bin/python3 -B "$here/sampled.py" "$work/json" "$work/caches"
}

# The task had touched 30 MiB, and had what it has now besides the 10 MiB that
# it kept. The page tables tell what that is; the kernel's counts come late. Up
# to 6.1 a thread adds its pages after 64 faults, of one page each
# (TASK_RSS_EVENTS_THRESH). Since 6.2 anonymous pages and those of files have a
# percpu_counter each, to which a CPU adds max(32, 2 * CPUs) pages at a time.
late() {
	case $(value release) in
	[1-5].* | 6.[01].*) echo 65 ;;
	*) echo $((2 * 31)) ;;
	esac
}
locked='lsm=lockdown lockdown=confidentiality'
# By the count of instructions: what else the host does makes no difference.
boot "quiet $json_report rd.memstrack.backend=sampled rd.memstrack.slab=1M" \
	-m 192 -i 3
ok "a report was to be had" fact 'report-figures=0'
ok "what it says is true of the machine" is_true
# It sleeps: what the kernel counts late it shows twice the same.
near "resident pages of a task" \
	"$(named task actor now_pages)" $(($(value rss) / 4)) 0
near "its peak, as the kernel counts it" \
	"$(named task actor peak_pages)" $(($(value hwm) / 4)) 0
others=$(($(value mapped) / 4 - 2560))
ok "few pages are its program" is_between "$others" 1 32
ok "its peak is what it had, but for $(late) pages counted late" \
	is_between "$(named task actor peak_pages)" \
	$((7680 - $(late))) $((7680 + others + $(late)))
ok "its number" same "$(named task actor pid)" "$(value pid)"
near "kind anonymous" "$(named kind anonymous now_pages)" \
	$(($(value AnonPages) / 4)) 128
near "kind tmpfs" "$(named kind tmpfs now_pages)" \
	$(($(value Shmem) / 4)) 64
near "kind slab" "$(named kind slab now_pages)" \
	$(($(value Slab) / 4)) 200
ok "the image of a module" same \
	"$(named module planted0 now_pages)" \
	$((($(value image) + 4095) / 4096))
ok "what no kind explains grew by the pages of the module" \
	is_between "$(at figures reconcile rest_pages)" 1980 2050
ok "the lowest free memory is not above what the guest saw" \
	is_between "$(at figures head free_lowest_kib)" 1 \
	$(($(value MemFree) + 1024))
ok 'no objects of slab, and a note says so' \
	note '"objects of slab are not traced: a source that samples'
ok 'no balance of them is made up' never_told slab_balance
# What two reports in a row take is what one takes.
cpu() { at "$1" head cpu_ns; }
end() { at "$1" head end_ns; }
# permille FROM TO: of one CPU, without the report that was written at FROM
permille() {
	one=$(($(cpu second) - $(cpu first)))
	echo $((($(cpu "$2") - $(cpu "$1") - one) * 1000 /
		($(end "$2") - $(end "$1"))))
}
idle=$(permille second idle) busy=$(permille idle busy)
echo "# CPU per mille: idle $idle, busy $busy"
ok 'less than 1 % of one CPU while nothing happens' is_between "$idle" -5 10
ok 'less than 1 % of one CPU while memory moves' is_between "$busy" -5 10

# --- memory runs out; the report for people

# starve "what does it" "parameters"
starve() {
	starving_guest "$1"
	boot "rd.memstrack=1 $locked ${2-}" -m 128
	early >"$work/report"
}
reported() { cat "$work/report"; grep -q -e "$1" "$work/report"; }
headings() {
	grep -e '^\(module\|task\|kind\|areas\)  *[(s ].* now  *peak' \
		-e '^[a-z]* (sampled' "$work/report"
	[ "$(grep -c -e '^[a-z]* (sampled.* now ' "$work/report")" -ge 3 ] &&
		! grep -e '^[a-z]*  *now  *peak' -e ' lost' -e 'complete' \
			"$work/report"
}

# The notes are in no report of this kind.
starve 'wait_for_report; tail /dev/zero'
ok 'a task: it is killed' seen 'Killed process [0-9]* (tail)'
ok 'a task: a report of it' reported '^memstrack [0-9.]*: \(memory is low at\|OUT OF MEMORY\)'
ok 'a task: sampled, in its first line' reported '^memstrack .*; sampled$'
ok 'a task: and above each table, and nothing of traces' headings
ok 'a task: it is named' reported '^culprit task tail\[[0-9]*\] [5-9]'
ok 'a task: and the kind' reported '^kind    of all in use: anonymous [5-9]'
ok 'a task: whole' whole_report <"$work/report"
ok 'a task: of 40 lines at most' is_between "$(wc -l <"$work/report")" 10 41
ok 'a task: an advice' reported '^advice  at least memory of [0-9]*M (.* sampled'
ok 'a task: the tracer lives' fact alive=1
ok 'a task: in lockdown, why it is sampled' seen 'not traced by perf: '

# --- kills that free memory does not tell of: at the limit of a cgroup

new_guest busybox
guest_runs <<'INIT'
# A cgroup that may have 20 MiB, and a process in it that wants all there is.
mkdir /cgroup
mount -t cgroup2 cgroup2 /cgroup
echo +memory >/cgroup/cgroup.subtree_control
mkdir /cgroup/small
echo 20M >/cgroup/small/memory.max
hog() { sh -c 'echo $$ >/cgroup/small/cgroup.procs; exec tail /dev/zero'; }
# killing NAME: what the tracer told of two kills, and where it told it.
killing() {
	wait_for_report
	sleep 3
	hog
	hog
	sleep 3
	rm /report.json
	memstrack report
	grep '"type":"head"' /report.json | sed "s/^/$1=/" >&3
}
killing log
dmesg | sed -n 's/^\[ *\([0-9.]*\)\] .*: Killed process .*/killed=\1/p
	s/^\[ *\([0-9.]*\)\] memstrack: OOM kill of tail\[.* at the limit .*/line=\1/p' >&3
kill_tracers
mount -t tracefs tracefs /sys/kernel/tracing
mount -o bind /dev/null /dev/kmsg
memstrack --backend=sampled --format=json --out=/report.json 2>/said &
killing none
sed 's/^/said=/' /said >&3
INIT
boot 'quiet rd.memstrack=1 rd.memstrack.backend=sampled
	rd.memstrack.out=/report.json rd.memstrack.format=json' -m 192 -i 0
first() { sed -n "s/^$1=//p" "$facts" | head -n 1; }
# The guest's clock counts instructions. Without the kernel's log to wake us
# this would take 100 ms or 200.
told_within_ms() {
	awk -v from="$(first killed)" -v to="$(first line)" -v most="$1" 'BEGIN {
		print from, to
		exit !(from && to && to - from < most / 1000) }'
}
ok 'a cgroup: the victim is told at once' told_within_ms 20
ok 'a cgroup: kills are counted' test "$(at log head oom_kills)" = 2
ok 'without the log: kills are counted' test "$(at none head oom_kills)" = 2
ok 'without the log: and told, if not who it was' \
	grep '^said=.*OOM kill, victim not in the log, .* free (1 kills' "$facts"
ok 'without the log: nobody waits for it again and again' \
	is_between "$(at none head cpu_ns)" 1 100000000

# In lockdown the kernel loads no module without a signature.
locked=rd.memstrack.backend=sampled
starve 'load finit /lib/eater.ko eat=1' sysctl.vm.panic_on_oom=1
ok 'a module: there is a panic' seen 'Kernel panic.*panic_on_oom'
ok 'a module: a report before it' \
	report_before 'memory is low|OOM kill of.*' 'Kernel panic'
ok 'a module: what no kind explains' reported \
	'^kind    of all in use: other [4-9].*; other grew by [4-9]'
ok 'a module: and which was loaded last' reported 'module loaded last: eater$'

# --- the root changes, and no event tells

new_guest busybox
to_guest /init <<'INIT'
mounts
facts
new_root
exec 3>&-
umount /sys
umount /proc
move dev
exec busybox switch_root /sysroot /sbin/init
INIT
to_guest /root-init <<'INIT'
mount -t proc proc /proc
facts
wait_for_tracers
say "tracers=$(count_tracers)"
off
INIT
boot "rd.memstrack=1 $locked"
ok 'switch_root: a report' seen 'report  level 1, sampled .*reason: switch-root'
ok 'switch_root: the tracer leaves' fact tracers=0
finish
