#!/bin/sh
# SPDX-License-Identifier: MIT
# SOAK_SECONDS of churn, live: processes with names of any bytes come and go,
# pages are taken and freed, reports are asked for, and the tables are too
# small. The tracer's memory does not grow, its books balance in every report,
# and the pages of a process that does not take part in the churn are still
# reported right. `make check-all` has 20 seconds of it, `make soak` an hour.
# In `make check`, memory.t shows that memory stays what it was, stress.t and
# rows.t that full tables keep their balance.
# shellcheck source=tests/live/tracer.sh
. "$(dirname -- "$0")/tracer.sh"

[ "${SOAK_SECONDS-}" ] || only_in_check_all
seconds=${SOAK_SECONDS:-20}
half=$(((seconds + 1) / 2))
# Ten reports in each half, a second apart at least.
pause=$((half / 10 > 1 ? half / 10 : 1))
HELD=3000

build churn

# Pages that the kernel gave another place.
migrations() {
	awk '$1 == "pgmigrate_success" { print $2 }' /proc/vmstat
}

# What must stay: memory by kind, and page faults.
memory_and_faults() {
	memory
	sed 's/.*)//' "/proc/$tracer/stat" |
		awk '{ print "faults " $8, "major " $10 }'
}

# ask NAME: one report, in a file of its own, looked at and thrown away.
ask() {
	look
	ok "$1: whole, every sum agrees" report whole
	ok "$1: none is negative or more than there is" \
		losses within "$out" "$(all_pages)"
}

# churn_for NAME: half the time; reports meanwhile.
churn_for() {
	memory_and_faults >"$work/before"
	"$work/churn" wild $half &
	wild=$!
	helper="$helper $wild"
	asked=0
	while [ $((asked * pause + pause)) -lt $half ]; do
		sleep $pause
		asked=$((asked + 1))
		ask "$1, meanwhile, $asked"
	done
	ok "$1: the churn goes through" wait $wild
	helper=${helper% *}
	ask "$1, afterwards"
	memory_and_faults >"$work/after"
	ok "$1: memory and page faults stay what they were" \
		diff "$work/before" "$work/after"
}

end() {
	: >"$out"
	ok "$1: ends well" stop TERM
	ok "$1: the last report is whole" report whole
}

# --- every table at its smallest

start --format=json --level=3 --tasks=16 --stacks=32 --modules=16 --pages=4K \
	--ring=2M
ask "smallest"
churn_for "smallest"
ok "smallest: counted what found no room" \
	report counted tasks_full stacks_full untracked_pages
end "smallest"

# --- tasks that have rows, for as long as they run

running=$(find /proc -maxdepth 1 -name '[0-9]*' 2>/dev/null | wc -l)
start --format=json --level=3 --tasks=$((running + 60)) --mem=128M --ring=32M
hold $HELD
# held: the holder's pages, those of the churn, all.
held() {
	losses held "$out" "$holder" >"$work/held"
	read -r held wild <"$work/held"
	echo "# $held pages of the holder, $wild of the churn," \
		"$(report print head now_pages) of all," \
		"$(report print head lost) lost," \
		"$(report print counters tasks_recycled) rows used again"
}
ask "a holder"
held
ok "a holder: has what it took" test "$held" -ge $HELD
cp "$out" "$work/held-before"
moved=$(migrations)
churn_for "a holder"
held
ok "a holder: has what it had" losses kept "$work/held-before" "$out" \
	"$holder" $(($(migrations) - moved))
# Slab pages that others have objects in by now are theirs still.
ok "a holder: the churn has nearly nothing" test "$wild" -le 1000
# Free memory is read a moment after the events are: where others are busy, it
# is of another moment.
no_drift() {
	look
	losses drift "$out"
}
moved_pages() {
	echo $(($(report print head allocs) + $(report print head frees)))
}
moved_before=$(moved_pages)
tries=0
while ! no_drift >"$work/drift" && [ $tries -lt 10 ]; do
	tries=$((tries + 1))
	sleep 0.3
done
others=$((($(moved_pages) - moved_before) / (tries + 1)))
drift="a holder: what is held is what is missing of free memory"
if [ "$(report print head lost)" != 0 ]; then
	skip "$drift" "events were lost"
elif [ -s "$work/drift" ] && [ $others -gt 2000 ]; then
	skip "$drift" "others took and gave $others pages meanwhile"
else
	ok "$drift" is_empty "$work/drift"
fi
ok "a holder: rows of tasks were used again" report counted tasks_recycled
end "a holder"
finish
