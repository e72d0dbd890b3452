#!/bin/sh
# SPDX-License-Identifier: MIT
# Rings of one page, and too many events on every CPU: the number of lost
# records is exact, compared with the kernel's own count of events. The books
# balance, and no figure is negative or above the machine's memory. When the
# pages whose free was lost have been taken again, the figures are those of the
# pages really held.
set -u
# shellcheck source-path=SCRIPTDIR source=tracer.sh
. "$(dirname -- "$0")/tracer.sh"

HELD=3000
WILD_SECONDS=3
SWEPT=16000
SWEEPS=3

# Kernels before 6.0 do not count them.
case $(uname -r) in
[0-5].*) skip_all "Linux $(uname -r) does not tell how many were lost" ;;
esac

build churn
page=$(getconf PAGESIZE)
rings=$(($(getconf _NPROCESSORS_ONLN) * page))
memory=$(awk '/^MemTotal:/ { print $2 }' /proc/meminfo)
losses() {
	python3 -B "$here/losses.py" "$@"
}
number() {
	report print head "$1"
}
born() {
	awk '/^processes/ { print $2 }' /proc/stat
}
# Times that a task had to reclaim memory: events too, for the tracer's own use,
# which a recording does not have.
reclaims() {
	awk '/^allocstall/ { sum += $2 } END { print sum }' /proc/vmstat
}

# one_page_rings COMMAND...: a tracer.
one_page_rings() {
	starts=$((starts + 1))
	out=$work/report.$starts
	"$memstrack" "$@" --out="$out" --format=json --level=3 --mem=128M \
		--tasks=20K --ring=$rings 2>"$work/stderr" &
	tracer=$!
	until_true answers
}

# report_frozen NAME: a report while no event happens, and what is known.
report_frozen() {
	losses freeze "$tracer" >"$work/counts"
	read -r counted unheard <"$work/counts"
	"$memstrack" report
	check "$1: whole, every sum agrees" report whole
	is "$1: lost, by the kernel's count" "$(number lost)" "$unheard"
	check "$1: none is negative or more than there is" \
		losses within "$out" $((memory * 1024 / page))
}

# --- every event is in the books or among the lost

one_page_rings record "$work/trace"
born_before=$(born)
reclaims_before=$(reclaims)
"$work/churn" wild $WILD_SECONDS &
helper=$!
# Reports amid it: what a ring has yet to tell of is counted for them, once.
for _ in 1 2 3 4 5 6; do
	sleep 0.2
	"$memstrack" report
done
wait $helper
ok $? "the churn went through"
helper=
report_frozen "recorded"
born_meanwhile=$(($(born) - born_before))
reclaimed=$(($(reclaims) - reclaims_before))
[ "$unheard" -gt 10000 ]
ok $? "many were lost: $unheard"
stop TERM
is "its exit status" $? 0
heard=$(losses samples "$work/trace")
# Of a task's start, name and end there are records too, which are no samples:
# their loss is in the one count and not in the other.
tasks=$((heard - (counted - unheard)))
echo "# $counted events, $heard heard, $unheard records lost, of which" \
	"$tasks of $born_meanwhile tasks; $reclaimed times reclaimed"
[ $tasks -ge 0 ] && [ $tasks -le $((5 * born_meanwhile + 50)) ]
ok $? "heard and lost are all that the kernel counted"
"$memstrack" replay "$work/trace" --level=1 >"$work/text"
lost=$(report print head lost)
check "the head says how many" grep -q "^traced .*, $lost lost\$" "$work/text"
check "and what follows of it" grep -q "^warning $lost records lost: some \
pages are missing, some still count; raise rd.memstrack.ring\$" "$work/text"
check "no advice is given then" grep -q '^advice  none: records were lost$' "$work/text"

# --- and heals

# show: what the holder and the wild have.
show() {
	losses held "$out" "$holder" >"$work/held"
	read -r held wrong <"$work/held"
	echo "# $held pages of the holder, $wrong of the churn," \
		"$(number lost) lost," \
		"$(report print counters missed_frees) frees missed"
}

# All, but what it seemed to have since an end was lost then already.
holds_on() {
	echo "$held of $before"
	[ "$held" -le "$before" ] && [ "$held" -ge $((before - HELD / 50)) ]
}

one_page_rings trace
hold $HELD
report_frozen "a holder"
show
before=$held
losses thaw "$tracer"

"$work/churn" wild $WILD_SECONDS
report_frozen "much lost"
show
most=$wrong
check "the holder has what it had" holds_on
losses thaw "$tracer"

for _ in $(seq $SWEEPS); do
	"$work/churn" sweep $SWEPT
	"$memstrack" report
	show
done
report_frozen "taken again"
show
# How far depends on what else goes on: tests/boot/loss.t has a quiet machine.
[ "$wrong" -le "$most" ]
ok $? "the churn has less, or no more"
[ "$(report print counters missed_frees)" -gt 0 ]
ok $? "pages taken again were settled"
check "the holder still has what it had" holds_on
stop TERM
is "the tracer ends well" $? 0
echo "1..$count"
