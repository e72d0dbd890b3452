#!/bin/sh
# SPDX-License-Identifier: MIT
# Too many events on every CPU, for a tracer that is stopped in the end: the
# number of lost records is exact, compared with the kernel's own count of
# events, also of those that no ring has reported (a ring reports them in front
# of the next record that fits, and there is none). The books balance, and no
# figure is negative or above the machine's memory. (What becomes of pages whose
# free was lost: tests/boot/loss.t.)
. "$(dirname "$0")/tracer.sh"

# Kernels before 6.0 do not count them.
case $(uname -r) in
[0-5].*) skip_all "Linux $(uname -r) does not tell how many were lost" ;;
esac

build churn
number() {
	report print head "$1"
}
born() {
	awk '/^processes/ { print $2 }' /proc/stat
}

# No CPU is idle: Linux 6.18 counts what its idle task frees, and has been seen
# to write no record of it.
for cpu in $(busybox seq 0 $(($(getconf _NPROCESSORS_ONLN) - 1))); do
	nice -n 19 taskset -c "$cpu" sh -c \
		"while kill -0 $$ 2>/dev/null; do :; done" &
done

# A ring of one page for each CPU.
new_out
begin record "$work/trace" --out="$out" --format=json --level=2 --mem=128M \
	--tasks=20K --top=10000 --throttle=100 \
	--ring=$(($(getconf _NPROCESSORS_ONLN) * $(getconf PAGESIZE)))
born_before=$(born)
# Reports amid it: what a ring has yet to tell of is counted for them, once.
"$work/churn" burst 10 &
helper=$!
for _ in 1 2 3 4; do
	"$memstrack" report
done
ok "the churn goes through" wait $helper
helper=

# What the stopped tracer's rings have no room for; it goes on when nothing
# happens any more.
kill -STOP "$tracer"
"$work/churn" burst 10 || bail "churn fails"
losses freeze "$tracer" >"$work/counts"
read -r counted unheard <"$work/counts"
kill -CONT "$tracer"
"$memstrack" report
ok "whole, every sum agrees" report whole
ok "many were lost" test "$unheard" -gt 10000
is "lost, by the kernel's count" "$(number lost)" "$unheard"
ok "none is negative or more than there is" \
	report within "$(all_pages)"
born_meanwhile=$(($(born) - born_before))
ok "its end" stop TERM
ok "its end: whole, every sum agrees" report whole
heard=$(losses samples "$work/trace")
# Of a task's start, name and end there are records too, which are no samples:
# their loss is in the one count and not in the other.
tasks=$((heard - (counted - unheard)))
echo "# $counted events, $heard heard, $unheard records lost"
ok "heard and lost are all that the kernel counted, but for tasks" \
	is_between $tasks 0 $((5 * born_meanwhile + 50))
"$memstrack" replay "$work/trace" --level=1 >"$work/text"
lost=$(number lost)
ok "the head says how many" grep "INCOMPLETE, $lost lost\$" "$work/text"
finish
