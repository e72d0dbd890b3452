#!/bin/sh
# SPDX-License-Identifier: MIT
# A disk becomes full in the middle of a report: the rest of the report goes to
# the kernel log, and no line is lost between the two.
set -u
# shellcheck source-path=SCRIPTDIR source=tracer.sh
. "$(dirname -- "$0")/tracer.sh"

# The kernel log of this test alone.
: >"$work/kmsg"
mount --bind "$work/kmsg" /dev/kmsg ||
	skip_all "no /dev/kmsg that another can be mounted on"
mkdir "$work/small"
mount -t tmpfs -o size=8k none "$work/small" || bail "no tmpfs"
out=$work/small/report

"$memstrack" trace --level=3 --out="$out" 2>"$work/stderr" &
tracer=$!
until_true catches_signals
stop TERM
is "its exit status" $? 1
reason="the report goes to the kernel log: cannot write $out: No space left"
check "standard error says why" grep -qF "$reason" "$work/stderr"
check "and so does the kernel log" grep -qF "$reason" "$work/kmsg"

# Its last line, a whole one or not, is the first that is in the log.
whole=$(wc -l <"$out")
sed -n 's/^<[0-9]*>memstrack: //p' "$work/kmsg" |
	grep -vF "$reason" >"$work/rest"
echo "# $whole lines in the file, $(wc -l <"$work/rest") in the log"
[ "$whole" -gt 50 ] && [ "$(wc -l <"$work/rest")" -gt 50 ]
ok $? "the file has what found room, the log the rest"
is "the last line counts the others" \
	"$(sed -n 's/.*: end of report, \([0-9]*\) lines.*/\1/p' "$work/rest")" \
	$((whole + $(wc -l <"$work/rest") - 1))
[ "$(wc -l <"$work/rest")" -le 2000 ]
ok $? "which are no more than a log has room for"
echo "1..$count"
