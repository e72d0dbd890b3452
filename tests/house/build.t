#!/bin/sh
# SPDX-License-Identifier: MIT
# The build: when a header changes, or a source is added or removed, everything
# that depends on it is built again. A build that is up to date makes nothing.
# The binary is static, small and unable to allocate memory: a build whose
# source does allocate fails.
#
# All of it in a copy of the tree with the objects of $BUILD.
# shellcheck source-path=SCRIPTDIR/.. source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
cd "$top" || exit 1
unset MAKEFLAGS MAKELEVEL	# of a make that runs the tests

small() { make -s fits BUILD="$BUILD"; }
lacks() {
	"$BOOT" --help >"$work/help" 2>&1
	for word in replay kmemtrace top run diff view estimate; do
		! "$BOOT" "$word" /dev/null 2>"$work/err" &&
			grep -q "^memstrack: $word: not in this build" \
				"$work/err" && ! grep -q " $word " "$work/help" ||
			return
	done
	for word in svg chrome folded prometheus; do
		! "$BOOT" --format="$word" --out=/x 2>"$work/err" &&
			grep -q "$word: not in this build" "$work/err" || return
	done
	! "$BOOT" --out=/a.txt,/b.svg 2>"$work/err" &&
		grep -q 'not in this build' "$work/err"
}
stack_not_executable() {
	readelf -l -W "$MEMSTRACK" | grep GNU_STACK | grep -q 'RW  *0x'
}
ok 'no binary is larger than its limit' small
ok 'static: no interpreter, no library' is_static "$MEMSTRACK"
ok 'so is the one for an image' is_static "$BOOT"
ok 'which says what it lacks, and does not offer it' lacks
ok 'its stack is not executable' stack_not_executable

mkdir "$work/build"
cp -a applet Makefile tests initramfs dracut-module "$work/"
for made in applet boot sources main.o main.d features.o features.d with \
	memstrack memstrack.unstripped kernel-headers; do
	[ ! -e "$BUILD/$made" ] || cp -a "$BUILD/$made" "$work/build/"
done
cd "$work" || exit 1
# The directory that the objects were made in has another name.
find build -name '*.d' -exec \
	sed -i -e 's,^[^ :]*/\(applet/[^ :]*\.o:\),build/\1,; t' \
	-e 's,^[^ :]*/\(boot/[a-z]*\.o:\),build/\1,; t' \
	-e 's,^[^ :]*/\([a-z]*\.o:\),build/\1,' {} +
# Compiles in no time, and links nothing: the other objects need the optimiser. So
# what is made of the binaries comes first.
quick() {
	make -k SMALL='-O0 -fno-lto -ffunction-sections -fdata-sections' "$@" 2>&1
}
objects() { quick | grep -c '^  CC '; }

is 'what is up to date is not compiled' "$(objects)" 0
is 'nor linked' "$(quick | grep -c LINK)" 0

# --- what is made of it

make -s install DESTDIR="$work/into" PREFIX=/usr >/dev/null
is 'install: the binaries, their pages, completion' "$(files_of into)" \
	"644 ./usr/share/bash-completion/completions/memstrack
644 ./usr/share/fish/vendor_completions.d/memstrack.fish
644 ./usr/share/man/man7/memstrack-report.7
644 ./usr/share/man/man8/memstrack-tools.8
644 ./usr/share/man/man8/memstrack.8
644 ./usr/share/zsh/site-functions/_memstrack
755 ./usr/bin/memstrack
755 ./usr/lib/memstrack/memstrack"
make -s initramfs-tools-install mkinitcpio-install DESTDIR="$work/hooks" \
	PREFIX=/usr
is 'the hooks of initramfs-tools and mkinitcpio' "$(files_of hooks)" \
	"644 ./usr/lib/initcpio/hooks/memstrack
644 ./usr/lib/initcpio/install/memstrack
755 ./usr/share/initramfs-tools/hooks/memstrack
755 ./usr/share/initramfs-tools/scripts/init-bottom/00memstrack
755 ./usr/share/initramfs-tools/scripts/init-premount/00memstrack
755 ./usr/share/initramfs-tools/scripts/init-top/memstrack
755 ./usr/share/initramfs-tools/scripts/local-bottom/00memstrack
755 ./usr/share/initramfs-tools/scripts/local-premount/00memstrack
755 ./usr/share/initramfs-tools/scripts/local-top/00memstrack"
make -s dracut-module-install DESTDIR="$work/module" PREFIX=/usr
is 'dracut-module-install: the module and its page' "$(files_of module)" \
	"644 ./usr/lib/dracut/modules.d/50memstrack-boot/memstrack-boot.service
644 ./usr/share/man/man7/memstrack-dracut.7
755 ./usr/lib/dracut/modules.d/50memstrack-boot/memstrack-boot.sh
755 ./usr/lib/dracut/modules.d/50memstrack-boot/module-setup.sh"
make -s overlay >/dev/null
initramfs/overlay build/boot/memstrack overlay.cpio
is 'overlay: of the binary, plain' "$(cksum <build/memstrack.cpio)" \
	"$(cksum <overlay.cpio)"
is 'and compressed' "$(cksum <build/memstrack.cpio.gz)" \
	"$(cksum <overlay.cpio.gz)"
is 'help names every target that has a text' "$(make help | grep -c '^make ')" \
	"$(grep -c '^[a-z-]*:.*## ' Makefile)"

# --- what a machine lacks

# poor TARGET: as a user, with nothing installed, where apt would fail.
mkdir -p "$work/poor"
printf '#!/bin/sh\necho "apt was run" >&2\nexit 100\n' >"$work/poor/apt-get"
printf '#!/bin/sh\nexit 1\n' >"$work/poor/dpkg-query"
chmod +x "$work/poor/apt-get" "$work/poor/dpkg-query"
cp "$work/poor/apt-get" "$work/poor/apt-cache"
user=
[ "$(id -u)" != 0 ] || {
	user='setpriv --reuid 65534 --regid 65534 --clear-groups'
	chmod 755 "$work"
	mkdir "$work/poor/build"
	chown 65534:65534 "$work/poor/build"
}
poor() {
	# shellcheck disable=SC2086 # words
	! PATH=$work/poor:$PATH $user make -s BUILD="$work/poor/build" "$1" \
		>log 2>&1 && cat log && ! grep 'apt was run' log &&
		grep -q "^need: packages are missing; as root: apt-get install .*$2" log
}
ok 'make, without root: what is missing is said' poor all musl-tools
ok 'make demo: all at once' poor demo 'musl-tools.* qemu-system-x86.* zstd'
rm "$work/poor/dpkg-query"
old_lists() {
	! poor need-boot x && cat log && grep 'as root: apt-get update' log
}
ok 'where lists of packages are missing, it is said' old_lists

# --- what is made again

header=applet/host/top/top.h
users=$(grep -l " $header" -r build --include='*.d' | wc -l)
touch $header
ok "a header compiles the $users files of its users" \
	eval "is_between $users 4 20 && same '$(objects)' $users"
echo 'extern int added; int added = 1;' >applet/source/added.c
is 'a source that comes is compiled' "$(objects)" 1
rm applet/source/added.c
is 'one that goes relinks both' "$(quick | grep -c LINK)" 2

unknown() {
	! quick APPLETS=prometeus size >log && grep 'no such word: prometeus' log
}
ok 'APPLETS with a word that is none' unknown

# --- no allocation

# The same link with one function more that asks for memory, in a way that the
# compiler cannot do without.
offender() {
	sed "s/^int main(.*/$1\n&/" main.c >applet/main.c &&
		! quick >log &&
		grep "undefined reference to .__wrap_$2'" log
}
cp applet/main.c main.c
declared='__attribute__((constructor)) static void offend(void)'
ok 'malloc does not link' offender \
	"#include <stdlib.h>\n$declared { void *volatile p = malloc(9); (void)p; }" \
	malloc
ok 'nor does fopen, which allocates within the library' offender \
	"#include <stdio.h>\n$declared { if (fopen(\"x\", \"r\")) _exit(1); }" \
	malloc

cp main.c applet/main.c
make -s clean
is 'clean leaves nothing' "$(find build -type f | wc -l)" 0
finish
