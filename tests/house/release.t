#!/bin/sh
# SPDX-License-Identifier: MIT
# A release: make dist gives the same bytes from a tree with git and one without,
# in two directories, by two users, with two locales, umasks and time zones. The
# version is in one place.
#
# MATRIX=all: the packages that are made of these have the same binary, and
# neither lintian nor rpmlint has a complaint that is not stated with its reason.
# shellcheck source-path=SCRIPTDIR/.. source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
cd "$top" || exit 1
unset MAKEFLAGS MAKELEVEL	# of a make that runs the tests
[ -e .git ] || skip_all 'a tree without git'
need=cpio
[ "${MATRIX-}" != all ] || need='cpio lintian rpmlint rpm rpm2cpio dpkg-dev
	debhelper musl-tools linux-libc-dev locales'
# shellcheck disable=SC2086 # words
tests/need $need >&2 || skip_all 'packages are missing'
chmod 755 "$work"

# --- two trees: the first with git, the second as it is unpacked

version=$(initramfs/packages/version)
name=memstrack-$version
make -s dist BUILD="$work/build" >"$work/dist.log" 2>&1
source=$work/build/packages/$name.tar.gz
ok 'make dist gives a tarball, named after the version' test -s "$source"
mkdir "$work/first" "$work/second"
tar -C "$work/first" -xzf "$source"
tar -C "$work/second" -xzf "$source"
first=$work/first/$name second=$work/second/$name
time=@$(stat -c %Y "$first/Makefile")
as_author() {
	git -C "$first" -c user.name=test -c user.email=test "$@"
}
git -c init.defaultBranch=main init -q "$first"
as_author add -A
GIT_COMMITTER_DATE="$time +0000" as_author commit -q -m test

localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" 2>/dev/null
home=$work/home
mkdir "$home"
# The second user: of locale, umask and time zone others too.
second_user() {
	# shellcheck disable=SC2016,SC2086 # expanded there; words
	env LOCPATH="$work" LC_ALL=de_DE.UTF-8 TZ=Pacific/Auckland HOME="$home" \
		$user sh -c 'umask 077; cd "$0" && "$@"' "$second" "$@"
}
user=
[ "$(id -u)" != 0 ] || {
	user='setpriv --reuid 65534 --regid 65534 --clear-groups'
	chown -R 65534:65534 "$work/second" "$home"
}
first_user() { (umask 022; LC_ALL=C TZ=UTC; export LC_ALL TZ; cd "$first" && "$@"); }

first_user make -s dist >"$work/first.log" 2>&1
second_user make -s dist >"$work/second.log" 2>&1
[ -n "$user" ] || echo '# not root: both are the same user'

ok 'the tarball of the first has the same bytes' cmp "$source" \
	"$first/build/packages/$name.tar.gz"
ok 'and that of the second' cmp "$source" "$second/build/packages/$name.tar.gz"
listed() { tar -tvzf "$source"; }
strangers() { listed | grep -v '^[-d]rw[-x]r-[-x]r-[-x] 0/0 '; }
is 'all of it belongs to nobody in particular, for all to read' \
	"$(strangers)" ''
ok 'nothing that was built is in it' eval '! listed | grep "/build/"'

# --- the version

# Where it may stand: in the one place, in the history, in examples.
elsewhere() {
	grep -r -l -F "$version" Makefile applet initramfs dracut-module |
		grep -v -x -e applet/limits.h -e applet/memstrack.8 \
			-e applet/memstrack-tools.8 -e initramfs/demo.svg
}
is 'the version is in one place' "$(elsewhere)" ''
is 'it is that of the program' "$("$MEMSTRACK" --version)" "memstrack $version"
ok 'the man page has news of it' grep -q "^\.Ss Version $version\$" \
	applet/memstrack.8
# What the history has of this version: each applet that --help lists.
history=$(sed -n "/^\.Ss Version $version\$/,/^\.S/p" applet/memstrack.8 |
	tr -s ' ,' '\n')
missing=$("$MEMSTRACK" --help |
	sed -n 's/^memstrack \[\{0,1\}\([a-z_]*\)\]\{0,1\}\( .*\)\{0,1\}$/\1/p' |
	while read -r applet; do
		echo "$history" | grep -q -x "$applet" || echo "$applet"
	done)
is 'with each applet' "$missing" ''

# --- the pages

# Pages and lists of pages that this machine lacks are no fault of ours.
faults_of_pages() {
	mandoc -T lint applet/*.[78] dracut-module/*.7 2>&1 |
		grep -v -e 'referenced manual not found' -e 'outdated mandoc.db'
}
if tests/need mandoc >&2; then
	is 'mandoc -T lint has nothing to say of the pages' \
		"$(faults_of_pages)" ''
	for page in applet/*.[78]; do
		lines=$(mandoc -T utf8 -O width=80 "$page" | wc -l)
		ok "${page#applet/}: at most 700 lines of output" \
			test "$lines" -le 700
	done
else
	skip 'mandoc -T lint' 'it is not to be had'
fi
ok 'README: at most 220 lines' test "$(wc -l <README.md)" -le 220
[ "${MATRIX-}" = all ] || finish

# --- the packages

logged() { "$@" >"$work/log" 2>&1 || { tail -n 20 "$work/log"; false; }; }
ok 'make rpm, by the first user' logged first_user make -s dist rpm
ok 'make deb, by the second, in a tree without git' \
	logged second_user make -s dist deb
deb=$(echo "$second"/build/packages/memstrack_*.deb)
rpm=$(echo "$first"/build/packages/memstrack-*.rpm)
rpm=${rpm%% *}
case $rpm in *.src.rpm) rpm=$(echo "$first"/build/packages/*[!c].rpm) ;; esac
dpkg-deb -x "$deb" "$work/deb"
mkdir "$work/rpm"
rpm2cpio "$rpm" | (cd "$work/rpm" && cpio --quiet -id)
ok 'the binaries of both have the same bytes' \
	cmp "$work/deb/usr/bin/memstrack" "$work/rpm/usr/bin/memstrack"
for from in deb rpm; do
	for shell in bash-completion/completions/memstrack \
		zsh/site-functions/_memstrack \
		fish/vendor_completions.d/memstrack.fish; do
		ok "the $from has completion: ${shell%%/*}" \
			test -s "$work/$from/usr/share/$shell"
	done
done
# That both bring their parts into images: boot/packages.t.
ok 'the deb replaces the older program' eval \
	"dpkg-deb -f '$deb' Conflicts Replaces | grep -c ': memstrack (<< 1:0)' |
	grep -x 2"
ok 'and the rpm' eval "rpm -qp --conflicts '$rpm' | grep -x 'memstrack < 1:0'"
is 'the version of the program' \
	"$("$work/deb/usr/bin/memstrack" --version)" "memstrack $version"
is 'of the deb' "$(dpkg-deb -f "$deb" Version)" "1:$version"
is 'of the rpm' "$(rpm -qp --qf '%{EPOCH}:%{VERSION}' "$rpm")" "1:$version"

# --- what others say of it

# Who makes a package says so in DEBEMAIL; there is no such address here.
clean_deb() {
	said=$(lintian --allow-root --fail-on error,warning --display-info \
		--suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog \
		"$second"/build/packages/*.changes 2>&1)
	status=$?
	echo "$said"
	[ "$status" = 0 ] && ! echo "$said" | grep '^[EWI]:'
}
ok 'lintian has nothing but the overrides with their reason' clean_deb
clean_rpm() {
	rpmlint -c initramfs/packages/rpmlint.toml \
		"$first"/build/packages/*.rpm "$first"/build/packages/*.spec |
		tee "$work/rpmlint" | grep ' 0 errors, 0 warnings' ||
		{ cat "$work/rpmlint"; false; }
}
ok 'nor has rpmlint' clean_rpm
finish
