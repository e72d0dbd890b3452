#!/bin/sh
# SPDX-License-Identifier: MIT
# What is advised, beside the truth: the least memory, in steps of 4 MiB, with
# which the same image without a tracer comes to its end, nobody is killed and
# nothing is missing. The advice is no less, and at most a fifth more; and with
# it the traced image, too, comes to its end.
#
# The least is looked for where the advice is right: between it and a fifth
# less, with which the image must fail. MATRIX=all: workloads of every kind,
# some of them with the newest kernel, and the least of each; else two, of
# which the traced image works with the advised size, and one without a tracer
# does not with a fifth less.
#
# For a rootfs that holds at most half of memory, the traced image does not boot
# with somewhat less than is needed. So it is with other limits of rootfs, of
# which one is no part of memory, and with its inodes. MATRIX=all: so it is, too,
# for the unpacking of the initramfs, whose compressed form stands beside its
# content; for a machine of 16 GiB that uses little of it, the advice does
# not include its page structs.
. "$(dirname "$0")/planted.sh"
. "$here/images.sh"

# As a boot loader starts it, which needs memory of its own.
kernel_image() { echo "$kernel/vmlinuz"; }

# image NAME: with the workload from stdin, which is to fail if it lacks memory.
image() {
	name=$1
	new_guest
	mkdir -p "$guest/lib" "$guest/bin"
	{
		cat <<'INIT'
mounts
facts
asked() { [ "$(tracers)" ] && ! grep -q test.boots /proc/cmdline; }
# After a report its text is in memory, whatever follows.
! asked || {
	wait_for_report
	rm -f /report.json
}
# With less memory the kernel goes without contiguous memory.
! grep -q cma= /proc/cmdline ||
	grep -q '^CmaTotal: *65536 kB' /proc/meminfo || exit
INIT
		cat
		cat <<'INIT'
[ "$(sed -n 's/^oom_kill //p' /proc/vmstat)" != 0 ] || say done=1
say "rootfs=$(stat -f -c '%b inodes %c' /)"
! asked || {
	rm -f /report.json
	memstrack report
	grep '"type":"\(advice\|note\)"\|"rootfs limit"\|"reserved","size_kib"' \
		/report.json >&3
	sed -n '/reason: request/,$d; s/^/text=/p' /report >&3
}
kill_tracers
off
INIT
	} | to_guest /init
	cp "$modules"/planted?.ko "$guest/lib/"
	# shellcheck disable=SC2086 # one word a module
	loadable ${loads-virtio_pci virtio_blk}
	[ -z "${files-}" ] || cp -r "$files" "$guest/"
	guest_program "$top/tests/modules/load.c"
	guest_program "$here/actor.c"
	initrd
	gzip -1 "$work/initrd"
	mv "$work/initrd.gz" "$work/initrd"
}
disk=$work/zeros
head -c 160000000 /dev/zero >"$disk"

# traced_with MIB [test.boots]: then no report is asked for.
traced_with() {
	run_as=rdinit=/memstrack
	start "quiet rd.memstrack=1 rd.memstrack.format=json
		rd.memstrack.ring=2M rd.memstrack.mem=4M
		rd.memstrack.out=${report-/report.json} ${2-} $more" -m "$1" -d "$disk" -t 300
}
# An image that is too large for the memory may stop before it has a console.
comes_to_its_end() {
	run_as=rdinit=/init
	start "quiet $more" -m "$1" -d "$disk" -t 200
	fact done=1
}
# The least that works, in [$fails + 4, $works].
bisect() {
	while [ $((works - fails)) -gt 4 ]; do
		steps=$(((fails + works) / 8))
		middle=$((steps * 4))
		if comes_to_its_end "$middle"; then
			works=$middle
		else
			fails=$middle
		fi
	done
}
mib() {
	kib=$(of advice "$1")
	echo $((${kib:-0} / 1024))
}
of_advice() {
	sed -n "s/.*\"type\":\"advice\".*\"$1\":\"\([a-z]*\)\".*/\1/p" \
		"$facts"
}
# workload NAME [PARAMETERS]: its script from stdin.
workload() {
	more=${2-}
	image "$1"
	measure
}
# Of $work/initrd, with $more.
measure() {
	traced_with "${memory-256}"
	ok "$name: it comes to its end" fact done=1
	advice=$(mib advice_kib) need=$(mib need_kib) for=$(of_advice for)
	grep '"type":"advice"' "$facts" | sed 's/^/# /'
	[ "$advice" != 0 ] || {
		ok "$name: there is an advice" fails true
		return
	}
	ok "$name: the advice is a twentieth more, in steps of 4 MiB" test \
		$((advice % 4 == 0 && advice * 20 >= need * 21 &&
		(advice - 6) * 20 <= need * 21)) = 1
	if [ "${why-}" ]; then
		not_enough
	else
		least
	fi
	echo "# $name: need $need MiB, advised $advice MiB for $for"
	traced_with "$advice" test.boots
	ok "$name: with it the traced image comes to its end" fact done=1
}
# The reason of the advice, and what a boot with less ends by. 640 KiB to 1 MiB
# are no RAM.
not_enough() {
	is "$name: what the advice is for" "$for" "${why%% *}"
	traced_with $((need - 8)) test.boots
	ok "$name: with $((need - 8)) MiB it does not boot" fails fact done=1
	ok "$name: for that reason" seen "${why#* }"
}
least() {
	works=$advice below=$(((advice * 5 - 1) / 6))
	fails=$((below - below % 4))
	[ "${MATRIX-}" != all ] ||
		ok "$name: with $works MiB it works" comes_to_its_end "$works"
	ok "$name: with a fifth less, $fails MiB, it does not" \
		fails comes_to_its_end "$fails"
	[ "${MATRIX-}" != all ] || bisect
	echo "# $name: least $works MiB," \
		"ratio $(awk "BEGIN { printf \"%.2f\", $advice / $works }")"
}

from_disk() {
	workload "$1" <<'INIT'
for module in /modules/*.ko; do
	insmod $module || exit
done
until [ -e /dev/vda ]; do usleep 10000; done
dd if=/dev/vda of=/dev/null bs=1M count=150 || exit
INIT
}
in_tmpfs() {
	workload "$@" <<'INIT'
mkdir /files
mount -t tmpfs -o size=100% tmpfs /files
head -c 41943040 /dev/zero >/files/file || exit
INIT
}
# a_module NAME PLANTED [PARAMETERS]: loaded with these.
a_module() {
	workload "$1" "${3-}" <<INIT
load finit /lib/planted0.ko $2
INIT
}
from_disk '150 MiB read from a disk'
a_module 'a module keeps 40 MiB' keep=10240

# 40 MB that cannot be compressed. A kernel that is given a root unpacks to a
# ramfs.
files=$work/large
head -c 40000000 /dev/urandom >"$files"
why='unpacking deadlocked on memory'
[ "${MATRIX-}" != all ] ||
	workload 'a large file in the image' root=/dev/vda </dev/null
why='rootfs Initramfs unpacking failed: write error'
workload 'a large file in the image, of rootfs' </dev/null
why=
# Another limit of rootfs than half of memory, in pages. Half of the memory
# that the image leaves would be less.
traced_with 256 initramfs_options=size=90%
ok '90 %: so large is rootfs' \
	is_between "$(value rootfs | cut -d' ' -f1)" 26000 65536
ok '90 %: the limit is told' grep '"name":"rootfs limit"' "$facts"
reserved=$(of baseline size_kib '"name":"reserved"')
ok '90 %: the file needs so much of the limit' is_between \
	"$(of advice rootfs_kib)" $((40000000 * 10 / 9 / 1024 + reserved)) \
	$((43000000 * 10 / 9 / 1024 + reserved))
[ "${MATRIX-}" != all ] || {
	traced_with 256 initramfs_options=size=150M
	ok '150 MiB: this is no part of memory' \
		grep '"type":"advice".*"rootfs_kib":null' "$facts"
}
unset files

# Empty files behind all else, of which the last are those that are missing; the
# image of the tracer comes first.
image 'inodes' <<'INIT'
ls -i /many | sort -n | awk 'END { print "files=" NR "\nlast=" $2 }' >&3
! grep -q test.boots /proc/cmdline || memstrack report
INIT
initrd	# not compressed: what follows begins at a multiple of four
mkdir -p "$work/files/many"
(cd "$work/files/many" && seq -f f%g 12000 | xargs touch)
archive "$work/files" >"$work/many.cpio"
cat "$work/overlay" "$work/initrd" "$work/many.cpio" >"$work/both"
mv "$work/both" "$work/initrd"
more=
traced_with 256
is 'inodes: what the advice is for' "$(of_advice for)" rootfs
ok 'inodes: each file has a page of what rootfs may hold, and there are others' \
	is_between "$(of advice rootfs_kib)" 96000 156000
traced_with 104 test.boots
ok 'inodes: with less files are missing' is_between "$(value files)" 1 11999
# No file can be made for the report: it is in the log.
ok 'inodes: that is told, with how many there are, and the last file' grep \
	"no inode was left.*\"file\":\"/many/$(value last)\".*\"inodes\":$(
	value rootfs | sed 's/.* //')," "$console"
ok 'inodes: nothing is advised' grep \
	'"type":"advice".*"advice_kib":null.*"reason":"nobody knows' "$console"
[ "${MATRIX-}" = all ] || finish

workload nothing </dev/null
workload '60 MiB of anonymous memory' <<'INIT'
actor hold 60 &
sleep 1
kill $! || exit
INIT
in_tmpfs '40 MiB in a tmpfs'
workload '60 processes' <<'INIT'
for i in $(seq 60); do
	sleep 1000 &
done
INIT
a_module "a module's burst of 80 MiB" temp=20480
a_module '40 MiB of slab objects' k2048=20480
a_module '40 MiB by vmalloc' vm=10240
# A kernel that lies in the movable zone by chance leaves more of the others.
a_module 'movablecore=128M, and a module keeps 20 MiB' keep=5120 \
	'movablecore=128M nokaslr'
workload 'vm.min_free_kbytes=65536, and a module keeps 40 MiB' <<'INIT'
echo 65536 >/proc/sys/vm/min_free_kbytes
load finit /lib/planted0.ko keep=10240
INIT

# As a crash kernel writes what it saves.
workload '25 MiB written to rootfs' <<'INIT'
head -c 26214400 /dev/zero >/saved || exit
INIT

# Where rootfs may hold less or more than half of memory.
files=$work/large
for part in 30 60 90; do
	workload "40 MB in the image, of rootfs $part %" \
		"initramfs_options=size=$part%" <<'INIT'
# A file has its size before it is written.
[ "$(stat -c %b /large)" -ge 78125 ] || exit
INIT
done
files=$work/many
mkdir "$files"
(cd "$files" && seq 20000 | xargs touch)
workload '20,000 empty files in the image' <<'INIT'
[ "$(ls /many | wc -l)" = 20000 ] || exit
INIT
unset files

# More than memory holds: it is compressed. Otherwise more would be advised than
# what is there.
loads='lzo-rle zram'
memory=128
workload 'swap on zram, 100 MiB of anonymous memory' <<'INIT'
load_modules
echo 200M >/sys/block/zram0/disksize
mkswap /dev/zram0 >/dev/null
swapon /dev/zram0
actor fill 100 || exit
INIT

# Kernel modules of 44 MiB in a squashfs of 11.
"$top/tests/need" squashfs-tools >&2 || bail 'mksquashfs is missing'
live=$kernel/root/lib/modules/$(cat "$kernel/release")/kernel
mksquashfs "$live/net" "$live/fs" "$work/live.squashfs" -noappend -no-xattrs \
	-all-root >"$work/squashfs.log" 2>&1
loads='loop squashfs overlay' files=$work/live.squashfs
memory=256
workload 'a live image: some files read, some written' <<'INIT'
load_modules
mkdir /squash /upper /live
mount -t squashfs -o ro,loop /live.squashfs /squash || exit
mount -t tmpfs -o size=100% tmpfs /upper
mkdir /upper/data /upper/work
mount -t overlay -o lowerdir=/squash,upperdir=/upper/data,workdir=/upper/work \
	overlay /live || exit
find /live/fs -type f -exec cat {} + >/dev/null || exit
cp -r /live/net /live/copy || exit
INIT
unset loads files

name='an image of dracut'
image=$(dracut_image dracut-059 bookworm) || bail "no $name"
disk=$work/root.ext4
root_runs <<'INIT'
[ "$(sed -n 's/^oom_kill //p' /proc/vmstat)" != 0 ] || say done=1
wait_for_tracers
[ ! -e /run/report.json ] ||
	grep '"type":"\(advice\|note\)"' /run/report.json >&3
INIT
with_overlay "$image"
report=/run/report.json more='root=/dev/vda ro rd.shell=0 rd.emergency=reboot'
memory=512
measure

unset report
disk=$work/zeros memory=256
kernel_of sid
from_disk 'the newest kernel: 150 MiB read from a disk'
a_module 'the newest kernel: a module keeps 40 MiB' keep=10240
in_tmpfs 'the newest kernel: 40 MiB in a tmpfs'
# The kernel lies where it leaves so much in one piece.
a_module 'cma=64M, and a module keeps 40 MiB' keep=10240 'cma=64M nokaslr'
in_tmpfs 'cma=64M, and 40 MiB in a tmpfs' 'cma=64M nokaslr'

if [ "$(awk '/^MemTotal:/ { print $2 }' /proc/meminfo)" -gt 17825792 ]; then
	memory=16384
	workload '16 GiB' </dev/null
	traced_with 16384
	ok '16 GiB: page structs are 64 bytes in 4096' is_between \
		"$(of advice scaled_kib)" 1 $((16384 * 1024 / 64))
	ok '16 GiB: which are most of what is used' is_between \
		"$(mib used_kib)" 1 $(($(mib scaled_kib) * 2))
	ok '16 GiB: a small machine is advised' is_between \
		"$(of advice advice_kib)" 1 262144
	# For devices that cannot reach beyond 4 GiB; 32 MiB at most of ours.
	traced_with "$advice"
	ok '16 GiB: there an IO TLB and larger tables of ours were used, no more' \
		is_between "$advice" 1 $(($(mib advice_kib) + 64 + 32 + 16))
else
	skip '16 GiB' 'there is not as much here'
fi
finish
