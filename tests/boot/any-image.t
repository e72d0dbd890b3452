#!/bin/sh
# Any image: what distributions' own tools made is booted unmodified, with the
# overlay appended and rdinit=/memstrack. Each gets to its real root with a
# report in the kernel log and on the console.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/boot/images.sh
. "$here/images.sh"

real_root <<'INIT'
mounts
facts
say root="$(grep ' / ' /proc/mounts)"
# The report follows the switch of the root.
for i in $(seq 100); do
	[ "$(count_tracers)" != 0 ] || break
	sleep 0.1
done
say tracers="$(count_tracers)"
dmesg | sed -n 's/^\[ *\([0-9.]*\)\] \(memstrack: .*\)/\2/p' >&3
off
INIT

# goes_on "what it is" IMAGE: that it boots, and what it says.
goes_on() {
	with_overlay "$2"
	boot_image "rd.memstrack=2"
	ok "$1: the guest ends by itself" [ "$boot_status" = 0 ]
	ok "$1: the real root is reached" fact 'root=/dev/vda / ext4 ro.*'
	# systemd tells everybody to end first.
	ok "$1: a report was made at switch-root" \
		fact 'memstrack: .*reason: \(switch-root\|SIGTERM\)'
	ok "$1: it is whole in the kernel log" \
		fact 'memstrack: memstrack .*: end of report, .*'
	ok "$1: and on the console" seen 'memstrack: .* end of report, '
	ok "$1: tasks from before udev on are in it" \
		fact 'memstrack: .*udev.*'
	ok "$1: no tracer is left" fact 'tracers=0'
	first=$(sed -n 's/.* traced +\([0-9.]*\) s to .*/\1/p' "$facts")
	echo "# $1: traced from ${first:-never} s on"
}

goes_on "dracut 112, systemd" "$(dracut_image dracut-112 sid)"
goes_on "dracut 059, no systemd" \
	"$(dracut_image dracut-059-sh bookworm --omit systemd)"
goes_on "initramfs-tools" "$(tools_image tools bookworm)"
finish
