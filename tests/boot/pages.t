#!/bin/sh
# SPDX-License-Identifier: MIT
# The main promise: a program that touches N pages and frees M is charged N - M
# now and N at its peak. A program that writes K pages to a tmpfs and punches
# holes there is charged just as exactly, to the page. tests/boot/actor.c says
# how it avoids all other allocations. MATRIX=all: with one CPU, too.
. "$(dirname "$0")/lib.sh"

guest_program "$here/actor.c"
anon=4096 freed=1398 file=1024
echo "$anon $freed $file" >"$guest/numbers"
guest_runs <<'INIT'
mkdir /scratch
mount -t tmpfs tmpfs /scratch
printf .0 >/box
actor pages $(cat /numbers) /scratch/file /box &
step=0
while [ "$step" -le 4 ]; do
	printf '%s' "$step" | dd of=/box bs=1 seek=1 conv=notrunc 2>/dev/null
	until [ "$(head -c 1 /box)" = "$step" ]; do
		usleep 10000
	done
	rm -f /report.json
	memstrack report
	awk -v step="$step" '/^."type":"head"/ { print "head" step "=" $0 }
		/^."type":"task".*"comm":"holder"/ { print "step" step "=" $0 }
		' /report.json >&3
	step=$((step + 1))
done
INIT

# Of the program's row in the report of step $1.
now() { value "step$1" | number now_pages; }
peak() { value "step$1" | number peak_pages; }
rows() { grep -c "^step$1=" "$facts"; }
# Step $1 changed `now` by $2 pages.
changed() {
	echo "now $(now $(($1 - 1))), then $(now "$1"): by $2?"
	[ -n "$(now "$1")" ] && [ $(($(now "$1") - $(now $(($1 - 1))))) = "$2" ]
}

blocks=$((anon / 512))
nodes=$((file / 64))
for cpus in ${MATRIX:+1} 4; do
	boot "quiet $json_report $roomy" -m 160 -c "$cpus"
	name="$cpus CPUs"
	ok "$name: the program has one row" same "$(rows 4)" 1
	ok "$name: nothing lost" same "$(value head4 | number lost)" 0
	ok "$name: $anon pages touched, exactly" changed 1 $((anon - blocks))
	ok "$name: which is its peak" same "$(peak 1)" "$(now 1)"
	ok "$name: $freed pages freed, exactly" changed 2 -$freed
	ok "$name: the peak stays" same "$(peak 2)" "$(peak 1)"
	ok "$name: $file pages of a tmpfs file" changed 3 $((file - nodes))
	ok "$name: all but $nodes of them freed" changed 4 -$((file - nodes))
	ok "$name: the peak is that of step 1" same "$(peak 4)" "$(peak 1)"
done
finish
