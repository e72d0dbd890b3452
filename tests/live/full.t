#!/bin/sh
# SPDX-License-Identifier: MIT
# A disk becomes full in the middle of a report: the rest of the report goes to
# the kernel log, and no line is lost between the two.
. "$(dirname "$0")/tracer.sh"

own_kernel_log
new_tmpfs small size=8k
out=$work/small/report

begin trace --level=3 --out="$out"
# A report that is surely longer, whatever else the machine did meanwhile.
for _ in $(seq 100); do
	env true
done
stop TERM
is "its exit status" $? 1
reason="the report goes to the kernel log: cannot write $out: No space left"
ok "standard error says why" holds "$work/stderr" "$reason"
ok "and so does the kernel log" holds "$work/kmsg" "$reason"

# Its last line, a whole one or not, is the first that is in the log.
whole=$(wc -l <"$out")
sed -n 's/^<[0-9]*>memstrack: //p' "$work/kmsg" |
	grep -vF "$reason" >"$work/rest"
rest=$(wc -l <"$work/rest")
ok "the file has what found room" is_between "$whole" 51 100000
ok "the log has the rest, no more than it has room for" \
	is_between "$rest" 51 2000
ok "the last line counts the others" same \
	"$(sed -n 's/.*: end of report, \([0-9]*\) lines.*/\1/p' "$work/rest")" \
	$((whole + rest - 1))
finish
