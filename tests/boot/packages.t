#!/bin/sh
# SPDX-License-Identifier: MIT
# Packages as a user has them. Debian's is installed with apt in root file
# systems of bookworm and sid, by which initramfs-tools or dracut makes its
# image anew. The image is booted and traces; after a purge nothing is left,
# the image is made anew once more, and boots without us. The RPM is unpacked
# into the root of dracut 112 and found by it; Arch's package is made by
# makepkg and has the hook where mkinitcpio looks. Only with MATRIX=all. It
# takes a quarter of an hour.
. "$(dirname "$0")/images.sh"

[ "${MATRIX-}" = all ] || skip_all 'MATRIX=all tries them'
"$top/tests/need" dpkg-dev debhelper rpm rpm2cpio makepkg \
	pacman-package-manager libarchive-tools fakeroot >&2 ||
	skip_all 'packages are missing'
unset MAKEFLAGS MAKELEVEL	# of a make that runs the tests
packages=$work/build/packages
make -s -C "$top" deb rpm pkgbuild BUILD="$work/build" >"$work/log" 2>&1 ||
	cat "$work/log" >&2

traced_root ''

# --- what is done in the root, and leaves its findings in /mnt/out

mkdir "$work/out"
cat >"$work/out/steps" <<'STEPS'
set -eu
export DEBIAN_FRONTEND=noninteractive
tool=$1
# What is written here must not come to the kernel that all tests use.
cp -a /boot /mnt/out/boot
mount --bind /mnt/out/boot /boot
image=/boot/initrd.img-$RELEASE
held() {
	if [ "$tool" = dracut ]; then lsinitrd "$image"; else
		lsinitramfs "$image"; fi | grep memstrack || true
}
# All files but logs, caches and lists of apt; of what is no state, contents
# too.
files() {
	find / -xdev \( -path /mnt -o -path /dev -o -path /proc -o -path /sys \
		-o -path /boot -o -path /tmp -o -path /run -o -path /var/log \
		-o -path /var/cache -o -path /var/lib/apt \) -prune -o -printf '%M %U %G %p %l\n' | sort
	find /etc /usr -type f -exec cksum {} + | sort
}
case $tool in
initramfs-tools) update-initramfs -c -k "$RELEASE" ;;
dracut)
	# For any machine: this one is a chroot.
	echo hostonly=no >/etc/dracut.conf.d/test.conf
	dracut --force "$image" "$RELEASE" ;;
esac
files >/mnt/out/before
held >/mnt/out/held.before
# dracut takes our module only if it is asked to.
[ "$tool" != dracut ] || echo 'add_dracutmodules+=" memstrack-boot "' \
	>/etc/dracut.conf.d/memstrack.conf
cd /mnt/out
apt install -y ./memstrack_*.deb
memstrack --version >/mnt/out/version
cp "$image" /mnt/out/with
held >/mnt/out/held.with
rm -f /etc/dracut.conf.d/memstrack.conf
apt purge -y memstrack
cp "$image" /mnt/out/without
held >/mnt/out/held.after
files >/mnt/out/after
STEPS

# user SUITE TOOL: installs, and removes.
user() {
	out=$work/out-$1-$2
	cp -r "$work/out" "$out"
	cp "$packages"/memstrack_*.deb "$out/"
	RELEASE=$(cat "$kernel/release")
	export RELEASE
	tree=$("$top/tests/images/root" "$1" apt "$2") || return
	"$top/tests/images/in-root" "$tree" "$kernel" "$out" \
		sh /mnt/out/steps "$2" >"$out/log" 2>&1 ||
		{ tail -n 20 "$out/log"; false; }
}
# boots IMAGE: to the real root, with what asks for a trace.
boots() {
	run_as=
	[ -s "$1" ] && ln -f "$1" "$work/initrd"
	boot_image 'rd.memstrack=1'
}

for tool in initramfs-tools dracut; do
	for suite in bookworm sid; do
		which="$suite, $tool"
		ok "$which: installed and removed" user "$suite" "$tool"
		out=$work/out-$suite-$tool
		ok "$which: the program runs" same "$(cat "$out/version")" \
			"memstrack $("$top/initramfs/packages/version")"
		ok "$which: installing puts it into the image" \
			grep -q -x -e memstrack -e '.* memstrack -> .*' \
			"$out/held.with"
		boots "$out/with"
		switched "$which, installed"
		ok "$which: removing takes it out of the image" \
			cmp "$out/held.before" "$out/held.after"
		ok "$which: which had none before" eval "! grep . '$out/held.before'"
		ok "$which: no file is left, and none is another" \
			diff "$out/before" "$out/after"
		boots "$out/without"
		reaches_root "$which, removed"
		ok "$which, removed: not a word" never_told '^memstrack'
		rm -rf "$out"
	done
done

# --- the RPM, in the root of dracut 112

unpacked() {
	rpm=$(find "$packages" -name 'memstrack-*.rpm' ! -name '*.src.rpm')
	mkdir "$work/rpm" && rpm2cpio "$rpm" | (cd "$work/rpm" && cpio --quiet -id)
}
ok 'the RPM can be unpacked' unpacked
modules() {
	ADD=$work/rpm "$top/tests/images/in-root" \
		"$("$top/tests/images/root" sid)" "$kernel" "$work" \
		dracut --list-modules --kver "$(cat "$kernel/release")"
}
ok 'RPM: dracut 112 finds the module' eval 'modules | grep -x memstrack-boot'
image=$(ADD=$work/rpm dracut_image packages-rpm sid --add memstrack-boot)
boots "$image"
switched 'RPM, dracut 112'

# --- Arch's package; makepkg refuses to be root

makes() {
	chmod 755 "$work" "$work/build"
	mkdir "$work/arch"
	cp "$packages/PKGBUILD" "$packages"/memstrack-*.tar.gz "$work/arch/"
	chown -R 65534:65534 "$work/arch"
	(cd "$work/arch" && setpriv --reuid 65534 --regid 65534 --clear-groups \
		env HOME="$work/arch" makepkg --nodeps) >"$work/arch.log" 2>&1 ||
		{ tail -n 20 "$work/arch.log"; false; }
}
ok 'Arch: makepkg makes the package' makes
package=$(find "$work/arch" -name 'memstrack-*.pkg.tar*')
for file in usr/bin/memstrack usr/lib/initcpio/hooks/memstrack \
	usr/lib/initcpio/install/memstrack usr/share/man/man8/memstrack.8.gz \
	usr/share/man/man8/memstrack-tools.8.gz \
	usr/share/man/man7/memstrack-report.7.gz \
	usr/lib/dracut/modules.d/50memstrack-boot/module-setup.sh \
	usr/share/licenses/memstrack/LICENSE; do
	ok "Arch: it has $file" eval \
		"tar --force-local -tf '$package' | grep -x $file"
done
ok 'Arch: it replaces the older program' eval \
	"tar --force-local -xOf '$package' .PKGINFO | grep -x 'pkgver = 1:.*'"
finish
