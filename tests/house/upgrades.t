#!/bin/sh
# SPDX-License-Identifier: MIT
# Our packages over the older program of this name, as a user has it: Debian's
# with apt in a root file system with dracut, and the RPM with rpm. Debian has no
# such package, so the older one is made here: the program, and in the RPM a
# module of dracut, which Debian's dracut-core has itself. The upgrade leaves no
# file of it that is not ours, dracut finds our module beside its own and makes an
# image with our program; ours is removed without a trace; and the older one can be
# installed after ours was removed, or over ours, and has all of its files again.
# Only in check-all.
# shellcheck source-path=SCRIPTDIR/.. source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
only_in_check_all
[ "$(id -u)" = 0 ] || skip_all 'only root can change its root'
"$top/tests/need" dpkg-dev debhelper rpm fakeroot >&2 ||
	skip_all 'packages are missing'
unset MAKEFLAGS MAKELEVEL	# of a make that runs the tests
kernel=$("$top/initramfs/kernel") || skip_all 'no kernel, whose modules dracut asks for'
packages=$work/build/packages
make -s -C "$top" deb rpm BUILD="$work/build" >"$work/log" 2>&1 ||
	cat "$work/log" >&2
version=$("$top/initramfs/packages/version")

# --- the older package

mkdir -p "$work/old/usr/bin" "$work/old/usr/lib/dracut/modules.d/99memstrack" \
	"$work/old/usr/share/doc/memstrack" "$work/out"
cat >"$work/old/usr/bin/memstrack" <<'END'
#!/bin/sh
echo 'memstrack 0.2.5'
END
cat >"$work/old/usr/lib/dracut/modules.d/99memstrack/module-setup.sh" <<'END'
#!/bin/bash
check() { require_binaries memstrack || return 1; return 255; }
install() { inst_binary memstrack; }
END
echo old >"$work/old/usr/share/doc/memstrack/README.md"
find "$work/old/usr" -type f -path '*/[bm]*' ! -name README.md \
	-exec chmod 755 {} +
made_deb() {
	mkdir -p "$work/deb/DEBIAN"
	cp -r "$work/old/usr" "$work/deb/"
	rm -r "$work/deb/usr/lib"
	printf '%s\n' 'Package: memstrack' 'Version: 0.2.5-1' \
		"Architecture: $(dpkg --print-architecture)" \
		'Maintainer: nobody <nobody@localhost>' 'Description: older' \
		>"$work/deb/DEBIAN/control"
	dpkg-deb --root-owner-group -b "$work/deb" "$1"
}
# --- Debian's: what is done in the root, and leaves its findings in /mnt/out

cat >"$work/out/steps" <<'STEPS'
set -eu
export DEBIAN_FRONTEND=noninteractive
cd /mnt/out
ours=$(echo ./memstrack_*.deb)
# What is written here must not come to the kernel that all tests use.
mkdir boot
cp -a /boot/. boot/
mount --bind boot /boot
# Small images: each change of packages makes one.
printf '%s\n' hostonly=no compress=cat 'dracutmodules=" base "' 'drivers=" "' \
	>/etc/dracut.conf.d/test.conf
# All files but logs, caches and lists of apt; of what is no state, contents
# too; and what update-alternatives has.
files() {
	find / -xdev \( -path /mnt -o -path /dev -o -path /proc -o -path /sys \
		-o -path /boot -o -path /tmp -o -path /run -o -path /var/log \
		-o -path /var/cache -o -path /var/lib/apt \) -prune -o \
		-printf '%M %U %G %p %l\n' | sort
	find /etc /usr -type f -exec cksum {} + | sort
	update-alternatives --get-selections
}
is_ours() {
	memstrack --version
	dpkg-query -W -f '${Version} ${db:Status-Status}\n' memstrack
	dpkg -V memstrack
	dracut --list-modules --kver "$RELEASE" 2>/dev/null | grep memstrack
	dracut --force --add memstrack-boot /tmp/image "$RELEASE" \
		>/mnt/out/dracut.log 2>&1
	lsinitrd /tmp/image | sed -n 's/.* \([^ ]*memstrack[^ ]*\).*/\1/p'
}
apt install -y ./older.deb
files >old
dpkg-query -L memstrack | sort >old.list
memstrack --version >old.version || :
cp -a /var/lib/dpkg/status /tmp/
apt install -y "$ours"
is_ours >ours
dpkg-query -L memstrack | sort >ours.list
# What the older one had and nobody has now.
comm -23 old.list ours.list | while read -r file; do
	[ ! -e "$file" ] || [ -d "$file" ] || dpkg-query -S "$file" \
		>/dev/null 2>&1 || echo "$file"
done >left
apt purge -y memstrack
files >after
apt install -y ./older.deb
files >again
apt install -y "$ours"
apt install -y --allow-downgrades ./older.deb
files >over
apt purge -y memstrack
files >none
STEPS

upgraded() {
	RELEASE=$(cat "$kernel/release")
	export RELEASE
	tree=$("$top/tests/images/root" bookworm apt dracut) || return
	cp "$packages"/memstrack_*.deb "$work/out/" || return
	made_deb "$work/out/older.deb" || return
	# What is there without either.
	"$top/tests/images/in-root" "$tree" "$kernel" "$work/out" \
		sh /mnt/out/steps >"$work/out/log" 2>&1 ||
		{ tail -n 20 "$work/out/log"; false; }
}
has() { grep -q -x "$1" "$work/out/ours" || { cat "$work/out/ours"; false; }; }

ok 'Debian: installed over the older one, removed, exchanged' upgraded
cd "$work/out" || exit 1
echo "# the older one: $(dpkg-deb -f older.deb Version)"
ok 'ours is what runs' has "memstrack $version"
ok 'as its package, of which no file is another' has "1:$version installed"
ok 'dracut has our module' has memstrack-boot
ok 'and its own, for this program' has memstrack
ok 'an image has the program' has '.*memstrack'
is 'no file of the older one is left to nobody' "$(cat left)" ''
ok 'removed: nothing of either is left' cmp none after
ok 'the older one can come back' cmp old again
ok 'and over ours: all of its files, and none of ours' cmp old over

# --- the RPM

cat >"$work/older.spec" <<SPEC
Name: memstrack
Version: 0.2.5
Release: 1
Summary: older
License: GPLv3
BuildArch: x86_64
%description
older
%install
cp -r $work/old/. %{buildroot}
%files
/usr/bin/memstrack
/usr/lib/dracut/modules.d/99memstrack
/usr/share/doc/memstrack
SPEC
# Debian's rpm installs nothing, unless it is told to.
debians=
! rpm --force-debian --version >"$work/log" 2>&1 || debians=--force-debian
in_rpm() { rpm --root "$work/rpm" --dbpath /db "$@" 2>&1; }
changes() { in_rpm ${debians:+"$debians"} --nodeps --noscripts "$@"; }
# Directories that are no package's stay: a machine has them.
listed() {
	(cd "$work/rpm" && find . -path ./db -prune -o \
		\( ! -type d -o -name '*memstrack*' \) -print | sort)
}
rpm_upgraded() {
	rpmbuild -bb --nodeps --define "_topdir $work/rpms" \
		--define '__os_install_post %{nil}' \
		--define 'debug_package %{nil}' "$work/older.spec" \
		>"$work/log" 2>&1 || { tail "$work/log"; return 1; }
	older=$(echo "$work"/rpms/RPMS/*/memstrack-0.2.5*.rpm)
	ours=$(find "$packages" -name 'memstrack-*.rpm' ! -name '*.src.rpm')
	mkdir -p "$work/rpm/db"
	listed >"$work/rpm.none"
	changes -i "$older" && listed >"$work/rpm.old" &&
		changes -U "$ours" && listed >"$work/rpm.ours" &&
		in_rpm -q memstrack >"$work/rpm.is" &&
		changes -e memstrack && listed >"$work/rpm.after" &&
		changes -i "$older" && listed >"$work/rpm.again" &&
		changes -U "$ours" && changes -U --oldpackage "$older" &&
		listed >"$work/rpm.over"
}
ok 'RPM: installed over the older one, removed, exchanged' rpm_upgraded
ok 'RPM: ours is installed' grep -q "^memstrack-$version-1" "$work/rpm.is"
ok 'RPM: with its program and module, and no other module' same \
	"$(grep -c -x -e ./usr/bin/memstrack \
	-e ./usr/lib/dracut/modules.d/50memstrack-boot -e '.*99memstrack.*' \
	"$work/rpm.ours")" 2
ok 'RPM: removed: nothing is left' cmp "$work/rpm.none" "$work/rpm.after"
ok 'RPM: the older one can come back' eval \
	"same \"\$(grep 99memstrack '$work/rpm.old')\" \
	\"\$(grep 99memstrack '$work/rpm.again')\""
ok 'RPM: and over ours' cmp "$work/rpm.again" "$work/rpm.over"
finish
