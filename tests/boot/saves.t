#!/bin/sh
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
grep -E '"type":"(head|advice|save|module|baseline|verdict)"' /report.json >&3
sed -n 's/^Percpu: *\([0-9]*\) kB/percpu=\1/p' /proc/meminfo >&3
dmesg | sed -n 's/.*percpu: Embedded \([0-9]*\) pages.*/embedded=\1/p' >&3
dmesg | sed -n 's/.*software IO TLB: mapped .*(\([0-9]*\)MB)/swiotlb=\1/p' >&3
say booted=1
off
INIT

of() {
	grep "\"type\":\"$1\"" "$facts" |
		sed -n "s/.*\"$2\":\([0-9]*\)[,}].*/\1/p" | tail -n 1
}
save() {
	grep "\"type\":\"save\",\"what\":\"$1\"" "$facts" |
		sed -n "s/.*\"$2\":\([0-9]*\)[,}].*/\1/p"
}
saves() { sed -n 's/.*"type":"save","what":"\([a-z_]*\)".*/\1/p' "$facts"; }
is_between() { echo "$1 in $2 to $3?"; [ -n "$1" ] && [ "$1" -ge "$2" ] && [ "$1" -le "$3" ]; }
parameters='quiet rd.memstrack=1 rd.memstrack.format=json
	rd.memstrack.ring=1M rd.memstrack.mem=6M rd.memstrack.out=/report.json'
json=$parameters


# need: of the moment that needs most. falls WHAT FIGURE LEAST MOST: by so many
# KiB from the boot before, in which `remember` was called.
need() {
	for kib in $(of advice used_kib) $(of advice unpacking_kib) \
		$(of advice rootfs_kib); do
		echo "$kib"
	done | sort -n | tail -n 1
}
remember() { used=$(of advice used_kib) unpacking=$(of advice unpacking_kib) \
	rootfs=$(of advice rootfs_kib) needed=$(need); }

# Four CPUs: three of them and the initramfs are what can be saved.
head -c 8388608 /dev/urandom >"$guest/extra"
: >"$guest/parameters"
boot "$json" -c 4 -m 192
ok 'the two that count, the larger first' \
	same "$(saves | tr '\n' ' ')" 'initramfs nr_cpus '
percpu=$(value percpu) embedded=$(($(value embedded) * 4))
cpus=$(save nr_cpus kib) files=$(save initramfs kib)
ok 'nr_cpus: as the kernel says it' same "$(save nr_cpus of_kib)" \
	$((percpu + embedded * 4))
ok 'nr_cpus: three of four' same "$cpus" $(((percpu + embedded * 4) * 3 / 4))
ok 'initramfs: its files, and the image' is_between "$files" \
	$((2 * 8192)) $((2 * 8192 + 8192))
remember
boot "$json nr_cpus=1" -c 4 -m 192
ok 'nr_cpus=1: what is reserved is so much less' is_between \
	$((rootfs - $(of advice rootfs_kib))) $((embedded * 3 - 16)) \
	$((embedded * 3 + 16))
ok 'nr_cpus=1: and what was allocated: the figure of the line' is_between \
	$((embedded * 3 + percpu - $(value percpu))) $((cpus - 16)) \
	$((cpus + 16))
# The kernel takes more for other things, and pages on lists of each CPU are not
# all seen (advice.h).
ok 'nr_cpus=1: less is used, not more than the line says' is_between \
	$((used - $(of advice used_kib))) 1 $((cpus + 256))
ok 'nr_cpus=1: there is no such line' same "$(saves)" initramfs
rm "$guest/extra"
boot "$json" -c 4 -m 192
ok 'a smaller initramfs: its part of it' is_between \
	$((unpacking - $(of advice unpacking_kib))) $((2 * 8192 - 512)) "$files"

# Memory that may be plugged in beyond 4 GiB: the kernel reserves bounce buffers.
memory=256,slots=1,maxmem=8G
echo 'keep=6000' >"$guest/parameters"
boot "$json" -m $memory
ok 'swiotlb, a module and the initramfs' same "$(saves | sort | tr '\n' ' ')" \
	'initramfs module swiotlb '
swiotlb=$(save swiotlb kib) module=$(save module kib)
ok 'swiotlb: as the kernel says it' same "$(save swiotlb of_kib)" \
	$(($(value swiotlb) * 1024))
ok 'swiotlb: all but 1 MiB' same "$swiotlb" $(($(value swiotlb) * 1024 - 1024))
ok 'the module holds what was planted, and its image' is_between \
	"$(save module of_kib)" 24000 24100
remember
boot "$json swiotlb=$(save swiotlb slots)" -m $memory
# The table of slots is smaller too.
ok 'swiotlb=512: so much less is used' is_between \
	$((used - $(of advice used_kib))) $((swiotlb - 256)) \
	$((swiotlb + swiotlb / 50))
ok 'swiotlb=512: there is no such line' test "$(save swiotlb kib)" = ''
: >"$guest/parameters"
boot "$json" -m $memory
ok 'no such module: so much less is needed' is_between \
	$((needed - $(need))) $((module - 512)) $((module + 512))
finish
