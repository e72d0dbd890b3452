#!/bin/sh
# SPDX-License-Identifier: MIT
# The savings that stand below the advice come true: the machine boots again with
# what a line says, and uses less memory at its peak by the figure of that line.
# Each is checked against the kernel's own figures too.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/boot/planted.sh
. "$here/planted.sh"

planted_guest <<'INIT'
mounts
facts
[ ! -s /parameters ] || load finit /lib/planted0.ko "$(cat /parameters)"
rm -f /report.json
memstrack report
grep -E '"type":"(head|advice|save|initramfs|module|baseline|verdict)"' /report.json >&3
sed -n 's/^Percpu: *\([0-9]*\) kB/percpu=\1/p' /proc/meminfo >&3
dmesg | sed -n 's/.*percpu: Embedded \([0-9]*\) pages.*/embedded=\1/p' >&3
dmesg | sed -n 's/.*software IO TLB: mapped .*(\([0-9]*\)MB)/swiotlb=\1/p' >&3
say booted=1
off
INIT

save() { of save "$2" "\"what\":\"$1\""; }
saves() { sed -n 's/.*"type":"save","what":"\([a-z_]*\)".*/\1/p' "$facts"; }
json='quiet rd.memstrack=1 rd.memstrack.format=json
	rd.memstrack.ring=1M rd.memstrack.mem=6M rd.memstrack.out=/report.json'

# need: of the moment that needs most. falls WHAT FIGURE LEAST MOST: by so many
# KiB from the boot before, in which `remember` was called.
need() {
	for kib in $(of advice unreclaimable_kib) $(of advice unpacking_kib) \
		$(of advice rootfs_kib); do
		echo "$kib"
	done | sort -n | tail -n 1
}
remember() { used=$(of advice unreclaimable_kib) unpacking=$(of advice unpacking_kib) \
	rootfs=$(of advice rootfs_kib) needed=$(need); }

# plant FILE BYTES. of_plants DIRECTORY: the KiB of its files, in whole pages.
plant() {
	mkdir -p "$guest$(dirname "$1")"
	head -c "$2" /dev/urandom >"$guest$1"
}
of_plants() {
	find "$guest$1" -type f -size +0 -printf '%s\n' |
		awk '{ kib += int(($1 + 4095) / 4096) * 4 } END { print kib }'
}
largest() {
	sed -n 's/.*"type":"initramfs","path":"\(.*\)","kib":\([0-9]*\)}/\1 \2/p' \
		"$facts" | tr '\n' ' '
}

# Five CPUs, the fewest of which there is a line: four of them and the initramfs
# are what can be saved. The module is there so that much is traced; it holds less
# than the unpacking needs.
plant /extra 4000001
plant /usr/lib/planted/a/b/one 1234567
plant /usr/lib/planted/a/two 4096
for i in $(seq 300); do plant "/usr/lib/planted/many/$i" 4097; done
plant /usr/share/planted/c/three 2700000
plant /usr/bin/planted 1800000
# In the image they are not whole pages.
plants=$(($(of_plants /extra) + $(of_plants /usr)))
both=$((plants + $(find "$guest/extra" "$guest/usr" -type f -printf '%s\n' |
	awk '{ bytes += $1 } END { print int(bytes / 1024) }')))
echo 'keep=1000' >"$guest/parameters"
boot "$json" -c 5 -m 192
ok 'the two that count, the larger first' \
	same "$(saves | tr '\n' ' ')" 'initramfs nr_cpus '
ok 'the directories that hold most of it, to the page' same "$(largest)" \
	"/extra $(of_plants /extra) /usr/lib/planted $(of_plants \
	/usr/lib/planted) /usr/share/planted $(of_plants /usr/share/planted) "
embedded=$(value embedded) of=$(save nr_cpus of_kib)
cpus=$(save nr_cpus kib) files=$(save initramfs kib)
ok 'initramfs: its files, and the image' is_between "$files" \
	"$both" $((both + 8192))
remember
boot "$json nr_cpus=1" -c 5 -m 192
ok 'nr_cpus=1: what is reserved is so much less' is_between \
	$((rootfs - $(of advice rootfs_kib))) $((embedded * 4 * 4 - 16)) \
	$((embedded * 4 * 4 + 16))
# What one CPU has, of meminfo; with five the kernel counts six.
each=$(value percpu)
ok 'of_kib was what five CPUs had' is_between "$of" \
	$((each * 5 - 40)) $((each * 5 + 40))
ok 'and four of them would be saved' same "$cpus" $((of * 4 / 5))
ok 'nr_cpus=1: at least so much less is used' is_between \
	$((used - $(of advice unreclaimable_kib))) "$cpus" $((cpus * 6))
ok 'nr_cpus=1: there is no such line' same "$(saves)" initramfs
# With one CPU, no pages are on lists that are not seen.
files=$(save initramfs kib)
remember
rm -r "${guest:?}/extra" "${guest:?}/usr"
boot "$json nr_cpus=1" -c 5 -m 192
ok 'a smaller initramfs: its part of it' is_between \
	$((unpacking - $(of advice unpacking_kib))) $((both - 512)) \
	"$files"
# Memory that may be plugged in beyond 4 GiB: the kernel reserves bounce buffers.
memory=256,slots=1,maxmem=8G
echo 'keep=6000' >"$guest/parameters"
boot "$json" -m $memory
ok 'swiotlb, a module and the initramfs' same "$(saves | sort | tr '\n' ' ')" \
	'initramfs module swiotlb '
swiotlb=$(save swiotlb kib) module=$(save module kib)
name=$(sed -n 's/.*"what":"module","module":"\([a-z0-9_]*\)".*/\1/p' "$facts")
ok 'swiotlb: as the kernel says it' same "$(save swiotlb of_kib)" \
	$(($(value swiotlb) * 1024))
ok 'swiotlb: all but 1 MiB' same "$swiotlb" $(($(value swiotlb) * 1024 - 1024))
ok 'the module holds what was planted, and its image' is_between \
	"$(save module of_kib)" 24000 24100
remember
boot "$json swiotlb=$(save swiotlb slots)" -m $memory
# The table of slots is smaller too.
ok 'swiotlb=512: so much less is used' is_between \
	$((used - $(of advice unreclaimable_kib))) $((swiotlb - 256)) \
	$((swiotlb + swiotlb / 50))
is 'swiotlb=512: there is no such line' \
	"$(value booted) $(save swiotlb kib)" '1 '
boot "$json module_blacklist=$name" -m $memory
ok 'module_blacklist=: the kernel does not load it' \
	seen "Module $name is blacklisted"
ok 'no such module: so much less is needed' is_between \
	$((needed - $(need))) $((module - 512)) $((module + 512))
finish
