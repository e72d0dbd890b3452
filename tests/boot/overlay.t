#!/bin/sh
# The overlay, appended by cat, to plain and compressed initramfs images, one
# of a length that is no multiple of four: memstrack starts, and /init of the
# image goes on.
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
finish
