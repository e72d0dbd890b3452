#!/bin/sh
# SPDX-License-Identifier: MIT
# Pages that no page event tells of, to the page: the image of a module while it
# is loaded, initialised, kept and unloaded; and the vmalloc areas of its own
# code. /proc/vmallocinfo is the kernel's own list of these areas.
#
# Since 5.14 vmalloc takes pages from __alloc_pages_bulk, up to 100 at a time. A
# single page that is left over comes from the traced allocator, and counts
# there (vm_area_alloc_pages() in mm/vmalloc.c of 6.1 and 6.12). The addresses
# of the pages are an area of their own if they need more than one page.
#
# MATRIX=all: with 4 CPUs.
. "$(dirname "$0")/planted.sh"

case $(cat "$kernel/release") in
5.10.*) bulk() { echo 0; } ;;
6.1.* | 6.12.*) bulk() { echo $(($1 - ($1 % 100 == 1))); } ;;
*) skip_all "how vmalloc of this kernel takes pages is not known here" ;;
esac
# The same with the area of the pages' addresses.
area() {
	if [ "$1" -gt 512 ]; then
		echo $(($(bulk "$1") + $(bulk $((($1 + 511) / 512)))))
	else
		bulk "$1"
	fi
}

planted_runs <<'INIT'
tell() { areas "$2" | sed "s/^/$1=/" >&3; }
load finit /lib/planted0.ko 'vm=64 vms=3 vmtemp=333 wait=20000' &
loader_pid=$!
# Into its sleep, the temporary area behind it.
until grep -q msleep "/proc/$loader_pid/stack"; do
	usleep 10000
done
tell loading "$loader"
step loading
wait
settle
tell loaded "$loader"
tell vm planted_vm+
step loaded
rmmod planted0
settle
step gone
load finit /lib/planted1.ko 'vm=1000 leak=1' \
	/lib/planted2.ko 'vm=101 vms=2 vmtemp=201' \
	/lib/planted3.ko 'vm=20 vms=5 vmtemp=700 fail=1' >&3
settle
tell vm-together planted_vm+
step together
rmmod planted1
settle
step leaked
# The tracer reads nothing until the module is gone: where its text lay, it never
# learns.
tracer=$(tracers)
kill -STOP "$tracer"
load finit /lib/planted0.ko 'vm=30 vms=4 vmtemp=150 fail=1'
kill -CONT "$tracer"
settle
step late
INIT

# figure STEP MODULE {NAME EXPECTED}...
figure() {
	in_step=$1 of_module=$2
	shift 2
	while [ $# != 0 ]; do
		if [ "$(bulk 64)" = 0 ]; then
			# All pages are among the traced ones.
			ok "$in_step: $of_module $1: no figure" eval \
				"row '$in_step' '$of_module' | grep '\"$1_pages\":null'"
		else
			printed=$(row "$in_step" "$of_module" |
				number "$1_pages" | tail -n 1)
			judge "$in_step: $of_module $1" "$2" "${printed:--1}"
		fi
		shift 2
	done
}
# What was taken singly is among the traced pages, but for the tables that map
# the area and what slab holds. singles STEP MODULE FUNCTION now|peak EXPECTED
singles() {
	judge "$1: $2 $3 $4, traced" "$5" "$(chains "$1" "$2" "$3" |
		grep -v 'p[0-9a-z]*_alloc\|slab' | number "$4_pages" | sum)"
}
# How many those are of an area.
traced() { echo $(($1 + ($1 > 512 ? ($1 + 511) / 512 : 0) - $(area "$1"))); }
told() { sed -n "s/^$1=\([0-9]*\)$/\1/p" "$facts"; }
# Of the areas that the kernel told of, the pages that no event tells of.
image() { for n in $(told "$1"); do bulk "$n"; done | sum; }

file=$((($(wc -c <"$modules/planted0.ko") + 4095) / 4096))
# With one CPU the guest's clock counts instructions, so the sleep is no time of
# ours, and longer than it takes to report. modules.t and pages.t have four.
for cpus in 1 ${MATRIX:+4}; do
	counts=
	[ "$cpus" != 1 ] || counts='-i 3'
	# shellcheck disable=SC2086 # words
	boot "$parameters" -m 256 -c "$cpus" $counts
	echo "# $cpus CPUs"
	vm=$((3 * $(area 64)))
	whole loading loaded gone
	ok "loading: the kernel has a core and init text" \
		test "$(told loading | wc -l)" -ge 2
	loading=$(image loading)
	figure loading planted0 image "$loading" vmalloc $vm \
		image_peak $((loading + $(bulk $file)))
	figure loaded planted0 image "$(image loaded)" \
		vmalloc $vm vmalloc_peak $((vm + $(area 333)))
	singles loaded planted0 planted_vm now \
		$((3 * $(traced 64)))
	ok "loaded: the kernel has $vm pages of the areas too" \
		test "$(image vm)" = $vm
	figure gone planted0 image 0 vmalloc 0
	whole together leaked
	figure together planted1 image_peak $((loading + $(bulk $file))) \
		vmalloc "$(area 1000)"
	figure together planted2 vmalloc $((2 * $(area 101))) \
		vmalloc_peak $((2 * $(area 101) + $(area 201)))
	singles together planted1 planted_vm now "$(traced 1000)"
	singles together planted2 planted_vm now $((2 * $(traced 101)))
	singles together planted2 planted_vm_temp peak "$(traced 201)"
	figure together planted3 image 0 vmalloc $((5 * $(area 20))) \
		vmalloc_peak $((5 * $(area 20) + $(area 700)))
	# Code of a load that failed has no name there.
	all=$(($(area 1000) + 2 * $(area 101)))
	ok "together: the kernel has $all pages of the areas too" \
		test "$(image vm-together)" = $all
	figure leaked planted1 image 0 vmalloc "$(area 1000)"
	whole late
	figure late planted0 image 0 vmalloc $((4 * $(area 30))) \
		vmalloc_peak $((4 * $(area 30) + $(area 150)))
done
finish
