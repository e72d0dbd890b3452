#!/bin/sh
# SPDX-License-Identifier: MIT
# Rings of one page, and more events than they can hold. Lost records are
# counted and shown in the head of the report, and no figure is impossible.
# Later all memory is taken and given back, page by page. After that `now` is
# nearly what is really held: of the pages whose free was lost, almost none
# remain. The advice is given all the same, with its bound. MATRIX=all: with two
# CPUs, too.
. "$(dirname "$0")/lib.sh"

guest_program "$top/tests/live/churn.c"
guest_runs <<'INIT'
json() {
	sed -n "s/.*\"type\":\"$1\".*\"$2\":\([0-9]*\).*/\1/p" /report.json |
		tail -n 1
}
# Of the last report: the holder's pages, and those of all that ran wild; rows
# that were used again have left theirs to "(other)".
tell() {
	memstrack report
	awk -v pid=$holder '
		/"type":"head"/ { held = wrong = most = 0 }
		!/"type":"task"/ { next }
		{ now = $0; sub(/.*"now_pages":/, "", now); now += 0 }
		now > most { most = now }
		$0 ~ "\"pid\":" pid "," { held = now }
		/"comm":"\\u0001/ || /"comm":"\(other\)"/ { wrong += now }
		END { print "held.'$1'=" held; print "wrong.'$1'=" wrong
			print "most.'$1'=" most }' /report.json >&3
	for key in lost now_pages free_now_kib; do
		say "$key.$1=$(json head $key)"
	done
	say "missed.$1=$(json counters missed_free_pages)"
	grep '"type":"advice"' /report.json | sed "s/^/advice.$1=/" >&3
	rm /report.json
}
# The record of a page that compaction moves may be lost too, and whether there
# is time to compact is the host's mood. So nothing is compacted in advance,
# and the holder's pages, which are locked, stay where they are (what it says
# goes through a pipe, because a page of a file could be moved).
echo 0 >/proc/sys/vm/compaction_proactiveness
echo 0 >/proc/sys/vm/compact_unevictable_allowed
mkfifo /fifo /said
churn hold 600 </fifo >/said &
exec 9>/fifo
read -r holder _ </said
sleep 1
tell before
churn wild 4
sleep 1
tell after
# Nearly all that is free; slowly, so that every event is heard.
for round in 1 2 3; do
	free=$(awk '/^MemFree:/ { print $2 }' /proc/meminfo)
	churn sweep $((free / 4 * 9 / 10))
	sleep 1
done
tell healed
say "total=$(awk '/^MemTotal:/ { print $2 }' /proc/meminfo)"
INIT

# Each of the report at that time.
is_same() {
	[ "$(value "held.$1")" -ge 500 ] &&
		[ "$(value "held.$1")" = "$(value held.before)" ]
}
# No row and no sum is above what the machine has.
possible() {
	pages=$(($(value total) / 4))
	[ "$(value "most.$1")" -le "$pages" ] &&
		[ "$(value "now_pages.$1")" -le "$pages" ]
}
# What is held now and was not before is what is missing of free memory, to a
# MiB: what was lost and is still there, the kernel's lists.
true_to_free_memory() {
	more=$(($(value now_pages.healed) - $(value now_pages.before)))
	less=$((($(value free_now_kib.before) - \
		$(value free_now_kib.healed)) / 4))
	echo "$more pages more are held, $less less are free"
	[ $((more - less)) -le 256 ] && [ $((less - more)) -le 256 ]
}

for machine in '1 4K 128' ${MATRIX:+'2 8K 160'}; do
	# shellcheck disable=SC2086 # three words
	set -- $machine
	cpus="$1 CPUs"
	boot "rd.memstrack=1 rd.memstrack.top=10000 rd.memstrack.mem=8M $json
		rd.memstrack.ring=$2 rd.memstrack.tasks=4K" -m "$3" -c "$1"
	lost=$(value lost.after)
	ok "$cpus: little is lost of what goes slowly" \
		is_between "$(value lost.before)" 0 $((lost / 10))
	ok "$cpus: much is lost: $lost" test "$lost" -ge 1000
	# Of lost frees nothing more is needed, of lost allocations a page each.
	more=$(grep '^advice.after=' "$facts" | number more_kib)
	ok "$cpus: the advice is given, with its bound: ${more:-none}" \
		is_between "${more:-none}" 0 $((lost * 4 + 4096))
	# Free pages on the lists of a CPU are not seen to be free.
	ends=$(($(value wrong.after) + $(value missed.after)))
	ok "$cpus: the end of pages was lost: $ends" test "$ends" -ge 50
	ok "$cpus: most are found to be free: $(value missed.after)" \
		test "$(value wrong.after)" -le $((ends / 2))
	ok "$cpus: nearly none of them counts when they were taken again" \
		test "$(value wrong.healed)" -le $((ends / 20))
	ok "$cpus: and so many were seen to be missed" \
		test "$(value missed.healed)" -ge $((ends - ends / 20))
	ok "$cpus: what is held now is what is not free" true_to_free_memory
	for at in before after healed; do
		ok "$cpus, $at: the holder has what it took" is_same $at
		ok "$cpus, $at: nothing above what there is" possible $at
	done
done
finish
