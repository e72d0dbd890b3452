# SPDX-License-Identifier: MIT
# Functions that boot machines of another architecture, after those of lib.sh,
# whose checks serve here too. foreign MACHINE makes one ready.
#
# A foreign machine has one serial line. What the guest has to tell it keeps in
# a file in /dev, which outlives the switch of the root, and tells on the console
# at the end, between two marks.
# shellcheck disable=SC2034 # for the tests
[ "${boots-}" ] || . "$(dirname "$0")/lib.sh"

. "$top/initramfs/machine.sh"
foreign() {
	machine "$1" || return 1
	"$top/tests/need" "$package" >&2 &&
		tree=$("$top/tests/images/foreign" "$1") &&
		modules=$("$top/tests/modules/build" -a "$1") &&
		cross=$("$top/initramfs/cross" "$arch")
}

# Built once for all tests, without a warning; not where `make ARCH=` builds,
# whose dependencies name files by other paths.
build_foreign() {
	(
		unset MAKEFLAGS MAKELEVEL	# of a make that runs the tests
		flock 9
		make -s -C "$top" ARCH="$arch" BUILD="$BUILD/foreign/$arch" \
			all size
	) 9>"$BUILD/.foreign.lock"
}

# A guest with busybox, the planted modules and their loader, its /init from
# stdin; and a script of the root that it switches to.
foreign_guest() {
	new_guest bare
	mkdir -p "$guest/bin" "$guest/lib"
	cp -L "$tree/bin/busybox" "$guest/bin/"
	for name in sh base64 cat cp cut dd dmesg grep kill md5sum mkdir mount \
		poweroff rmmod sed seq sleep stty switch_root tail uname wc; do
		ln -s busybox "$guest/bin/$name"
	done
	cp "$modules"/planted?.ko "$modules/eater.ko" "$guest/lib/"
	"$cross/cc" -static -Os -o "$guest/bin/load" \
		"$top/tests/modules/load.c" || exit 1
	and_off | foreign_script /init
}
foreign_script() {
	mkdir -p "$guest$(dirname "$1")"
	{
		cat "$here/guest.sh"
		cat <<'FOREIGN'
facts() { exec 3>>/dev/facts; }
off() {
	exec 3>&-
	dmesg -n 1
	echo; echo "=== facts"; cat /dev/facts; echo "=== end"
	sleep 1
	poweroff -f
}
FOREIGN
		cat
	} >"$guest$1"
	chmod +x "$guest$1"
}

# boot_foreign "parameters" [options of QEMU]
boot_foreign() {
	parameters=$(echo "$backend $1" | tr -s '\t\n' '  ')
	shift
	boots=$((boots + 1))
	MEMSTRACK=$BUILD/foreign/$arch/memstrack
	initrd
	# shellcheck disable=SC2086 # several words
	qemu-system-$emulator -m "$mib" -smp 2 -nodefaults \
		-display none -no-reboot -serial stdio "$@" \
		-kernel "$tree/vmlinuz" -initrd "$work/initrd" \
		-append "console=$console_name panic=-1 rdinit=/memstrack
			$parameters" </dev/null 2>&1 | tr -d '\r' >"$console"
	sed -n '/^=== facts$/,/^=== end$/p' "$console" | sed '1d;$d' >"$facts"
}
