#!/bin/sh
# SPDX-License-Identifier: MIT
# The savings that stand below the advice come true: the machine boots again
# with what a line says. Then it has so much more free memory, by the kernel's
# own figure, and the report says that so much less is needed. Two savings at
# once; MATRIX=all: each other one, and what is no saving.
. "$(dirname "$0")/planted.sh"

# /more: what the guest does before it tells what is free.
guest_with_more() {
	new_guest
	planted_guest <<'INIT'
mounts
facts
[ ! -e /more ] || . /more
meminfo() { sed -n "s/^$1: *\([0-9]*\).*/$2=\1/p" /proc/meminfo >&3; }
meminfo MemFree free
meminfo CmaFree cma
meminfo Percpu percpu
meminfo HugePages_Free free_huge
rows 'advice|save|initramfs|module|baseline|verdict'
dmesg | sed -n 's/.*percpu: Embedded \([0-9]*\) pages.*/embedded=\1/p
	s/.*software IO TLB: mapped .*(\([0-9]*\)MB)/swiotlb=\1/p' >&3
say booted=1
off
INIT
	[ $# = 0 ] || printf '%s\n' "$1" >"$guest/more"
}
save() { of save "$2" "\"what\":\"$1\""; }
saves() { sed -n 's/.*"type":"save","what":"\([a-z_]*\)".*/\1/p' "$facts"; }
json='quiet rd.memstrack=1 rd.memstrack.format=json
	rd.memstrack.ring=1M rd.memstrack.mem=6M
	rd.memstrack.out=/report.json'

# needed: by the moment that needs most, with free memory that is no room.
needed() {
	{
		for kib in $(of advice unreclaimable_kib) \
			$(of advice unpacking_kib); do
			echo $((kib + $(of advice kept_kib)))
		done
		of advice rootfs_kib
	} | sort -n | tail -n 1
}
# gained WHAT KIB [OF_KIB]: against the boot before, in which `remember` was
# called, so much less is needed, and all of OF_KIB is free. A fiftieth and 1
# MiB more or less are true too: watermarks, and pages on lists that are not
# free.
remember() { free=$(value free) need=$(needed); }
about() { is_between "$1" $(($2 - $2 / 50 - 1024)) $(($2 + $2 / 50 + 1024)); }
gained() {
	less=$((need - $(needed))) more=$(($(value free) - free))
	echo "# $1: $2 KiB offered; needed $less less, free $more more"
	ok "$1: so much less is needed" about $less "$2"
	ok "$1: so much more is free" about $more "${3:-$2}"
}

# Memory that may be plugged in beyond 4 GiB: the kernel reserves bounce
# buffers.
memory=256,slots=1,maxmem=8G
guest_with_more 'load finit /lib/planted0.ko keep=6000'
boot "$json hugepages=16" -m $memory
ok 'swiotlb, huge pages and a module' same "$(saves | tr '\n' ' ')" \
	'swiotlb hugepages module '
swiotlb=$(save swiotlb saves_kib) huge=$(save hugepages saves_kib)
ok 'swiotlb: as the kernel says it' same "$(save swiotlb of_kib)" \
	$(($(value swiotlb) * 1024))
ok 'swiotlb: all but 1 MiB' same "$swiotlb" $(($(value swiotlb) * 1024 - 1024))
ok 'all huge pages are unused' same "$huge" $(($(value free_huge) * 2048))
ok 'the module holds what was planted, and its image' is_between \
	"$(save module of_kib)" 24000 24100
remember
boot "$json swiotlb=$(save swiotlb slots) hugepages=0" -m $memory
gained 'swiotlb=512, no huge pages' $((swiotlb + huge))
ok 'then these lines are gone, and the next ones come' \
	same "$(saves | tr '\n' ' ')" 'module nokmem initramfs '
module=$(save module saves_kib) of=$(save module of_kib)
table=$(save nokmem saves_kib)
name=$(sed -n 's/.*"what":"module","module":"\([a-z0-9_]*\)".*/\1/p' "$facts")
[ "${MATRIX-}" = all ] || finish

remember
boot "$json swiotlb=512 hugepages=0 cgroup.memory=nokmem module_blacklist=$name" \
	-m $memory
ok 'module_blacklist=: the kernel does not load it' \
	seen "Module $name is blacklisted"
gained 'nokmem, and no such module' $((module + table)) $((of + table))
is 'there are no such lines' "$(value booted) $(save nokmem \
	saves_kib)$(save module saves_kib)" '1 '

# What is not offered is no saving.
guest_with_more
boot "$json" -m 256
remember
boot "$json cgroup_disable=memory" -m 256
ok 'cgroup_disable=memory: no more is free' about $(($(value free) - free)) 0

# Empty files: each is an inode and a name.
guest_with_more
mkdir "$guest/many"
(cd "$guest/many" && seq -f f%g 20000 | xargs touch)
boot "$json" -m 256
inodes=$(of baseline size_kib 'inodes (initramfs)')
remember
rm -r "${guest:?}/many"
boot "$json" -m 256
inodes=$((inodes - $(of baseline size_kib 'inodes (initramfs)')))
echo "# 20000 files: $inodes KiB by the report, $(($(value free) - free)) in truth"
ok '20000 files: so much more is free' is_between $(($(value free) - free)) \
	$((inodes - 1024)) $((inodes + inodes / 10 + 1024))

# Workers of udev: 8 that touch 12 MiB each, or as many as there may be.
guest_with_more 'most=$(sed -n "s/.*udev.children-max=\([0-9]*\).*/\1/p" /proc/cmdline)
cp /bin/actor "/bin/(udev-worker)"
for i in $(seq ${most:-8}); do "/bin/(udev-worker)" hold 12 & done
sleep 1
killall "(udev-worker)"'
guest_program "$here/actor.c"
boot "$json" -m 256
offered=$(save udev saves_kib)
remember
boot "$json udev.children-max=1" -m 256
less=$((need - $(needed)))
echo "# udev.children-max=1: ${offered:-0} KiB offered; needed $less less"
ok 'udev: 7 of 8 that kept 4 MiB are a saving' is_between "${offered:-0}" \
	$((7 * 4096)) $((7 * 12288))
ok 'udev.children-max=1: so much less is needed' about $less "${offered:-0}"

# A module that holds what somebody wrote is a saving until it is opened.
guest_with_more 'load_modules rd_nr=1 rd_size=61440
dd if=/dev/urandom of=/dev/ram0 bs=1M count=40 oflag=direct
memstrack report
grep "\"type\":\"save\",\"what\":\"module\"" /report.json | sed "s/^/closed=/" >&3
exec 5</dev/ram0'
loadable brd
boot "$json" -m 256
ok 'a module that nobody uses is offered' \
	grep '^closed=.*"module":"brd"' "$facts"
ok 'and not while it is in use' never_told '^{.*"what":"module"'
ok 'it stands in its row' grep \
	'"type":"module","name":"brd".*"in_use":1' "$facts"

# What leads to a disk is in use, though nobody has opened the disk.
guest_with_more load_modules
loadable virtio_pci virtio_blk
head -c 1000000 /dev/zero >"$work/disk"
boot "$json" -m 256 -d "$work/disk"
for module in virtio_blk virtio_pci virtio_ring virtio; do
	ok "$module is in use" grep \
		"\"type\":\"module\",\"name\":\"$module\".*\"in_use\":1" "$facts"
done

# Five CPUs, the fewest of which there is a line: four of them and the
# initramfs are what can be saved. The module is there so that much is traced;
# it holds less than the unpacking needs.
guest_with_more 'load finit /lib/planted0.ko keep=1000'
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
	sed -n 's/.*"type":"initramfs","path":"\(.*\)","size_kib":\([0-9]*\)}/\1 \2/p' \
		"$facts" | tr '\n' ' '
}
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
boot "$json" -c 5 -m 192
ok 'the two that count, the larger first' \
	same "$(saves | tr '\n' ' ')" 'initramfs nr_cpus '
ok 'the directories that hold most of it, to the page' same "$(largest)" \
	"/extra $(of_plants /extra) /usr/lib/planted $(of_plants \
	/usr/lib/planted) /usr/share/planted $(of_plants /usr/share/planted) "
embedded=$(value embedded) of=$(save nr_cpus of_kib)
cpus=$(save nr_cpus saves_kib) files=$(save initramfs saves_kib)
rootfs=$(of advice rootfs_kib) used=$(of advice unreclaimable_kib)
ok 'initramfs: its files, and the image' is_between "$files" \
	"$both" $((both + 8192))
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
ok 'nr_cpus=1: there is no such line, but the table is larger' \
	same "$(saves | tr '\n' ' ')" 'initramfs nokmem '
# With one CPU, no pages are on lists that are not seen.
files=$(save initramfs saves_kib) unpacking=$(of advice unpacking_kib)
rm -r "${guest:?}/extra" "${guest:?}/usr"
boot "$json nr_cpus=1" -c 5 -m 192
ok 'a smaller initramfs: its part of it' is_between \
	$((unpacking - $(of advice unpacking_kib))) $((both - 512)) "$files"

# With eight nodes, at least so much is saved.
guest_with_more
nodes=''
for i in 0 1 2 3 4 5 6 7; do
	nodes="$nodes -object memory-backend-ram,id=m$i,size=64M -numa node,memdev=m$i"
done
boot "$json" -m 512 -o "$nodes"
offered=$(save numa saves_kib)
remember
boot "$json numa=off" -m 512 -o "$nodes"
echo "# numa=off: $offered offered, $(($(value free) - free)) in truth"
ok 'numa=off: it is offered' is_between "${offered:-0}" 1024 2048
ok 'numa=off: at least so much more is free' is_between \
	$(($(value free) - free)) "${offered:-0}" 32768

# Files for which half of a smaller memory is too little.
guest_with_more
head -c 60000000 /dev/urandom >"$guest/random"
compressed() {
	initrd
	gzip -1 "$work/initrd"
	mv "$work/initrd.gz" "$work/initrd"
}
compressed
start "$json" -m 256
option=initramfs_options=size=90%
ok 'rootfs: the parameter is offered' is_between \
	"$(save initramfs_options saves_kib)" 16384 65536
mib=$((($(of advice advice_kib) - $(save initramfs_options saves_kib)) / 1024))
start "$json" -m $mib
ok "rootfs: $mib MiB are not enough" fails fact booted=1
# The guest, not the report, says whether the kernel has the parameter.
start "$json $option" -m $mib
ok "rootfs: with $option they are" fact booted=1

# A kernel that has them: the pool of kfence, contiguous memory.
made=$("$top/tests/images/kernel" saves) || {
	skip 'kfence and CMA' 'no kernel can be made'
	finish
}
kernel=$made
guest_with_more
boot "$json cma=64M" -m 256
ok 'CMA: what it has free' is_between "$(save cma saves_kib)" \
	$(($(value cma) - 1024)) $(($(value cma) + 1024))
need=$(needed) cma=$(save cma saves_kib)
free=$(($(value free) - $(value cma)))
boot "$json" -m 256
gained 'no CMA' "$cma"
pool=$(save kfence saves_kib)
ok 'kfence: its pool' same "$pool" 2048
remember
boot "$json kfence.sample_interval=0" -m 256
gained kfence.sample_interval=0 "$pool"
ok 'kfence: 2 MiB, to half of one' is_between $(($(value free) - free)) \
	$((pool - 512)) $((pool + 512))
finish
