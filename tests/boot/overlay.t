#!/bin/sh
# SPDX-License-Identifier: MIT
# The overlay, appended with cat, to plain and compressed initramfs images; one
# of them has a length that is no multiple of four. memstrack starts, and the
# /init of the image runs. If memory has no room for an image, an overlay in
# front of it is still unpacked, and memstrack reports.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"

"$top/tests/need" xz-utils >&2 || skip_all 'xz is missing'
to_guest /init <<'INIT'
mounts
facts
say "init=$0 pid=$$ tracers=$(count_tracers)"
off
INIT

# Replaces lib.sh's: the image as $1 makes it of its standard input.
initrd() {
	"$top/initramfs/busybox-tree" "$work/base"
	"$top/initramfs/overlay" "${MEMSTRACK:-$BUILD/memstrack}" \
		"$work/overlay"
	cp -r "$guest/." "$work/base/"
	archive "$work/base" | $compress >"$work/initrd"
	rm -rf "$work/base"
}
# Zeroes behind the end of an archive do no harm: more of them until the
# compressed length is no multiple of four.
odd_gzip() {
	cat >"$work/image"
	while gzip -1 <"$work/image" >"$work/odd"
		[ $(($(wc -c <"$work/odd") % 4)) = 0 ]; do
		head -c 512 /dev/zero >>"$work/image"
	done
	cat "$work/odd"
}

for kind in plain gzip xz; do
	case $kind in
	plain) compress=cat overlay=overlay ;;
	gzip) compress=odd_gzip overlay=overlay.gz ;;
	xz) compress='xz -0 --check=crc32' overlay=overlay.gz ;;
	esac
	initrd
	length=$(wc -c <"$work/initrd")
	cat "$work/$overlay" >>"$work/initrd"
	start 'rd.memstrack=1'
	ok "$kind, of $length bytes" fact 'init=/init pid=1 tracers=1'
done

# A root that is a tmpfs takes half of memory: what comes last is left out. (A
# ramfs, as with root=, takes all, and the kernel panics before PID 1.)
rm -rf "$guest"
mkdir "$guest"
head -c 100M /dev/zero >"$guest/large"
echo >"$guest/init"
chmod +x "$guest/init"
(cd "$guest" && printf 'large\ninit\n' | cpio --quiet -o -H newc -R 0:0) |
	gzip -1 >"$work/image"
cat "$work/overlay" "$work/image" >"$work/initrd"
start 'rd.memstrack=1' -m 128 -t 60 -u 'end of report'
ok 'no room: the kernel gives up unpacking' \
	seen 'Initramfs unpacking failed: write error'
ok 'memstrack is there: it says that there is no init' \
	seen 'memstrack: no init could be executed'
ok 'and reports, by itself' seen 'report .*, reason: SIGUSR1'
ok 'what was unpacked is in it' seen ' Cached (initramfs) [345][0-9]\.[0-9]M'
ok 'no panic' unseen 'Kernel panic'
finish
