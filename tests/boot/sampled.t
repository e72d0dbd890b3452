#!/bin/sh
# Where nothing can be traced, /proc is sampled: the figures of the report are
# the kernel's own, a task that eats all memory is named, so is the kind of
# memory that a module eats, reports come at the change of the root and before a
# panic, and all this takes less than 1 % of one CPU. Once by
# backend=sampled, else in a kernel in lockdown, without tracefs and perf.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/boot/planted.sh
. "$here/planted.sh"

new_guest busybox
planted_guest <<'INIT'
mounts
facts
# Of a cache, objects a slab are of no interest: pages a slab, slabs.
caches() {
	while read -r name _ _ _ _ pages _ _ _ _ _ _ _ _ slabs _; do
		case $name in
		inode_cache | dentry | task_struct)
			say "cache-$name=$((pages * slabs))" ;;
		esac
	done </proc/slabinfo
}
meminfo() { sed -n "s/^$1: *\([0-9]*\) kB/\1/p" /proc/meminfo; }
# Given back before it sleeps; what is now and what was at most.
hold 30 &
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
sed -n 's/^planted0 \([0-9]*\) .*/image=\1/p' /proc/modules >&3
for name in MemFree AnonPages Shmem Slab; do
	say "$name=$(meminfo $name)"
done
caches
# Figures of the CPU: two reports, which take time too, before and after.
if [ -e /idle ]; then
	step first
	step second
	sleep 15
	step idle
	for i in $(seq 12); do
		dd if=/dev/zero of=/run/file bs=1M count=$i 2>/dev/null
		sleep 1
	done
	step busy
fi
off
INIT
musl-gcc -static -Os -o "$guest/bin/hold" "$here/hold.c" || exit 1

# Of a report, the lines with a type; of a line, a number.
report_lines() { sed -n "s/^$1=//p" "$facts"; }
of() { report_lines "$1" | grep "\"type\":\"$2\"" | number "$3"; }
named() { report_lines figures | grep "\"type\":\"$1\",.*\"$2\"" | number "$3"; }
is_between() {
	echo "$2 <= $1 <= $3"
	[ -n "$1" ] && [ "$1" -ge "$2" ] && [ "$1" -le "$3" ]
}
# "what it shows" VALUE EXPECTED SLACK
near() {
	ok "$1: $2, expected $3" is_between "$2" $(($3 - $4)) $(($3 + $4))
}
# All lines are JSON, and say of what source they are.
valid() {
	report_lines figures >"$work/json"
	python3 -B - "$work/json" <<'PYTHON'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
head, end = lines[0], lines[-1]
rows = [o for o in lines if o["type"] in ("module", "task", "kind", "cache")]
print(head, end, len(rows))
sys.exit(not (head["source"] == "sampled" and head["allocs"] is None and
              head["now_pages"] is None and end["type"] == "end" and
              end["records"] == len(lines) - 1 and len(rows) > 10 and
              all(o["sampled"] == 1 for o in rows)))
PYTHON
}
adds_up() {
	python3 -B - "$work/json" <<'PYTHON'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
kinds = [o for o in lines if o["type"] == "kind" or o.get("of") == "kind"]
used = (lines[0]["mem_total_kib"] - lines[0]["free_now_kib"]) // 4
held = sum(o["now_pages"] for o in kinds)
ram = [o for o in lines if o["type"] == "ram"]
parts = sum(o["kib"] for o in ram[1:] if "part_of" not in o)
unknown = sum(o["kib"] for o in ram if o["group"] == "unknown")
print(used, held, parts, ram)
sys.exit(abs(used - held) > 256 or parts != ram[0]["kib"] or
         abs(unknown) > ram[0]["kib"] // 50)
PYTHON
}

figures() {
	ok "$1: a report was to be had" fact 'report-figures=0'
	ok "$1: JSON, which says that it is sampled" valid
	ok "$1: the kinds are all memory in use, and the rows of RAM all RAM" adds_up
	# Up to 6.1 each thread counts 64 pages of its own before it adds them.
	near "$1: resident pages of a task" \
		"$(named task hold now_pages)" $(($(value rss) / 4)) 64
	near "$1: its peak, as the kernel counts it" \
		"$(named task hold peak_pages)" $(($(value hwm) / 4)) 64
	ok "$1: which no sample had" is_between "$(value hwm)" \
		$(($(value rss) * 2)) 40000
	ok "$1: its number" same "$(named task hold pid)" "$(value pid)"
	kinds_and_caches "$1"
	has_module "$1"
	ok "$1: the lowest free memory is not above what the guest saw" \
		is_between "$(of figures head free_lowest_kib)" 1 \
		$(($(value MemFree) + 1024))
}
# In lockdown the kernel loads no module without a signature.
has_module() {
	[ "$1" != 'in lockdown' ] || return 0
	ok "$1: the image of a module" same \
		"$(named module planted0 now_pages)" \
		$((($(value image) + 4095) / 4096))
	ok "$1: what no kind explains grew by the pages of the module" \
		is_between "$(of figures reconcile rest_pages)" 1800 2900
}
kinds_and_caches() {
	near "$1: kind anonymous" "$(named kind anonymous now_pages)" \
		$(($(value AnonPages) / 4)) 128
	near "$1: kind tmpfs" "$(named kind tmpfs now_pages)" \
		$(($(value Shmem) / 4)) 64
	near "$1: kind slab" "$(named kind slab now_pages)" \
		$(($(value Slab) / 4)) 200
	for cache in inode_cache dentry task_struct; do
		near "$1: slab cache $cache" \
			"$(named cache $cache now_pages)" \
			"$(value cache-$cache)" $(($(value cache-$cache) / 20 + 16))
	done
}

sampled='quiet rd.memstrack=3 rd.memstrack.format=json
	rd.memstrack.out=/report.json'
locked='lsm=lockdown lockdown=confidentiality'
: >"$guest/idle"
# By the count of instructions: what else the host does makes no difference.
boot "$sampled rd.memstrack.backend=sampled" -m 192 -i
figures 'asked for'
# What two reports in a row take is what one takes.
cpu() { of "$1" head cpu_ns; }
end() { of "$1" head end_ns; }
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
rm "$guest/idle"

boot "$sampled $locked" -m 192
figures 'in lockdown'
ok 'in lockdown: why, in a note' grep -q \
	'"type":"note","text":"not traced by perf: ' "$facts"

# --- memory runs out; the report for people

log() { sed 's/^\[ *[0-9.]*\] //' "$console"; }
ours() { log | sed -n 's/^memstrack: //p'; }
# starve "what does it" "parameters"
starve() {
	new_guest busybox
	planted_guest <<INIT
mounts
facts
mount -t tmpfs -o size=100% tmpfs /run
sleep 0.3
$1
sleep 1
say alive=\$(count_tracers)
off
INIT
	cp "$modules/eater.ko" "$guest/lib/"
	boot "rd.memstrack=1 $locked ${2-}" -m 128
	ours | report_of 'memory is low|OOM kill of .*' >"$work/report"
}
reported() { cat "$work/report"; grep -q -e "$1" "$work/report"; }
whole_report() {
	wc -l "$work/report"
	sed -n '$p' "$work/report" | grep 'end of report' &&
		[ "$(wc -l <"$work/report")" -le 41 ]
}
headings() {
	grep -e '^\(module\|task\|kind\|vmalloc\)  *[(s ].* now  *peak' \
		-e '^[a-z]* (sampled' "$work/report"
	[ "$(grep -c -e '^[a-z]* (sampled.* now ' "$work/report")" -ge 3 ] &&
		! grep -e '^[a-z]*  *now  *peak' -e ' lost' -e 'complete' \
			"$work/report"
}

starve 'tail /dev/zero'
ok 'a task: it is killed' seen 'Killed process [0-9]* (tail)'
ok 'a task: a report of it' reported 'OUT OF MEMORY'
ok 'a task: it says sampled in its first line' \
	reported '^memstrack .*; sampled$'
ok 'a task: and above each table, and nothing of traces' headings
ok 'a task: it is named' reported '^culprit task tail\[[0-9]*\] [5-9]'
ok 'a task: and the kind' reported '^kind    of all in use: anonymous [5-9]'
ok 'a task: whole' whole_report
ok 'a task: an advice' reported '^advice  at least memory of [0-9]*M (.* sampled'
ok 'a task: the tracer lives' fact alive=1

starve 'dd if=/dev/zero of=/run/file bs=1M'
ok 'tmpfs: the kind is named' reported '^kind    of all in use: tmpfs [4-9]'

# In lockdown the kernel loads no module without a signature.
locked=rd.memstrack.backend=sampled
starve 'load finit /lib/eater.ko eat=1' sysctl.vm.panic_on_oom=1
ok 'a module: there is a panic' seen 'Kernel panic.*panic_on_oom'
before() {
	first=$(grep -n -m 1 -e "$1" "$console" | cut -d: -f1)
	second=$(grep -n -m 1 -e "$2" "$console" | cut -d: -f1)
	echo "$1: ${first:-never}; $2: ${second:-never}"
	[ -n "$first" ] && [ -n "$second" ] && [ "$first" -lt "$second" ]
}
ok 'a module: a report before it' before 'end of report' 'Kernel panic'
ok 'a module: what no kind explains' reported \
	'^kind    of all in use: other [4-9].*; other grew by [4-9]'
ok 'a module: and which was loaded last' reported \
	'module loaded last: eater$'

# --- the root changes, and no event tells

new_guest busybox
to_guest /init <<'INIT'
mounts
facts
mkdir /sysroot
mount -t tmpfs -o size=16M tmpfs /sysroot
mkdir /sysroot/dev /sysroot/proc /sysroot/sys /sysroot/sbin
cp -r /bin /sysroot/bin
cp /root-init /sysroot/sbin/init
exec 3>&-
umount /sys
umount /proc
mount -o move /dev /sysroot/dev
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
