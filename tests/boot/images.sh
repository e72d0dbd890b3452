# SPDX-License-Identifier: MIT
# Functions that the tests with distributions' images share: the images, a disk
# with the real root, and what each boot must show.
#
# tests/images makes the images. memstrack comes with the overlay, appended as a
# user would do it, or is part of the image. The init of the real root is a
# script of the test (real_root), which tells the facts.
# shellcheck disable=SC2034 # for the tests
[ "${boots-}" ] || . "$(dirname "$0")/lib.sh"

disk=$work/root.ext4
. "$top/initramfs/newc.sh"

# dracut_image NAME SUITE [OPTION...]: for any machine, with all drivers.
dracut_image() {
	name=$1 suite=$2
	shift 2
	KERNEL=${SUITE-} "$top/tests/images/image" "$name" "$suite" sh -c \
		'dracut --kver "$RELEASE" --no-hostonly "$@" /mnt/out/image' \
		sh "$@"
}

# What initramfs-tools make, of a root file system; with $ADD over it.
tools_image() {
	KERNEL=${SUITE-} "$top/tests/images/image" "$1" "$2" sh -c \
		'mkinitramfs -o /mnt/out/image "$RELEASE"'
}

# busybox_image OUT: of busybox and three drivers, by hand, uncompressed, as
# people make them who have no distribution.
busybox_image() {
	rm -rf "$work/busybox"
	"$top/initramfs/busybox-tree" "$work/busybox"
	mkdir "$work/busybox/sysroot"
	loadable_in "$work/busybox" virtio_pci virtio_blk ext4
	cat >"$work/busybox/init" <<'END'
#!/bin/sh
export PATH=/bin:/sbin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mount -t tmpfs tmpfs /run
for module in /modules/*.ko; do
	busybox insmod "$module"
done
[ ! -d /parts ] || ls /parts >/run/parts
mount -t ext4 -o ro /dev/vda /sysroot
for dir in proc sys dev run; do
	mount -o move /$dir /sysroot/$dir
done
exec busybox switch_root /sysroot /sbin/init
END
	chmod +x "$work/busybox/init"
	archive "$work/busybox" >"$1"
	rm -rf "$work/busybox"
}

# early_cpio OUT: what microcode and firmware come in, an archive of its own in
# front, which the kernel reads long before it unpacks. Here, an ACPI table
# that has nothing in it.
early_cpio() {
	/usr/bin/python3 - "$work/table" <<'END'
import sys
table = b"SSDT" + (36).to_bytes(4, "little") + b"\2\0" + b"TEST  TESTTEST"
table = bytearray(table + bytes(4) + b"TEST" + bytes(4))
table[9] = -sum(table) & 255
open(sys.argv[1], "wb").write(table)
END
	{
		for dir in kernel kernel/firmware kernel/firmware/acpi; do
			newc_dir $dir 755
		done
		newc_file kernel/firmware/acpi/test.aml "$work/table" 644
	} >"$1"
	newc_end "$1"
}

# A disk with a real root; its /sbin/init, behind guest.sh, from stdin.
real_root() {
	rm -rf "$work/disk"
	mkdir -p "$work/disk/etc"
	"$top/initramfs/busybox-tree" "$work/disk"
	# systemd goes to nothing that is no system.
	echo 'ID=test' >"$work/disk/etc/os-release"
	rm -f "$work/disk/sbin/init"
	cat "$here/guest.sh" - >"$work/disk/sbin/init"
	chmod +x "$work/disk/sbin/init"
	truncate -s 32M "$disk"
	PATH=$PATH:/usr/sbin:/sbin mkfs.ext4 -q -F -d "$work/disk" "$disk"
	rm -rf "$work/disk"
}

root_runs() { and_off | real_root; }

# traced_root "MORE": the usual one, which tells which root it is and, once no
# tracer is left, what these wrote to the kernel's log; then what MORE does. A
# tracer of keep=1 is ended once it has reported.
traced_root() {
	root_runs <<INIT
say root="\$(grep ' / ' /proc/mounts)"
while grep -q keep=1 /proc/cmdline && [ "\$(count_tracers)" != 0 ]; do
	! dmesg | grep -q 'end of report' || {
		say kept="\$(count_tracers)"
		end_tracers
	}
	sleep 0.5
done
wait_for_tracers
say left="\$(count_tracers)"
log_of_tracers
$1
INIT
}

# How many reports there are, of a reason.
reports() {
	grep -c "^\(memstrack: \|file=\)report .*reason: ${1-}" "$facts"
}
# phases NAME...: the last report has these phases of the boot, in this order.
# (dracut's initqueue may be over before it runs a hook; systemd mounts by itself.)
phases() {
	same "$(sed ':a;N;$!ba;s/\nmemstrack:         / /g' "$facts" |
		sed -n 's/ +[0-9.]* s//g; s/initqueue, //; s/ mount,//
			s/^memstrack: phases  //p' | tail -n 1)" "$(echo "$*" | sed 's/ /, /g')"
}
in_log() { sed -n 's/^memstrack: //p' "$facts" | whole_report; }
in_file() { sed -n 's/^file=//p' "$facts" | whole_report; }
reaches_root() {
	ok "$1: the guest ends by itself" [ "$boot_status" = 0 ]
	ok "$1: the real root is reached" fact 'root=/dev/vda / ext4 ro.*'
	ok "$1: no tracer is left" fact left=0
}
# switched "what" [in_file]: to the real root, with one report of that, whole
# in the log and on the console, or in a file. systemd tells everybody to end
# first.
switched() {
	reaches_root "$1"
	ok "$1: one report at the switch of the root" \
		same "$(reports '\(switch-root\|SIGTERM\)')" 1
	ok "$1: it is whole, ${2:-in_log}" "${2:-in_log}"
	[ $# = 2 ] || ok "$1: and on the console" \
		seen '\(memstrack: \|^\)memstrack .*: end of report, '
}

# with_overlay IMAGE [front]: joined as the README has it.
with_overlay() {
	"$top/initramfs/overlay" "$BOOT" "$work/overlay"
	case ${2-behind} in
	front) cat "$work/overlay" "$1" ;;
	behind) cat "$1" "$work/overlay.gz" ;;
	esac >"$work/initrd"
}

# Images with the program are made once, with the program of that day, which may
# be an older one (LEAVE, tests/images/image): today's goes behind them as NAME.
# MATRIX=all: they are made anew with today's, and stay as they are.
# with_program IMAGE NAME
[ "${MATRIX-}" = all ] || LEAVE=usr/bin/memstrack
export LEAVE="${LEAVE-}"
with_program() {
	# Not the one before, if there is none.
	rm -f "$work/initrd"
	cp "$1" "$work/initrd" || return
	[ "${MATRIX-}" != all ] || return 0
	newc_file "$2" "$BOOT" 755 >"$work/program"
	newc_end "$work/program"
	{ head -c 4 /dev/zero; gzip -1 -c "$work/program"; } >>"$work/initrd"
}

# boot_image "parameters" [options of initramfs/qemu]: to the real root.
boot_image() {
	parameters="root=/dev/vda ro $1"
	shift
	start "$parameters" -m 512 -d "$disk" "$@"
}
