#!/bin/sh
# SPDX-License-Identifier: MIT
# A report of a thousand lines goes through the kernel log without a gap,
# however /dev/kmsg is limited. It does not change that limit, which another
# program may set meanwhile. Each line is compared with the console, to which we
# write the same report ourselves if the kernel does not show it (as with
# `quiet`). If /dev/kmsg is locked off, only the console has the report.
# MATRIX=all: of three thousand lines.
. "$(dirname "$0")/lib.sh"

# So many tasks have at least so many lines in text, and so many in JSON.
tasks=40 least=1000
[ "${MATRIX-}" != all ] || tasks=130 least=3000
least_of_json=$((tasks * 50 / 7))
guest_program "$here/actor.c"
echo $tasks >"$guest/tasks"

# Two reports: the kernel shows the first one, and hides the second one. While
# that is written another program sets the limit, as systemd does when the real
# root starts. The tracer stands still meanwhile.
guest_runs <<'INIT'
mkdir /scratch
mount -t tmpfs tmpfs /scratch
actor crowd /scratch/file $(seq $(cat /tasks) | sed 's/^/crowd-/')
say "crowd=$?"
limit=/proc/sys/kernel/printk_devkmsg
before=$(cat $limit)
tracer=$(tracers)
dmesg -n 7
memstrack report
say "shown=$?"
say "between=$(cat $limit)"
dmesg -n 1
echo 'the kernel hides its messages'
[ "$before" = off ] || {
	exec 4</dev/kmsg
	echo 'a report follows' >/dev/kmsg
	grep -q -m 1 'a report follows' <&4
}
memstrack report &
[ "$before" = off ] || grep -q -m 1 'memstrack: ' <&4
kill -STOP "$tracer"
say "during=$(cat $limit)"
say "ends=$(dmesg | grep -c 'memstrack: .*\(end of report\|"type":"end"\)')"
echo on 2>/dev/null >$limit
kill -CONT "$tracer"
wait $!
say "hidden=$?"
say "before=$before"
say "after=$(cat $limit)"
log
INIT

# Of a file, the request's reports; the N-th of them.
text() { report_of request <"$1"; }
json() { sed -n '/^{"type":"head".*"request"/,/^{"type":"end"/p' "$1"; }
part() {
	awk -v n="$1" '/^memstrack [0-9.]*: .* lost|^{"type":"head"/ { i++ }
		i == n' "$2"
}
# Until the kernel hides them, its lines are ours too.
on_console() {
	sed -n '1,/the kernel hides its messages/ {
		s/^\[[ 0-9.]*\] memstrack: //p
		d
	}
	p' "$console"
}

# boot_with FORMAT PARAMETER: reports in $work/logged.
boot_with() {
	boot "log_buf_len=16M rd.memstrack=3 rd.memstrack.mem=8M
		rd.memstrack.top=$((tasks + 20)) rd.memstrack.lines=100000
		rd.memstrack.format=$1 $2"
	name="$1, ${2:-not locked}"
	for step in crowd shown hidden; do
		ok "$name: $step: well" fact "$step=0"
	done
	before=$(value before)
	is "$name: the limit is not touched" \
		"$(value between) $(value during)" "$before $before"
	sed -n 's/^log=//p' "$facts" >"$work/logged.all"
	"$1" "$work/logged.all" >"$work/logged"
}
# counted FILE: two whole reports.
counted() {
	for n in 1 2; do
		part "$n" "$1" >"$work/part"
		whole_report <"$work/part" &&
			is_between "$(wc -l <"$work/part")" "$least" 100000 ||
			return
	done
}

boot_with text ''
is 'the limit is as another set it' "$(value after)" on
ok 'it was set before the end' fact ends=1
ok 'the log has every line' counted "$work/logged"
on_console >"$work/shown.all"
text "$work/shown.all" >"$work/shown"
ok 'and each is on the console, once' diff "$work/shown" "$work/logged"

# Lines of JSON are longer; none is too long for a record.
boot_with json printk.devkmsg=ratelimit
is "$name: the limit is that of a lock" "$(value after)" ratelimit
ok "$name: nobody else came between" fact ends=1
for n in 1 2; do
	part $n "$work/logged" >"$work/part"
	ok "$name: the log's report is whole, its sums agree" \
		/usr/bin/python3 -B "$top/tests/live/report.py" "$work/part" whole
	ok "$name: and has hundreds of lines" \
		is_between "$(wc -l <"$work/part")" $least_of_json 100000
done
on_console >"$work/shown.all"
json "$work/shown.all" >"$work/shown"
ok "$name: each is on the console" diff "$work/shown" "$work/logged"

boot_with text printk.devkmsg=off
is "$name: the limit is as it was" "$(value after)" off
ok "$name: nothing is in the log" is_empty "$work/logged.all"
grep -v '^\[[ 0-9.]*\] ' "$console" >"$work/shown.all"
text "$work/shown.all" >"$work/shown"
ok "$name: the console has every line" counted "$work/shown"
finish
