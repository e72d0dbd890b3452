#!/bin/sh
# SPDX-License-Identifier: MIT
# The main promise: a program that touches N pages and frees M is charged N - M
# now and N at its peak, to the page. So is one that writes K pages to a tmpfs
# and punches holes there; one that copies pages of its parent, which stays
# charged for those that outlive it; one that has huge pages, whole or split; and
# one that fills pipes. tests/boot/pages.c says how it avoids all other
# allocations. MATRIX=all: with one CPU, too.
. "$(dirname "$0")/lib.sh"

guest_program "$here/pages.c"
anon=4096 freed=1398 file=1024
echo "$anon $freed $file" >"$guest/numbers"
guest_runs <<'INIT'
cd /sys/kernel/mm/transparent_hugepage
echo 36000000 >khugepaged/scan_sleep_millisecs
echo madvise >enabled	# never, below 512 MiB
cd /
mkdir /scratch
mount -t tmpfs tmpfs /scratch
printf .0 >/box
pages $(cat /numbers) /scratch/file /box &
for step in 0 1 2 3 4 5 6 7 8 9 a b c d e; do
	printf '%s' "$step" | dd of=/box bs=1 seek=1 conv=notrunc 2>/dev/null
	until [ "$(head -c 1 /box)" = "$step" ]; do
		usleep 10000
	done
	# The page tables of a process that has ended are freed later.
	[ "$step" != 7 ] || sleep 1
	rm -f /report.json
	memstrack report
	awk -v step="$step" '/^."type":"head"/ { print "head" step "=" $0 }
		/^."type":"task".*"comm":"holder"/ { print "holder" step "=" $0 }
		/^."type":"task".*"comm":"copier"/ { print "copier" step "=" $0 }
		' /report.json >&3
	# By call chains, without tables and slab: whether a new page is needed for
	# these is not ours to say.
	awk -v step="$step" '
		BEGIN { split("do_huge_pmd pipe_write pipe_resize", way, " ") }
		/^."type":"stack","owner":"task:/ && !/pte_alloc|slab/ {
			pages = $0
			sub(/.*"now_pages":/, "", pages)
			for (i in way)
				if ($0 ~ way[i])
					held[i] += pages
		}
		END { print "by" step "=" held[1] + 0, held[2] + 0, held[3] + 0 }
		' /report.json >&3
done
INIT

# Of a program's row in the report of step $2.
now() { value "$1$2" | number now_pages; }
peak() { value "holder$1" | number peak_pages; }
rows() { grep -c "^$1=" "$facts"; }
# At step $2 the `now` of this program changed by $3 pages.
changed() {
	before=$(now "$1" "$(echo "$2" | tr 1-9a-e 0-9a-d)")
	echo "now $before, then $(now "$1" "$2"): by $3?"
	[ "$before" ] && [ $(($(now "$1" "$2") - before)) = "$3" ]
}

blocks=$((anon / 512))
nodes=$((file / 64))
for cpus in ${MATRIX:+1} 4; do
	boot "quiet $json_report $roomy" -m 160 -c "$cpus"
	name="$cpus CPUs"
	ok "$name: each program has one row" same \
		"$(rows holder4) $(rows copiere)" '1 1'
	ok "$name: nothing lost" same "$(value heade | number lost)" 0
	ok "$name: $anon pages touched, exactly" \
		changed holder 1 $((anon - blocks))
	ok "$name: which is its peak" same "$(peak 1)" "$(now holder 1)"
	ok "$name: $freed pages freed, exactly" changed holder 2 -$freed
	ok "$name: the peak stays" same "$(peak 2)" "$(peak 1)"
	ok "$name: $file pages of a tmpfs file" changed holder 3 $((file - nodes))
	ok "$name: all but $nodes of them freed" \
		changed holder 4 -$((file - nodes))
	ok "$name: the peak is that of step 1" same "$(peak 4)" "$(peak 1)"
	ok "$name: 512 copies of the parent's pages are the child's" \
		changed copier 6 512
	ok "$name: and the parent has what it had" changed holder 6 0
	# Besides, the child's tables, which were made by the fork.
	shared=$((anon - freed - 512 + nodes))
	ok "$name: the parent has ended, its pages that the child has are its own" \
		is_between "$(now holder 7)" $shared $((shared + 64))
	ok "$name: 512 of these are written to, and are no other's" eval \
		'changed copier 8 0 && changed holder 8 0'
	ok "$name: 438 of each 512 are freed" eval \
		'changed copier 9 -438 && changed holder 9 -438'
	ok "$name: 3 huge pages" fact 'bya=1536 0 0'
	ok "$name: one is split" fact 'byb=1536 0 0'
	ok "$name: 96 pages of it are freed, another one whole" \
		fact "byc=$((1536 - 96 - 512)) 0 0"
	ok "$name: 96 pages in pipes" fact 'byd=928 96 0'
	ok "$name: 8 arrays of order 2" fact 'bye=928 96 32'
done
finish
