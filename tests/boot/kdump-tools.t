#!/bin/sh
# SPDX-License-Identifier: MIT
# The man page's recipe for kdump-tools, exactly as printed there: a capture
# kernel boots Debian with systemd and saves the dump, and the report that
# covers the dump is stored beside it.
. "$(dirname "$0")/lib.sh"
[ "${MATRIX-}" = all ] || skip_all 'MATRIX=all tries it'
. "$here/kdump.sh"

[ "$suite" = bookworm ] ||
	skip_all 'later versions make no image in a chroot'
package=$("$top/tests/images/tool" -s "$suite" kdump-tools linux-base) ||
	skip_all 'kdump-tools is not to be had'
tree=$work/tree

# recipe N: the Nth block of its section in the man page.
recipe() {
	awk -v wanted="$1" '
	/^\.S[sh]/ { here = /kdump-tools/ }
	/^\.Ed/ { inside = 0 }
	here && inside && block == wanted {
		sub(/^\\&/, ""); sub(/\\e$/, "\\"); print }
	here && /^\.Bd/ { inside = 1; block++ }
	' "$top/applet/memstrack.8"
}

# A Debian that has it: what the packages would set up, and what an
# administrator would. In a chroot, no hardware tells which modules it needs.
make_tree() {
	cp -a "$root/." "$tree"
	for name in etc usr lib; do
		[ ! -d "$package/$name" ] || cp -a "$package/$name/." "$tree/$name/"
	done
	install -m 755 "$MEMSTRACK" "$tree/usr/bin/memstrack"
	install -D -m 755 "$BOOT" "$tree/usr/lib/memstrack/memstrack"
	mkdir -p "$tree/lib/modules"
	cp -r "$kernel/root/lib/modules/$release" "$tree/lib/modules/"
	echo 'MODULES=list' >"$tree/etc/initramfs-tools/conf.d/list"
	printf '%s\n' virtio_pci virtio_blk ext4 \
		>>"$tree/etc/initramfs-tools/modules"
	echo '/dev/vda / ext4 defaults 0 1' >"$tree/etc/fstab"
	cp "$kernel/root/boot"/*"-$release" "$tree/boot/"
	dropin=$tree/etc/systemd/system/kdump-tools-dump.service.d
	mkdir -p "$dropin"
	recipe 1 >"$tree/etc/initramfs-tools/hooks/memstrack"
	chmod +x "$tree/etc/initramfs-tools/hooks/memstrack"
	{ cat "$tree/usr/share/kdump-tools/kdump-tools.conf"
		recipe 2; } >"$tree/etc/default/kdump-tools"
	recipe 3 >"$dropin/memstrack.conf"
	chroot "$tree" /etc/kernel/postinst.d/kdump-tools "$release" &&
		mv "$tree/var/lib/kdump/initrd.img-$release" "$work/capture" &&
		rm -rf "$tree/lib/modules/$release"
}
parameters_of_recipe() {
	# shellcheck source=/dev/null # of the tree
	(. "$tree/etc/default/kdump-tools" && echo "$KDUMP_CMDLINE_APPEND")
}

if ! make_tree >"$work/tree.log" 2>&1; then
	sed 's/^/# /' "$work/tree.log"
	: >"$console"
	: >"$facts"
	ok 'an image by the hook of kdump-tools' false
	finish
fi
tool /usr/bin/makedumpfile
truncate -s 700M "$disk"
mkfs.ext4 -q -F -d "$tree" "$disk" || exit 1
crash 256 "root=/dev/vda $(parameters_of_recipe)"

# /var/crash/DATE/dump.DATE, flattened; the report of the switch of the root
# may stand before ours.
date=$(debugfs -R 'ls -p /var/crash' "$disk" 2>/dev/null |
	sed -n 's,^/[0-9]*/04[0-7]*/[0-9]*/[0-9]*/\([0-9]\{12\}\)/.*,\1,p')
fetch "/var/crash/$date/dump.$date" flat
fetch /var/crash/memstrack.txt all
report_of request <"$work/all" >"$work/report"
arranged() {
	head -c 12 "$work/flat" | grep makedumpfile &&
		run /usr/bin/makedumpfile -R "$work/vmcore" <"$work/flat"
}
after_the_dump() {
	grep '^makedumpfile\[.* exited$' "$work/report"
}
advises() {
	grep '^advice  crashkernel=[0-9]*M would do (' "$work/report" ||
		grep 'INCOMPLETE, [1-9][0-9]* lost' "$work/report"
}

ok 'the capture kernel is loaded' fact kexec=0
ok 'its system dumps' arranged
ok 'what was said last' token_in_dump
ok 'all of it' read_again
ok 'the report beside it is whole' whole_of request
ok 'it comes after the dump' after_the_dump
ok 'and advises, where nothing was lost' advises
ok 'it reboots' seen 'reboot: Restarting system'
finish
