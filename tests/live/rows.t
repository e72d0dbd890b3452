#!/bin/sh
# SPDX-License-Identifier: MIT
# Tables that are too small: whatever found no room is counted, and every sum
# stays true, because pages that are missing in one row are in another one.
set -u
# shellcheck source-path=SCRIPTDIR source=tracer.sh
. "$(dirname -- "$0")/tracer.sh"

build storm

memory() {
	grep -E '^Vm(Size|Lck|RSS|Stk|Data):' "/proc/$tracer/status"
}

# tight NAME COUNTERS OPTION...: these of the counters must not be 0.
tight() {
	tight=$1 counters=$2
	shift 2
	start --level=3 --format=json --ring=16M --mem=64M "$@"
	memory >"$work/before"
	"$work/storm" 3 60 4
	ok $? "$tight: the storm went through"
	"$memstrack" report
	"$work/storm" 3 60 4
	kill -USR2 "$tracer"
	until_true reports_are 3
	memory >"$work/after"
	stop TERM
	is "$tight: exit status" $? 0
	check "$tight: all is whole, all sums agree" \
		report reasons request request SIGUSR2 SIGTERM
	# shellcheck disable=SC2086 # words
	check "$tight: counted: $counters" report counted $counters
	check "$tight: nothing lost" report is counters lost 0
	check "$tight: events in time order" report ordered
	check "$tight: memory stays what it was" \
		diff "$work/before" "$work/after"
}

# Rows of tasks that run all the time cannot be used again.
running=$(find /proc -maxdepth 1 -name '[0-9]*' | wc -l)
tight "few tasks" "tasks_full" --tasks=16
tight "some tasks" "tasks_recycled tasks_recycled_peak" \
	--tasks=$((running + 50))
tight "few stacks" "stacks_full" --stacks=32 --modules=16
# Of owners with a stack there are as few as there can be.
tight "few owners" "owners_full owners_recycled" --stacks=9000 --tasks=2000 \
	--pages=16M --mem=512K
tight "few pages" "untracked_pages" --pages=4K
tight "all at once" "tasks_full stacks_full untracked_pages" --tasks=20 \
	--stacks=40 --modules=16 --pages=16K

# The same for people.
start --level=1 --tasks=16 --stacks=32 --modules=16 --pages=4K
"$work/storm" 1 60 4
stop TERM
for parameter in tasks stacks pages; do
	grep -q "^warning [1-9].*; raise rd.memstrack.$parameter\$" "$out"
	ok $? "text: --$parameter is named as the one to raise"
done
echo "1..$count"
