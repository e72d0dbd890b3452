#!/bin/sh
# SPDX-License-Identifier: MIT
# SOAK_SECONDS of churn, live: processes with names of any bytes come and go,
# pages are taken and freed, reports are asked for, and the tables are too
# small. The tracer's memory does not grow, its books balance in every report,
# and the pages of a process that does not take part in the churn are still
# reported right.
set -u
# shellcheck source-path=SCRIPTDIR source=tracer.sh
. "$(dirname -- "$0")/tracer.sh"

seconds=${SOAK_SECONDS:-20}
half=$(((seconds + 1) / 2))
# Ten reports in each half, two seconds apart at least.
pause=$((half / 10 > 2 ? half / 10 : 2))
HELD=3000

build churn
total=$(($(awk '/^MemTotal:/ { print $2 }' /proc/meminfo) * 1024 /
	$(getconf PAGESIZE)))

losses() {
	python3 -B "$here/losses.py" "$@"
}

# Pages that the kernel gave another place.
migrations() {
	awk '$1 == "pgmigrate_success" { print $2 }' /proc/vmstat
}

# What must stay: memory by kind, and page faults.
memory() {
	grep -E '^Vm(Size|Lck|RSS|HWM|Stk|Data):' "/proc/$tracer/status"
	sed 's/.*)//' "/proc/$tracer/stat" |
		awk '{ print "faults " $8, "major " $10 }'
}

# ask NAME: one report, in a file of its own, looked at and thrown away.
ask() {
	: >"$out"
	"$memstrack" report
	check "$1: whole, every sum agrees" report whole
	check "$1: none is negative or more than there is" \
		losses within "$out" "$total"
}

# churn_for NAME: half the time; reports meanwhile.
churn_for() {
	memory >"$work/before"
	"$work/churn" wild $half &
	wild=$!
	helper="${holder-} $wild"
	asked=0
	while [ $((asked * pause + pause)) -lt $half ]; do
		sleep $pause
		asked=$((asked + 1))
		ask "$1, meanwhile, $asked"
	done
	wait $wild
	ok $? "$1: the churn went through"
	ask "$1, afterwards"
	memory >"$work/after"
	check "$1: memory and page faults stay what they were" \
		diff "$work/before" "$work/after"
}

end() {
	: >"$out"
	stop TERM
	is "$1: exit status" $? 0
	check "$1: the last report is whole" report whole
}

# --- every table at its smallest

start --format=json --level=3 --tasks=16 --stacks=32 --modules=16 --pages=4K \
	--ring=2M
ask "smallest"
churn_for "smallest"
check "smallest: counted what found no room" \
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
[ "$held" -ge $HELD ]
ok $? "a holder: has what it took"
cp "$out" "$work/held-before"
moved=$(migrations)
churn_for "a holder"
held
check "a holder: has what it had" losses kept "$work/held-before" "$out" \
	"$holder" $(($(migrations) - moved))
# Slab pages that others have objects in by now are theirs still.
[ "$wild" -le 1000 ]
ok $? "a holder: the churn has nearly nothing"
# Free memory is read a moment after the events are: where others are busy, it
# is of another moment.
no_drift() {
	: >"$out"
	"$memstrack" report
	losses drift "$out"
}
allocs_before=$(report print head allocs)
tries=0
while ! no_drift >"$work/drift" && [ $tries -lt 10 ]; do
	tries=$((tries + 1))
	sleep 0.3
done
others=$((($(report print head allocs) - allocs_before) / (tries + 1)))
if [ "$(report print head lost)" != 0 ]; then
	skip "a holder: free memory: events were lost"
elif [ -s "$work/drift" ] && [ $others -gt 2000 ]; then
	sed 's/^/# /' "$work/drift"
	skip "a holder: free memory: others took $others pages meanwhile"
else
	check "a holder: what is held is what is missing of free memory" \
		is_empty "$work/drift"
fi
check "a holder: rows of tasks were used again" report counted tasks_recycled
end "a holder"
echo "1..$count"
