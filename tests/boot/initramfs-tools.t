#!/bin/sh
# SPDX-License-Identifier: MIT
# An image that mkinitramfs made with our hook and script, booted to its real
# root: the script starts the tracer, before udev. (Without rd.memstrack, and
# where a tracer runs already: hooks.t.)
# MATRIX=all: an image of sid.
. "$(dirname "$0")/images.sh"

traced_root 'cat /run/seen >&3
dmesg | sed -n "s/^\[ *\([0-9.]*\)\] Run .* as init process\$/first=\1/p" >&3'

# Over the tree: what a user installs, and a script that tells how many
# tracers there are when the real root is mounted.
ADD=$work/add
export ADD
mkdir -p "$ADD/usr/bin" "$ADD/etc/initramfs-tools/scripts/local-bottom"
make -s -C "$top" initramfs-tools-install BUILD="$BUILD" DESTDIR="$work/made" \
	PREFIX=/usr
cp -r "$work/made/usr/share/initramfs-tools/." "$ADD/etc/initramfs-tools/"
tree=$("$top/tests/images/root" bookworm) || skip_all "no tree of bookworm"
"$top/tests/images/in-root" "$tree" "$kernel" "$work" \
	/etc/initramfs-tools/hooks/memstrack 2>"$work/said"
ok "without the program the hook fails" [ $? != 0 ]
ok "it is named" grep '^memstrack: neither .*/usr/bin/memstrack$' "$work/said"
mkdir -p "$ADD/usr/local/bin"
cp "$MEMSTRACK" "$ADD/usr/local/bin/memstrack"
"$top/tests/images/in-root" "$tree" "$kernel" "$work" env DESTDIR=/mnt/out/to \
	verbose=n /etc/initramfs-tools/hooks/memstrack 2>"$work/said"
ok "from /usr/local it is copied to where rdinit= names it" \
	cmp "$MEMSTRACK" "$work/to/memstrack"
rm -r "$ADD/usr/local/bin/memstrack" "$work/to"
cp "$MEMSTRACK" "$ADD/usr/bin/memstrack"
install -D "$BOOT" "$ADD/usr/lib/memstrack/memstrack"
"$top/tests/images/in-root" "$tree" "$kernel" "$work" env DESTDIR=/mnt/out/to \
	verbose=n /etc/initramfs-tools/hooks/memstrack 2>"$work/said"
ok "where there is one for images, it is that one" \
	cmp "$BOOT" "$work/to/memstrack"
cat >"$ADD/etc/initramfs-tools/scripts/local-bottom/seen" <<'SCRIPT'
#!/bin/sh
[ "$1" != prereqs ] || exit 0
tracers=0
for status in /proc/[0-9]*/status; do
	read -r key name <"$status" || continue
	[ "$key $name" != 'Name: memstrack' ] || tracers=$((tracers + 1))
done
echo "tracers=$tracers" >/run/seen
echo order=$(sed -n 's,^/scripts/init-top/\([^ ]*\) .*,\1,p' \
	/scripts/init-top/ORDER) >>/run/seen
SCRIPT
chmod +x "$ADD/etc/initramfs-tools/scripts/local-bottom/seen"
make_image() {
	rm -f "$work/initrd"
	made=$(tools_image "tools-hook-$1" "$1") && with_program "$made" memstrack
}
ok "mkinitramfs makes an image with it" make_image bookworm

traced_once() {
	switched "$1"
	ok "$1: there is one tracer" fact tracers=1
	ok "$1: no other report" same "$(reports)" 1
	ok "$1: its directories are phases" phases init-top init-premount local-top \
		local-premount local-bottom init-bottom
	ok "$1: udev is in it, and a module that udev loaded" \
		fact 'memstrack: .*udev.*' 'memstrack: virtio_blk  *.*'
	echo "# $1:$(sed -n 's/.*\( traced +[0-9.]* s to\) .*/\1/p' "$facts")" \
		"the end; the first process began at +$(value first) s"
}

boot_image 'rdinit=/init quiet rd.memstrack=1 rd.memstrack.top=x'
ok "the script is ahead of udev's" fact 'order=\(.* \)\{0,1\}memstrack udev.*'
traced_once "by the script"
ok "by the script: a bad value, once" same \
	"$(grep -c '^memstrack: rd.memstrack.top: x: not ' "$facts")" 1

if [ "${MATRIX-}" = all ]; then
	ok "of sid: mkinitramfs makes an image with it" make_image sid
	boot_image 'rdinit=/init rd.memstrack=1'
	traced_once "of sid, by the script"
fi
finish
