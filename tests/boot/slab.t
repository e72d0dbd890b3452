#!/bin/sh
# SPDX-License-Identifier: MIT
# Slab pages that a module's objects cause, for four sizes. Their number lies
# between two bounds: at most, all objects are in slabs of their own; at least,
# the module first got every free object that the cache had, which
# /proc/slabinfo tells exactly after a shrink. Two slabs of slack are allowed:
# other tasks free objects meanwhile, and the loader fills slabs that are
# charged to its own chains. Since Linux 6.18 whoever finds none free fills a
# sheaf: that many more for the kernel's count, by which the cache grew by as
# many slabs.
. "$(dirname "$0")/planted.sh"

planted_runs <<'INIT'
# Of cache $1: objects in use, in all, of a slab; pages of one. No command is
# run for it, which would take and free objects.
cache() {
	while read -r name used all _ objects pages _; do
		[ "$name" != "$1" ] || line="$used $all $objects $pages"
	done </proc/slabinfo
}
# take MODULE SIZE PARAMETERS
take() {
	echo 1 >/sys/kernel/slab/kmalloc-$2/shrink
	cache kmalloc-$2
	before=$line
	load finit /lib/planted$1.ko "$3" >&3
	cache kmalloc-$2
	say "before-$2=$before"
	say "after-$2=$line"
	sheaf=0
	[ ! -e /sys/kernel/slab/kmalloc-$2/sheaf_capacity ] ||
		read -r sheaf </sys/kernel/slab/kmalloc-$2/sheaf_capacity
	say "sheaf-$2=$sheaf"
	step size-$2
}
take 0 64 k64=5000
take 1 512 k512=900
take 2 2k k2048=400
take 3 4k k4096=250
INIT
boot "$parameters" -m 256 -c 1

# between MODULE SIZE OBJECTS
between() {
	printed=$(chains "size-$2" "$1" planted_kmalloc | number now_pages |
		sum)
	# shellcheck disable=SC2046 # words
	set -- "$2" "$3" $(value "before-$2") $(value "after-$2")
	ok "size $1: slabinfo was told before and after" test $# = 10
	[ $# = 10 ] || return
	objects=$5 pages=$6
	most=$((($2 + objects - 1) / objects))
	fewest=$((($2 - ($4 - $3) + objects - 1) / objects))
	ok "size $1: $2 objects, pages expected $(((fewest - 2) * pages)) to \
$((most * pages)), printed $printed" test $((printed % pages == 0 &&
		printed >= (fewest - 2) * pages && printed <= most * pages)) = 1
	grew=$((($8 - $4) / objects))
	apart=$((grew - printed / pages))
	sheaf=$((2 + $(value "sheaf-$1") / objects))
	ok "size $1: the cache grew by $grew slabs, printed \
$((printed / pages)), difference $apart" \
		test $((apart >= -2 && apart <= sheaf)) = 1
}

whole size-64 size-512 size-2k size-4k
between planted0 64 5000
between planted1 512 900
between planted2 2k 400
between planted3 4k 250
finish
