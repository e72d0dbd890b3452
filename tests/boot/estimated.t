#!/bin/sh
# SPDX-License-Identifier: MIT
# memstrack estimate, beside the truth: what it prints on a machine that has not
# crashed yet, and the least crashkernel= with which the capture kernel of that
# machine writes its dump and nobody is killed. A kernel really crashes each
# time.
#
# A small image that dumps by itself: with the estimate it dumps. MATRIX=all: with
# the estimate divided by 1.4 it does not; the same of kdump-tools' images, plain,
# with LVM and with LUKS2, whose dump is written by the system on the disk, and
# of dracut's with 40 modules; and the least of each, in steps of 4 MiB.
#
# LEAST: for these images only ("plain lvm luks dracut small").
. "$(dirname "$0")/lib.sh"
. "$here/kdump.sh"
host() { install -D -m 755 "$MEMSTRACK" "$guest/bin/memstrack"; }

# estimates: what the machine says that would run $work/capture; the line that
# memstrack prints for a packed image is typed as it is. Modules: $loaded.
estimates() {
	new_guest
	host
	[ -z "${packed-}" ] || tool "/usr/bin/$packed"
	cp "$work/capture" "$guest/"
	# shellcheck disable=SC2086 # one word a module
	loadable $loaded
	guest_runs <<INIT
load_modules
mkdir -p /var/crash
echo '/sbin/kexec -p --command-line="nr_cpus=1 $capture_with"' >/var/crash/kexec_cmd
memstrack estimate --initrd=/capture >&3 2>/line || {
	sed 's/^/line=/' /line >&3
	sed -n 2p /line >/type
	PATH=\$PATH:/usr/bin sh /type >&3 2>&3
}
INIT
	boot quiet -m 512 -d "$disk"
	sed 's/^/# /' "$facts"
	estimate=$(sed -n 's/^crashkernel=\([0-9]*\)M$/\1/p' "$facts")
	ok "$kind: there is an estimate" test "${estimate:=0}" -gt 0
}

# A crash with so many MiB; did the capture kernel dump, without a kill? It says
# so on the second serial line, and whoever hangs is stopped.
ends='Restarting system\|System is deadlocked\|emergency mode\|(initramfs)\|Entering emergency'
dumps() {
	cp --sparse=always "$disk" "$work/crashed"
	whole=$disk disk=$work/crashed
	crash "$1" "nr_cpus=1 reset_devices no_timer_check cryptomgr.notests nolapic_timer $capture_with"
	disk=$whole
	fact dumped=1 && fact 'oom_kill 0'
}
# Like boot of lib.sh, for crash.
boot() {
	initrd
	case " $* " in
	*crashkernel=*) start "$@" -t 900 -u "$ends" ;;
	*) start "$@" ;;
	esac
}
least() {
	[ "$estimate" != 0 ] || return
	works=$estimate fails=$((estimate * 5 / 7))
	fails=$((fails - fails % 4))
	ok "$kind: with $works MiB it dumps" dumps "$works"
	[ "${MATRIX-}" = all ] || return
	ok "$kind: with $fails MiB it does not" fails dumps "$fails"
	while [ $((works - fails)) -gt 4 ]; do
		steps=$(((fails + works) / 8))
		middle=$((steps * 4))
		if dumps "$middle"; then works=$middle; else fails=$middle; fi
	done
	echo "# $kind: least $works MiB, estimate $estimate MiB, ratio $(
		awk "BEGIN { printf \"%.2f\", $estimate / $works }")"
}
wanted() {
	kind=$1
	case " ${LEAST-$1} " in *" $1 "*) ;; *) false ;; esac
}

if wanted small; then
	loaded='virtio_pci virtio_blk ext4' packed='' capture_with=rdinit=/init
	empty_disk
	capture /dev/vda '-l -d 31' <<'INIT'
say "dumped=$(ls /var/crash/vmcore | wc -l)"
grep oom_kill /proc/vmstat >&3
umount /var/crash
again
INIT
	estimates
	least
fi
[ "${MATRIX-}" = all ] || finish

# A Debian that has kdump-tools, as its packages set it up. In a chroot no
# hardware tells which modules an image needs.
debian=$("$top/tests/images/root" bookworm lvm2 cryptsetup-initramfs kdump-tools \
	linux-base) || skip_all 'kdump-tools is not to be had'
root=$debian
# tree KIND: the root and the image of kdump-tools, as $work/capture. The dump ends
# with what the test must know.
tree() {
	tree=$work/tree
	rm -rf "$tree"
	cp -a "$debian" "$tree"
	hooks=$tree/usr/share/initramfs-tools/hooks
	etc=$tree/etc
	disk_of=/dev/vda
	modules='virtio_pci virtio_blk ext4'
	case $1 in
	plain) rm "$hooks/lvm2" "$hooks"/crypt* "$hooks/dmsetup" ;;
	lvm) rm "$hooks"/crypt*
		disk_of=/dev/mapper/vg-root ;;
	luks) rm "$hooks/lvm2"
		disk_of=/dev/mapper/cryptroot
		modules="$modules dm-crypt aes xts ecb sha256"
		mkdir -p "$etc/keys"
		echo a key that nobody would choose >"$etc/keys/root.key"
		echo 'cryptroot /dev/vda /etc/keys/root.key luks,initramfs' \
			>"$etc/crypttab"
		printf '%s\n' 'KEYFILE_PATTERN="/etc/keys/*.key"' CRYPTSETUP=y \
			>>"$etc/cryptsetup-initramfs/conf-hook" ;;
	esac
	echo "$disk_of / ext4 defaults 0 1" >"$etc/fstab"
	echo 'MODULES=list' >"$etc/initramfs-tools/conf.d/list"
	echo "$modules" | tr ' ' '\n' >>"$etc/initramfs-tools/modules"
	cp "$tree/usr/share/kdump-tools/kdump-tools.conf" "$etc/default/kdump-tools"
	mkdir -p "$etc/systemd/system/kdump-tools-dump.service.d" \
		"$tree/lib/modules"
	cat >"$etc/systemd/system/kdump-tools-dump.service.d/test.conf" <<'END'
[Service]
StandardOutput=tty
TTYPath=/dev/ttyS1
ExecStart=
ExecStart=/usr/sbin/kdump-config savecore
ExecStart=/bin/sh -c 'echo; echo dumped=$$(ls /var/crash/*/dump.* | wc -l); grep oom_kill /proc/vmstat'
ExecStart=-/sbin/reboot -f
ExecStopPost=/sbin/reboot -f
END
	cp -r "$kernel/root/lib/modules/$release" "$tree/lib/modules/"
	cp "$kernel/root/boot"/*"-$release" "$tree/boot/"
	chroot "$tree" /etc/kernel/postinst.d/kdump-tools "$release" \
		>"$work/tree.log" 2>&1 &&
		mv "$tree/var/lib/kdump/initrd.img-$release" "$work/capture"
	ok "$1: an image by the hook of kdump-tools" test -s "$work/capture"
	rm -rf "$tree/lib/modules/$release" "${tree:?}/boot"
	mkdir "$tree/boot"
	truncate -s 700M "$work/root"
	mkfs.ext4 -q -F -d "$tree" "$work/root" || exit 1
	disk=$work/root
	capture_with="root=$disk_of systemd.unit=kdump-tools-dump.service irqpoll"
}
# The root moves into a disk that a guest makes: /dev/vda is the root (-o comes
# first), /dev/vdb the disk.
into() {
	new_guest
	tool "$1"
	cp "$tree/etc/keys/root.key" "$guest/" 2>/dev/null
	# shellcheck disable=SC2086 # one word a module
	loadable $loaded
	{ echo load_modules; cat; } | guest_runs
	rm -f "$work/disk.$kind"
	truncate -s 800M "$work/disk.$kind"
	boot quiet -m 768 -w "$work/disk.$kind" -o \
		"-drive file=$work/root,if=virtio,format=raw,snapshot=on"
	rm -f "$work/root"
	disk=$work/disk.$kind
	ok "$kind: a disk with it" fact made=0
}
loaded='virtio_pci virtio_blk ext4' packed=zstd
if wanted plain; then
	tree plain
	estimates
	least
fi
if wanted lvm; then
	loaded='virtio_pci virtio_blk ext4 dm-mod'
	tree lvm
	into /sbin/lvm <<'INIT'
mkdir -p /run/lvm /run/lock /etc/lvm
lvm pvcreate -y /dev/vdb && lvm vgcreate -y vg /dev/vdb &&
	lvm lvcreate -an -Zn -y -l 100%FREE -n root vg &&
	lvm vgchange -ay --sysinit vg && lvm vgmknodes vg
dd if=/dev/vda of=/dev/mapper/vg-root bs=1M conv=fsync
say made=$?
INIT
	estimates
	least
fi
if wanted luks; then
	loaded='virtio_pci virtio_blk ext4 dm-crypt xts ecb algif_skcipher'
	tree luks
	into /sbin/cryptsetup <<'INIT'
mkdir -p /run/cryptsetup /run/lock
cryptsetup() { /sbin/cryptsetup "$@" --key-file /root.key; }
cryptsetup luksFormat -q --type luks2 --pbkdf argon2id --pbkdf-memory 131072 \
	--pbkdf-force-iterations 4 --pbkdf-parallel 1 /dev/vdb &&
	cryptsetup open /dev/vdb c && dd if=/dev/vda of=/dev/mapper/c bs=1M conv=fsync
say made=$?
cryptsetup close c
INIT
	estimates
	least
fi
if wanted dracut; then
	tree plain
	loaded='virtio_pci virtio_blk ext4 loop squashfs overlay isofs fuse xfs'
	loaded="$loaded btrfs vfat dm-crypt bonding vxlan 8021q bridge veth"
	loaded="$loaded nf_tables iscsi_tcp sd_mod sr_mod virtio_net virtio_scsi"
	loaded="$loaded zram ena"
	image=$("$top/tests/images/image" dracut-40 bookworm sh -c \
		'dracut --kver "$RELEASE" --no-hostonly --drivers "$1" \
		--force-drivers "$1" /mnt/out/image' sh "$loaded") ||
		bail 'no image of dracut'
	cp "$image" "$work/capture"
	estimates
	least
fi
finish
