#!/bin/sh
# SPDX-License-Identifier: MIT
# A report of thousands of lines goes through the kernel log without a gap,
# however /dev/kmsg is limited. It does not change that limit, which another
# program may set meanwhile. Each line is compared with the console, to which
# under `quiet` we write the same report ourselves. If /dev/kmsg is locked off,
# only the console has the report.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"

"$top/tests/need" musl-tools >&2 || skip_all 'musl-gcc is missing'
mkdir -p "$guest/bin"
musl-gcc -std=gnu11 -D_GNU_SOURCE= -Os -static -o "$guest/bin/crowd" \
	"$here/crowd.c" || exit 1

to_guest /init <<'INIT'
mounts
facts
mkdir /scratch
mount -t tmpfs tmpfs /scratch
crowd 200 /scratch/file
say "crowd=$?"
limit=/proc/sys/kernel/printk_devkmsg
say "before=$(cat $limit)"
memstrack report &
# In the middle of it, as systemd does when the real root starts.
for i in 1 2 3 4 5 6 7 8 9 10; do
	usleep 100000
	! dmesg | grep -q 'memstrack: .*"\?module\|memstrack: module' || break
done
say "during=$(cat $limit)"
echo on 2>/dev/null >$limit
dmesg | grep -q 'memstrack: .*end of report\|memstrack: {"type":"end"'
say "whole=$?"
wait $!
say "report=$?"
say "after=$(cat $limit)"
dmesg | sed -n 's/^[^]]*] memstrack: /log=/p' >&3
off
INIT

# The report among the lines of a file, from its first line to its last; the
# one at power-off is another.
text() { report_of request <"$1"; }
json() { sed -n '/^{"type":"head".*"request"/,/^{"type":"end"/p' "$1"; }
logged() { sed -n 's/^log=//p' "$facts"; }

# Its last line says how many came before it.
counted() {
	records=$(sed -n '$s/.*end of report, \([0-9]*\) lines$/\1/p' "$1")
	echo "$records lines, $(wc -l <"$1") with the last"
	[ "${records:-0}" -ge 3000 ] && [ "$(wc -l <"$1")" = $((records + 1)) ]
}
untouched() {
	grep -e before= -e during= -e after= "$facts"
	[ -n "$(value before)" ] && [ "$(value during)" = "$(value before)" ] &&
		[ "$(value after)" = "${1:-$(value before)}" ]
}

# hidden FORMAT PARAMETER: what the console and the log have.
hidden() {
	boot "loglevel=1 log_buf_len=16M rd.memstrack=3 rd.memstrack.mem=8M
		rd.memstrack.lines=100000 rd.memstrack.format=$1 $2"
	name="$1, ${2:-not locked}"
	ok "$name: there is much to report on" fact 'crowd=0'
	ok "$name: the report is well" fact 'report=0'
	ok "$name: the limit was looked at before its end" fact 'whole=1'
	case $2 in
	'') ok "$name: the limit is as another set it" untouched on ;;
	*) ok "$name: the limit is as it was" untouched ;;
	esac
	"$1" "$console" >"$work/shown"
	logged >"$work/logged.all"
	"$1" "$work/logged.all" >"$work/logged"
}

for mode in '' printk.devkmsg=on printk.devkmsg=ratelimit; do
	hidden text "$mode"
	ok "$name: the log has every line" counted "$work/logged"
	ok "$name: and each is the console's" cmp "$work/shown" "$work/logged"
done
ok "$name: the limit was that of a lock" test "$(value after)" = ratelimit

hidden text printk.devkmsg=off
ok "$name: nothing is in the log" test ! -s "$work/logged.all"
ok "$name: the console has every line" counted "$work/shown"

# Lines of JSON are longer; none is too long for a record.
hidden json printk.devkmsg=ratelimit
ok "$name: the log's report is whole, its sums agree" \
	python3 -B "$top/tests/live/report.py" "$work/logged" whole
ok "$name: and has more than a thousand lines" \
	test "$(wc -l <"$work/logged")" -gt 1000
ok "$name: each is the console's" cmp "$work/shown" "$work/logged"

# Where the console shows the kernel's messages, the kernel writes it there.
boot "loglevel=7 log_buf_len=16M rd.memstrack=3 rd.memstrack.mem=8M
	rd.memstrack.lines=100000 printk.devkmsg=ratelimit"
logged >"$work/logged.all"
text "$work/logged.all" >"$work/logged"
sed -n 's/^\[[ 0-9.]*\] memstrack: //p' "$console" >"$work/shown.all"
text "$work/shown.all" >"$work/shown"
ok "loud: the log has every line" counted "$work/logged"
ok "loud: and so has the console" cmp "$work/shown" "$work/logged"
finish
