# shellcheck shell=sh
# What the tests that boot images of distributions share: the images, a disk
# with the real root, and what must be seen of every such boot.
#
# tests/images makes the images; memstrack comes by the overlay, appended as a
# user would, or lies in the image. The real root's init is a script of the
# test (real_root): it tells the facts.
# shellcheck disable=SC2034,SC2154 # for the tests; of lib.sh

disk=$work/root.ext4

# dracut_image NAME SUITE [OPTION...]: for any machine, with all drivers.
dracut_image() {
	name=$1 suite=$2
	shift 2
	# shellcheck disable=SC2016 # for the shell in the image's root
	KERNEL=${SUITE-} "$top/tests/images/image" "$name" "$suite" sh -c \
		'dracut --kver "$RELEASE" --no-hostonly "$@" /mnt/out/image' \
		sh "$@"
}

# What initramfs-tools make, of a root file system; with $ADD over it.
tools_image() {
	# shellcheck disable=SC2016 # as above
	KERNEL=${SUITE-} "$top/tests/images/image" "$1" "$2" sh -c \
		'mkinitramfs -o /mnt/out/image "$RELEASE"'
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

# The overlay behind an image, as the README has it.
with_overlay() {
	"$top/initramfs/overlay" "${MEMSTRACK:-$BUILD/memstrack}" \
		"$work/overlay"
	cat "$1" "$work/overlay.gz" >"$work/initrd"
}

# boot_image "parameters" [options of initramfs/qemu]: to the real root.
boot_image() {
	parameters="root=/dev/vda ro $1"
	shift
	start "$parameters" -m 512 -d "$disk" -t 240 "$@"
}
