#!/bin/sh
# SPDX-License-Identifier: MIT
# Any image: images made by distributions' own tools, and one of busybox, are
# booted unmodified, with the overlay joined to them and rdinit=/memstrack. Each
# reaches its real root, with a report in the kernel log and on the console, or
# in a file. All compressions that the tools use are tried.
#
# MATRIX=all: every image in every compression, with the overlay behind it and
# in front; also with systemd where the image above has none, and without where
# it has it; and with trixie's kernel. This takes some twenty minutes.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/boot/images.sh
. "$here/images.sh"

"$top/tests/need" kmod xz-utils zstd lz4 >&2 || skip_all 'packages are missing'

real_root <<'INIT'
mounts
facts
say root="$(grep ' / ' /proc/mounts)"
wait_for_tracers
say tracers="$(count_tracers)"
log_of_tracers
[ ! -e /run/memstrack.txt ] || sed 's/^/file=/' /run/memstrack.txt >&3
off
INIT

# --- the images

# image KIND [COMPRESSION]: where it is; in the one it comes in by default. What
# comes in another than was asked for is none.
image() {
	made=$(make_image "$@") && [ -s "$made" ] &&
		case ${2-any} in
		any | "$(compression_of "$made")") echo "$made" ;;
		esac
}
make_image() {
	as=$1${2+-$2}${SUITE:+-$SUITE}
	case $1 in
	dracut-112) dracut_image "$as" sid ${2+"--$2"} ;;
	dracut-112-sh) dracut_image "$as" sid --omit systemd ;;
	dracut-059) dracut_image "$as" bookworm ${2+"--$2"} ;;
	dracut-059-sh)
		dracut_image "$as" bookworm --omit systemd ${2+"--$2"} ;;
	tools)
		ADD=$work/add
		export ADD
		mkdir -p "$ADD/etc/initramfs-tools/conf.d"
		echo "COMPRESS=$2" >"$ADD/etc/initramfs-tools/conf.d/test"
		tools_image "$as" bookworm
		unset ADD ;;
	busybox)
		busybox_image "$work/plain" >&2
		compress "$2" <"$work/plain" >"$work/image"
		echo "$work/image" ;;
	esac
}

compress() {
	case $1 in
	gzip) gzip -1 ;;
	xz) xz -0 --check=crc32 ;;
	zstd) zstd -q -1 ;;
	lz4) lz4 -q -l -1 ;;
	esac
}

compression_of() {
	case $(od -A n -t x1 -N 4 "$1" | tr -d ' ') in
	1f8b*) echo gzip ;;
	fd377a58) echo xz ;;
	28b52ffd) echo zstd ;;
	02214c18) echo lz4 ;;
	30373037) echo plain ;;
	*) echo unknown ;;
	esac
}

# Whether the kernel can; one without a config at hand is thought to.
configured() {
	case $1 in plain | unknown) return 0 ;; esac
	config=$kernel/root/boot/config-$(cat "$kernel/release")
	[ ! -e "$config" ] ||
		grep -qx "CONFIG_RD_$(echo "$1" | tr '[:lower:]' '[:upper:]')=y" "$config"
}

# --- what is seen

yes_or_no() {
	if "$@"; then echo yes; else echo no; fi
}
# Lines of the report, of those that begin with $1 and end with the count.
whole() {
	sed -n "s/^$1//p" "$facts" |
		sed -n '/^memstrack [0-9.]*: .*[,;] [0-9]* lost/,$p' >"$work/text"
	[ "$(sed -n 's/.*end of report, \([0-9]*\) lines$/\1/p' \
		"$work/text")" = $(($(wc -l <"$work/text") - 1)) ]
}
in_log() { whole 'memstrack: '; }
in_file() { whole 'file='; }
on_console() { seen '\(memstrack: \|^\)memstrack .*: end of report, '; }

summary() {
	echo "# $which: $parameters"
	for text in ' traced +[^,]*, reason: .*' ' [0-9]* allocs .*' \
		'fall .*'; do
		sed -n "s/^[^ ]*.*\($text\)/# \1/p" "$facts" | head -n 1
	done
	echo "#  report on console $(yes_or_no on_console), in the kernel" \
		"log $(yes_or_no in_log), in a file $(yes_or_no in_file)"
}

# goes_on WHAT IMAGE PLACE TASK "parameters": to its real root, with a report
# that has the early task in it; in the file, if one is named, else in the log
# and on the console.
goes_on() {
	ok "$1: there is such an image" test -s "$2"
	[ -s "$2" ] || return
	compression=$(compression_of "$2")
	met=${met-}$compression,
	which="$1, $compression, overlay ${3:-behind}"
	if ! configured "$compression"; then
		skip "$which" "the kernel has no CONFIG_RD_ of it"
		return
	fi
	with_overlay "$2" ${3:+"$3"}
	boot_image "rd.memstrack=2 $5"
	ok "$which: the guest ends by itself" [ "$boot_status" = 0 ]
	ok "$which: the real root is reached" fact 'root=/dev/vda / ext4 ro.*'
	# systemd tells everybody to end first.
	ok "$which: a report was made at switch-root" \
		grep -q 'report .*reason: \(switch-root\|SIGTERM\)' "$facts"
	case $5 in
	*out=*) ok "$which: it is whole in the file" in_file ;;
	*)
		ok "$which: it is whole in the kernel log" in_log
		ok "$which: and on the console" on_console ;;
	esac
	ok "$which: tasks from the first on are in it" \
		grep -q "[ =(-]$4[^ ]*\[[0-9]*\] " "$facts"
	ok "$which: no tracer is left" fact 'tracers=0'
	summary
}
to_file=rd.memstrack.out=/run/memstrack.txt

# --- and which

goes_on 'dracut 112, systemd' "$(image dracut-112)" '' udev quiet
goes_on 'dracut 059, no systemd' "$(image dracut-059-sh xz)" '' udev ''
goes_on 'initramfs-tools' "$(image tools lz4)" '' udev ''
goes_on 'busybox' "$(image busybox gzip)" '' busybox "$to_file"
early_cpio "$work/early"
cat "$(image busybox gzip)" >>"$work/early"
goes_on 'busybox behind an early archive' "$work/early" front busybox ''
ok "$which: the kernel finds its early files" \
	seen 'SSDT.* found in initrd .kernel/firmware/acpi/test.aml'
ok 'each compression was among them' [ "$met" = zstd,xz,lz4,gzip,plain, ]
[ "${MATRIX-}" = all ] || finish

for compression in gzip xz zstd lz4; do
	for kind in dracut-112 dracut-059-sh tools busybox; do
		case $kind in
		busybox) task=busybox ;;
		*) task=udev ;;
		esac
		made=$(image $kind "$compression")
		goes_on "$kind" "$made" '' $task ''
		goes_on "$kind" "$made" front $task "quiet $to_file"
	done
done
goes_on 'dracut 112, no systemd' "$(image dracut-112-sh)" '' udev ''
goes_on 'dracut 059, systemd' "$(image dracut-059)" '' udev ''
SUITE=trixie
kernel=$("$top/initramfs/kernel" $SUITE)
goes_on 'dracut 112, trixie' "$(image dracut-112)" '' udev ''
goes_on 'dracut 059, trixie' "$(image dracut-059-sh xz)" '' udev ''
goes_on 'initramfs-tools, trixie' "$(image tools lz4)" '' udev ''
goes_on 'busybox, trixie' "$(image busybox gzip)" '' busybox ''
finish
