#!/bin/sh
# SPDX-License-Identifier: MIT
# Too many events on every CPU, for a tracer that is stopped in the end: the
# number of lost records is exact, compared with the kernel's own count of
# events, also of those that no ring has reported (a ring reports them in front
# of the next record that fits, and there is none). The books balance, and no
# figure is negative or above the machine's memory. Of the pages whose free was
# lost those are given back that the kernel has free, and the rest when they are
# taken again.
# shellcheck source=tests/live/tracer.sh
. "$(dirname -- "$0")/tracer.sh"

# Kernels before 6.0 do not count them.
case $(uname -r) in
[0-5].*) skip_all "Linux $(uname -r) does not tell how many were lost" ;;
esac

build churn
cpus=$(getconf _NPROCESSORS_ONLN)
number() {
	report print head "$1"
}
born() {
	awk '/^processes/ { print $2 }' /proc/stat
}

# traces LEVEL BYTES APPLET...: a tracer, its rings of so many bytes for each
# CPU.
traces() {
	new_out
	level=$1 ring=$2
	shift 2
	begin "$@" --out="$out" --format=json --level="$level" --mem=128M \
		--tasks=20K --top=10000 --throttle=100 \
		--ring=$((cpus * ring))
}
# burst ROUNDS: what the stopped tracer's rings have no room for; the tracer goes
# on when nothing happens any more, and reports.
burst() {
	"$work/churn" burst "$1" || bail "churn fails"
	losses freeze "$tracer" >"$work/counts"
	read -r counted unheard <"$work/counts"
	kill -CONT "$tracer"
	"$memstrack" report
}
# all_counted NAME: the last report, of that burst.
all_counted() {
	ok "$1: whole, every sum agrees" report whole
	ok "$1: many were lost" test "$unheard" -gt 10000
	is "$1: lost, by the kernel's count" "$(number lost)" "$unheard"
	ok "$1: none is negative or more than there is" \
		losses within "$out" "$(all_pages)"
}

# --- every event is in the books or among the lost

traces 2 "$(getconf PAGESIZE)" record "$work/trace"
born_before=$(born)
# Reports amid it: what a ring has yet to tell of is counted for them, once.
"$work/churn" burst 10 &
helper=$!
for _ in 1 2 3 4; do
	"$memstrack" report
done
ok "the churn goes through" wait $helper
helper=
kill -STOP "$tracer"
burst 10
all_counted "recorded"
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
ok "the head says how many" grep "^traced .*, $lost lost\$" "$work/text"
ok "and what follows of it" grep "^warning $lost records lost: some \
pages are missing, some still count; raise rd.memstrack.ring\$" "$work/text"
ok "no advice is given then" \
	has "$work/text" 'advice  none: records were lost'

# --- and heals

HELD=3000
GRABBED=32000
# pages PID: what the process has in the last report.
pages() {
	losses held "$out" "$1" | cut -d' ' -f1
}

# Rings with room for all that is taken, until the tracer stops. All others run
# on one CPU: what it has in its list of free pages, the next process takes.
traces 1 4194304 trace
taskset -cp "$(a_cpu)" $$ >/dev/null || bail "no taskset"
hold $HELD
keeper=$holder
exec 8>&9		# its input stays open
look
before=$(pages "$keeper")
hold $GRABBED grab
look
ok "a process has taken $GRABBED pages" \
	is_between "$(pages "$holder")" $GRABBED $((GRABBED + 500))
kill -STOP "$tracer"
"$work/churn" burst 40 || bail "churn fails"
let_go
burst 10
all_counted "the end of $GRABBED pages"
losses thaw "$tracer"

# All that the kernel has free, but for what is on its per-CPU lists: nobody can
# see that this is free. Each report looks at some pages, so 100 reports have
# looked at all.
on_lists() {
	awk '$1 == "count:" { sum += $2 } END { print sum }' /proc/zoneinfo
}
is_given_back() {
	most=$(on_lists)
	for reports in $(seq 100); do
		look
		now=$(on_lists)
		most=$((now > most ? now : most))
		left=$(pages "$holder")
		echo "$reports: $left pages of $GRABBED, at most $most on lists"
		[ "$left" -gt $((most + GRABBED / 10)) ] || return 0
	done
	return 1
}
ok "pages that the kernel has free are given back" is_given_back
# What is on these lists is taken first. (Others may have taken pages while the
# events were lost: these stay charged until they are freed.)
left=$(pages "$holder")
ended=$holder
hold $GRABBED grab
look
missed=$(report print counters missed_frees)
echo "# of $left pages $(pages "$ended") are left, $missed frees were missed"
ok "pages that are taken again belong to who takes them" \
	is_between "$(pages "$holder")" $GRABBED $((GRABBED + 500))
ok "and no longer to who has ended" \
	test "$(pages "$ended")" -lt "$left" -a "$missed" -gt 0
is "who kept its pages has what it had" "$(pages "$keeper")" "$before"
ok "the tracer ends well" stop TERM
finish
