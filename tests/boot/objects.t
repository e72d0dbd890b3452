#!/bin/sh
# SPDX-License-Identifier: MIT
# Objects of slab that a module allocates and frees, in every way: each figure
# as the module was told, by site, by module and by its own cache; what has no
# event is settled; and the kernel's own count of the cache agrees. At last
# memory runs out: then a report has objects of slab in two lines.
. "$(dirname "$0")/planted.sh"

KEEP=700 TEMP=300 CROSS=200 RCU=400 BULK=320 SINGLE=120 AGAIN=400
REALLOC=90 FAMILY=40
kmalloc=128	# what 100 bytes take
grown=1024	# what 1000 bytes take

planted_runs <<INIT
objects() {
	rm -f /report.json
	memstrack report
	say "report-\$1=\$?"
	grep -F -e '"type":"head"' -e planted4 -e objects_ /report.json |
		sed "s/^/\$1=/" >&3
	# Else objects that are free in the slabs of a CPU count as in use.
	echo 1 >/sys/kernel/slab/planted4/shrink
	grep '^planted4 ' /proc/slabinfo | sed "s/^/slabinfo-\$1=/" >&3
}
load finit /lib/planted4.ko "keep=$KEEP temp=$TEMP cross=$CROSS rcu=$RCU \
bulk=$BULK single=$SINGLE again=$AGAIN realloc=$REALLOC family=$FAMILY leak=1"
objects held
rmmod planted4
objects gone
load finit /lib/eater.ko eat=1
sleep 1.5
INIT
cp "$modules/eater.ko" "$guest/lib/"
# No line of the kernel's within the report.
boot "quiet loglevel=1 rd.memstrack=3 rd.memstrack.out=auto,/report.json $roomy
	rd.memstrack.slab=2M rd.memstrack.slab_stacks" -m 160 -c 2

# Of all sites in a function of the module.
site() {
	grep "^held=.*\"type\":\"slab\",\"site\":\"$1+" "$facts" |
		number "$2" | sum
}
# site_is FUNCTION KEY EXPECTED...
site_is() {
	function=$1
	shift
	while [ $# != 0 ]; do
		judge "$function $1" "$2" "$(site "$function" "$1")"
		shift 2
	done
}
# of_type STEP TYPE KEY: of the line that has the module or its cache.
of_type() { grep "^$1=.*\"type\":\"$2\".*planted4" "$facts" | number "$3"; }
fault() {
	grep "^held=.*\"kind\":\"$1\",\"site\":\"$2+" "$facts" |
		number count | sum
}

whole held gone
site_is objects_keep allocs $KEEP frees 0 live_objects $KEEP \
	requested_bytes $((KEEP * 100)) allocated_bytes $((KEEP * kmalloc)) \
	live_bytes $((KEEP * kmalloc)) peak_bytes $((KEEP * kmalloc))
site_is objects_temp allocs $TEMP frees $TEMP live_objects 0 \
	peak_bytes $kmalloc cross_cpu_frees 0
site_is objects_cross allocs $CROSS frees $CROSS cross_cpu_frees $CROSS \
	peak_bytes $((CROSS * kmalloc))
site_is objects_realloc allocs $((2 * REALLOC)) frees $((2 * REALLOC)) \
	requested_bytes $((REALLOC * 1100)) live_objects 0 \
	allocated_bytes $((REALLOC * (kmalloc + grown)))
site_is objects_bulk allocs 0
site_is objects_again allocs $AGAIN live_objects $AGAIN \
	requested_bytes $((AGAIN * 200))
site_is objects_family allocs $FAMILY frees $FAMILY
judge 'freed by the other family' $FAMILY "$(fault wrong_family objects_family)"
judge 'nothing else was' 0 "$(fault wrong_family 'objects_[^f]')"
judge 'nothing was freed twice' 0 "$(fault double_free objects_)"

# Frees in bulk have no event. The same cache hands out the same addresses
# again, if more is asked for than it has other free objects.
settled=$(site objects_single settled)
site_is objects_single allocs $SINGLE frees 0 \
	live_objects $((SINGLE - settled))
ok "$settled of $SINGLE are settled" test "$settled" -ge $((SINGLE * 9 / 10))
judge 'each a pointer that was handed out while it seemed to live' \
	"$settled" "$(fault live_reuse objects_single)"
# kfree_rcu() frees in batches, or one by one.
ended=$(($(site objects_rcu frees) + $(site objects_rcu settled)))
site_is objects_rcu allocs $RCU live_objects $((RCU - ended))

# The module has all its sites, and what the kernel allocated while it loaded.
objects=$((KEEP + TEMP + CROSS + RCU + SINGLE + AGAIN + 2 * REALLOC + FAMILY))
module=$(of_type held slab_module allocs)
ok "the module: $module objects allocated, its own $objects among them" \
	test "$module" -ge $objects
live=$((AGAIN + $(site objects_single live_objects)))
judge 'its cache: objects' $live "$(of_type held slab_cache live_objects)"
judge 'as the kernel counts them' \
	"$(value slabinfo-held | awk '{ print $2 }')" $AGAIN
unloaded() {
	grep '^gone=.*"kind":"unload","module":"planted4"' "$facts" |
		number "$1"
}
# Of kfree_rcu()'s some may be freed just before, or between unload and report.
ok 'gone: it is named, with what still lives' is_between "$(unloaded count)" \
	"$(of_type gone slab_module live_objects)" \
	"$(of_type held slab_module live_objects)"
ok 'gone: what it kept is among it' test \
	"$(of_type gone slab_module live_objects)" -ge $KEEP
ok 'gone: and how many bytes' test "$(unloaded live_bytes)" -ge $((KEEP * kmalloc))
chained() {
	grep "^held=.*\"type\":\"slab_stack\",\"site\":\"$1+" "$facts" |
		grep "\"$1+[0-9a-fx]* \[planted4\]\",.*do_one_initcall+"
}
for site in objects_keep objects_temp; do
	ok "$site: from the site to the initcall" chained $site
done

report_of 'memory is low|OOM kill of .*' <"$console" >"$work/oom"
ok 'memory runs out: the objects of slab in a line' \
	grep '^slab    [0-9.]*[KM] in [0-9]* objects, peak' "$work/oom"
ok 'and the site that has most' \
	seen '^        most by [a-z_0-9]*+0x[0-9a-f]* .* objects'
ok 'the report is whole' whole_report <"$work/oom"
finish
