#!/bin/sh
# SPDX-License-Identifier: MIT
# SOAK_SECONDS of churn, live: processes with names of any bytes come and go,
# pages are taken and freed, reports are asked for, and the tables are too
# small. The tracer's memory does not grow, and its books balance in every
# report. `make check-all` has 20 seconds of it, `make soak` an hour. In
# `make check`, memory.t shows that memory stays what it was, stress.t that the
# books balance, replay/random.t that they do in full tables. (What is charged
# to a process beside such churn, and what is held by all against free memory:
# tests/boot/loss.t.)
# shellcheck source=tests/live/tracer.sh
. "$(dirname -- "$0")/tracer.sh"

[ "${SOAK_SECONDS-}" ] || only_in_check_all
seconds=${SOAK_SECONDS:-20}
half=$(((seconds + 1) / 2))
# Ten reports in each half, a second apart at least.
pause=$((half / 10 > 1 ? half / 10 : 1))

build churn

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
		report within "$(all_pages)"
}

# soaks NAME COUNTERS OPTION...: half the time; reports meanwhile. These of the
# counters must not be 0 in the end.
soaks() {
	name=$1 counters=$2
	shift 2
	start --format=json --level=3 "$@"
	ask "$name"
	memory_and_faults >"$work/before"
	"$work/churn" wild $half &
	helper=$!
	asked=0
	while [ $((asked * pause + pause)) -lt $half ]; do
		sleep $pause
		asked=$((asked + 1))
		ask "$name, meanwhile, $asked"
	done
	ok "$name: the churn goes through" wait $helper
	helper=
	ask "$name, afterwards"
	memory_and_faults >"$work/after"
	ok "$name: memory and page faults stay what they were" \
		diff "$work/before" "$work/after"
	# shellcheck disable=SC2086 # words
	ok "$name: counted what found no room" report counted $counters
	: >"$out"
	ok "$name: ends well" stop TERM
	ok "$name: the last report is whole" report whole
}

soaks "every table at its smallest" \
	"tasks_full stacks_full untracked_pages" \
	--tasks=16 --stacks=32 --modules=16 --pages=4K --ring=2M
# Rows of tasks that run all the time cannot be used again.
running=$(find /proc -maxdepth 1 -name '[0-9]*' 2>/dev/null | wc -l)
soaks "rows of tasks that are used again" tasks_recycled \
	--tasks=$((running + 60)) --mem=128M --ring=32M
finish
