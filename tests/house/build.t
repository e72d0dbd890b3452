#!/bin/sh
# SPDX-License-Identifier: MIT
# The build: when a header changes, or a source is added or removed, everything
# that depends on it is built again. A build that is up to date makes nothing.
# shellcheck source-path=SCRIPTDIR/.. source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
cd "$top" || exit 1
cp -r applet Makefile tests initramfs dracut-module "$work/"
cd "$work" || exit 1
objects() { make 2>&1 | grep -c '^  CC '; }

make -s >/dev/null 2>&1
is 'a fresh build succeeds' $? 0
is 'a second one compiles nothing' "$(objects)" 0
is 'and links nothing' "$(make | grep -c LINK)" 0
# Later than any object, whatever the file system's clock.
touch -d '+2 seconds' applet/control/control.h
users=$(grep -l '^[^:]*:.*control\.h\|^ .*control\.h' -r build --include='*.d' | wc -l)
is 'a header of some files compiles these' "$(objects)" "$users"
touch -r applet/control/control.c applet/control/control.h
make -s
echo 'extern int added; int added = 1;' >applet/source/added.c
is 'a source that comes is compiled' "$(objects)" 1
rm applet/source/added.c
is 'one that goes relinks' "$(make | grep -c LINK)" 1

make -s install DESTDIR="$work/into" PREFIX=/usr >/dev/null
is 'install: the binary' "$(stat -c %a into/usr/bin/memstrack)" 755
is 'install: the man page' \
	"$(stat -c %a into/usr/share/man/man8/memstrack.8)" 644
is 'install: completion' "$(cd into/usr/share && find bash-completion zsh fish \
	-type f -exec stat -c '%a %n' {} + | sort)" \
	"644 bash-completion/completions/memstrack
644 fish/vendor_completions.d/memstrack.fish
644 zsh/site-functions/_memstrack"
make -s initramfs-tools-install mkinitcpio-install DESTDIR="$work/hooks" \
	PREFIX=/usr
is 'the hooks of initramfs-tools and mkinitcpio' \
	"$(cd hooks && find . -type f -exec stat -c '%a %n' {} + | sort)" \
	"644 ./usr/lib/initcpio/hooks/memstrack
644 ./usr/lib/initcpio/install/memstrack
755 ./usr/share/initramfs-tools/hooks/memstrack
755 ./usr/share/initramfs-tools/scripts/init-top/memstrack"
make -s dracut-module-install DESTDIR="$work/module" PREFIX=/usr
is 'dracut-module-install: the module and its page' \
	"$(cd module && find . -type f -exec stat -c '%a %n' {} + | sort)" \
	"644 ./usr/lib/dracut/modules.d/50memstrack-boot/memstrack-boot.service
644 ./usr/share/man/man7/memstrack-dracut.7
755 ./usr/lib/dracut/modules.d/50memstrack-boot/memstrack-boot.sh
755 ./usr/lib/dracut/modules.d/50memstrack-boot/module-setup.sh"
make -s overlay >/dev/null
initramfs/overlay build/memstrack overlay.cpio
is 'overlay: of the binary, plain' "$(cksum <build/memstrack.cpio)" \
	"$(cksum <overlay.cpio)"
is 'and compressed' "$(cksum <build/memstrack.cpio.gz)" \
	"$(cksum <overlay.cpio.gz)"
is 'help names every target that has a text' "$(make help | grep -c '^make ')" \
	"$(grep -c '^[a-z-]*:.*## ' Makefile)"
make -s clean
is 'clean leaves nothing' "$(find build -type f | wc -l)" 0
finish
