#!/bin/sh
# SPDX-License-Identifier: MIT
# Tables that are too small, amid churn: processes with names of any bytes come
# and go, pages are taken and freed. Whatever found no room is counted, and every
# sum stays true, because pages that are missing in one row are in another one.
# The tracer's memory does not grow. SOAK_SECONDS of it, with reports meanwhile:
# `make check-all` has 20 seconds, `make soak` an hour. (What is charged to a
# process beside such churn, and what is held by all against free memory:
# tests/boot/loss.t.)
. "$(dirname "$0")/tracer.sh"

build churn
churned='burst 20' reports=0 seconds=${SOAK_SECONDS-}
[ "${MATRIX-}" != all ] || seconds=${seconds:-20}
if [ "$seconds" ]; then
	part=$(((seconds + 3) / 4))
	churned="wild $part"
	# Five reports, a second apart at least.
	pause=$((part / 6 > 1 ? part / 6 : 1)) reports=$((part > 5 ? 5 : part))
fi

# What must stay: memory by kind, and page faults.
memory_and_faults() {
	memory
	sed 's/.*)//' "/proc/$tracer/stat" |
		awk '{ print "faults " $8, "major " $10 }'
}

# ask NAME: a report, and a look at all that there are.
ask() {
	[ -z "$seconds" ] || : >"$out"	# those of an hour are many
	"$memstrack" report
	ok "$1: whole, all sums agree" report whole
	ok "$1: none is negative or more than there is" \
		report within "$(all_pages)"
}

# tight NAME COUNTERS OPTION...: these of the counters must not be 0.
tight() {
	tight=$1 counters=$2
	shift 2
	start --level=3 --format=json --ring=32M --mem=64M "$@"
	ask "$tight"
	memory_and_faults >"$work/before"
	# shellcheck disable=SC2086 # two words
	"$work/churn" $churned &
	helper=$!
	for n in $(seq "$reports"); do
		sleep "$pause"
		ask "$tight, meanwhile, $n"
	done
	ok "$tight: the churn goes through" wait $helper
	helper=
	ask "$tight, afterwards"
	# shellcheck disable=SC2086 # words
	ok "$tight: counted: $counters" report counted $counters
	memory_and_faults >"$work/after"
	ok "$tight: memory and page faults stay what they were" \
		diff "$work/before" "$work/after"
	[ "$seconds" ] || {
		ok "$tight: nothing lost" report is counters lost=0
		ok "$tight: events in time order" report ordered
	}
	ok "$tight: ends well" stop TERM
	ok "$tight: the last report is whole" report whole
}

# Rows of tasks that run all the time cannot be used again.
running=$(find /proc -maxdepth 1 -name '[0-9]*' 2>/dev/null | wc -l)
tight "few tasks" "tasks_full" --tasks=16
tight "some tasks" "tasks_recycled tasks_recycled_peak" \
	--tasks=$((running + 10))
# Of owners with a stack there are as few as there can be.
tight "few owners" "owners_full owners_recycled" --stacks=9000 --tasks=2000 \
	--pages=16M --mem=512K
tight "all at once" "tasks_full stacks_full untracked_pages" --tasks=20 \
	--stacks=32 --modules=16 --pages=4K
finish
