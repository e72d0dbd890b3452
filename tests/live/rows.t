#!/bin/sh
# SPDX-License-Identifier: MIT
# Tables that are too small: whatever found no room is counted, and every sum
# stays true, because pages that are missing in one row are in another one.
# shellcheck source=tests/live/tracer.sh
. "$(dirname -- "$0")/tracer.sh"

build churn

# tight NAME COUNTERS OPTION...: these of the counters must not be 0.
tight() {
	tight=$1 counters=$2
	shift 2
	start --level=3 --format=json --ring=16M --mem=64M "$@"
	memory >"$work/before"
	ok "$tight: the storm goes through" "$work/churn" storm 3
	kill -USR2 "$tracer"
	until_true reports_are 2
	memory >"$work/after"
	ok "$tight: ends well" stop TERM
	ok "$tight: all is whole, all sums agree" \
		report reasons request SIGUSR2 SIGTERM
	# shellcheck disable=SC2086 # words
	ok "$tight: counted: $counters" report counted $counters
	ok "$tight: nothing lost" report is counters lost=0
	ok "$tight: events in time order" report ordered
	ok "$tight: memory stays what it was" \
		diff "$work/before" "$work/after"
}

# Rows of tasks that run all the time cannot be used again.
running=$(find /proc -maxdepth 1 -name '[0-9]*' | wc -l)
tight "few tasks" "tasks_full" --tasks=16
tight "some tasks" "tasks_recycled tasks_recycled_peak" \
	--tasks=$((running + 50))
# Of owners with a stack there are as few as there can be.
tight "few owners" "owners_full owners_recycled" --stacks=9000 --tasks=2000 \
	--pages=16M --mem=512K
tight "all at once" "tasks_full stacks_full untracked_pages" --tasks=20 \
	--stacks=40 --modules=16 --pages=16K
finish
