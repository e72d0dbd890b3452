#!/bin/sh
# SPDX-License-Identifier: MIT
# What is advised, beside the truth: the least memory, in steps of 4 MiB, with
# which the same image without a tracer comes to its end, nobody is killed and
# nothing is missing. The advice is no less, and at most a fifth more; and with it
# the traced image, too, comes to its end.
#
# The least is looked for where the advice is right: between it and a fifth
# less, with which the image must fail. MATRIX=all: workloads of every kind, some
# of them with the newest kernel, and the least of each; else two, of
# which the traced image works with the advised size, and one without a tracer
# does not with a fifth less.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/boot/planted.sh
. "$here/planted.sh"
# shellcheck source=tests/boot/images.sh
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
! asked || until_traced	# its text is in memory, whatever follows
# With less memory the kernel goes without contiguous memory.
! grep -q cma= /proc/cmdline ||
	grep -q '^CmaTotal: *65536 kB' /proc/meminfo || exit
INIT
		cat
		cat <<'INIT'
[ "$(sed -n 's/^oom_kill //p' /proc/vmstat)" != 0 ] || say done=1
! asked || {
	rm -f /report.json
	memstrack report
	grep '"type":"\(advice\|note\)"' /report.json >&3
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
	cp "$work/load" "$work/hold" "$work/fill" "$guest/bin/"
	initrd
	gzip -1 "$work/initrd"
	mv "$work/initrd.gz" "$work/initrd"
}
musl-gcc -static -Os -o "$work/load" "$top/tests/modules/load.c" &&
	musl-gcc -static -Os -o "$work/hold" "$here/hold.c" &&
	musl-gcc -static -Os -o "$work/fill" "$here/fill.c" || exit 1
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
	advice=$(mib advice_kib) need=$(mib need_kib) for=$(sed -n 's/.*"type":"advice".*"for":"\([a-z]*\)".*/\1/p' "$facts")
	grep '"type":"advice"' "$facts" | sed 's/^/# /'
	[ "$advice" != 0 ] || {
		ok "$name: there is an advice" fails true
		return
	}
	works=$advice below=$(((advice * 5 - 1) / 6))
	fails=$((below - below % 4))
	[ "${MATRIX-}" != all ] ||
		ok "$name: with $works MiB it works" comes_to_its_end "$works"
	ok "$name: with a fifth less, $fails MiB, it does not" \
		fails comes_to_its_end "$fails"
	[ "${MATRIX-}" != all ] || bisect
	echo "# $name: need $need MiB, advised $advice MiB for $for, least $works MiB," \
		"ratio $(awk "BEGIN { printf \"%.2f\", $advice / $works }")"
	traced_with "$advice" test.boots
	ok "$name: with it the traced image comes to its end" fact done=1
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
[ "${MATRIX-}" = all ] || finish

workload nothing </dev/null
workload '60 MiB of anonymous memory' <<'INIT'
hold 60 &
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
head -c 40000000 /dev/urandom >"$files"
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
fill 100 || exit
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
finish
