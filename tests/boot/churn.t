#!/bin/sh
# SPDX-License-Identifier: MIT
# A thread on each CPU takes blocks of pages and frees those that others took,
# as fast as it can, for millions of events. In the end exactly the pages are
# charged that are held. tests/modules/churn.h says how the threads do it.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/boot/planted.sh
. "$here/planted.sh"

hold=123
for cpus in 2 4; do
	rounds=$((1000000 / cpus))
	planted_guest <<-INIT
	mounts
	facts
	load finit /lib/planted0.ko 'churn=$rounds hold=$hold keep=10' >&3
	step churned
	rmmod planted0
	step gone
	off
	INIT
	boot "$parameters" -m 256 -c "$cpus" -t 400
	echo "# $cpus CPUs, $rounds rounds on each"
	whole churned
	events=$((2 * rounds * cpus))
	ok "churned: at least $events events, $(head_of churned seen) seen" \
		test "$(head_of churned seen)" -ge $events
	exactly churned planted0 planted_churn now 0
	# Full boxes, and one block in each hand; 4 pages is the largest.
	peak=$(chains churned planted0 planted_churn | number peak_pages)
	ok "churned: planted_churn peak: expected up to \
$(((256 + cpus) * 4)), printed $peak" test "$peak" -le $(((256 + cpus) * 4))
	exactly churned planted0 planted_hold now $((hold * cpus))
	exactly churned planted0 - now $((hold * cpus + 10))
	whole gone
	exactly gone planted0 - now 0
done
finish
