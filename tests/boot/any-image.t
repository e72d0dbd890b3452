#!/bin/sh
# SPDX-License-Identifier: MIT
# Any image: an image made by a distribution's own tool, and one of busybox, are
# booted unmodified, with the overlay joined to them and rdinit=/memstrack. Each
# reaches its real root, with a report in the kernel log and on the console, or
# in a file, and nothing is told of the unpacking. The one of busybox is in
# parts, each in another one of the formats that the kernel takes, the first of
# a length that is no multiple of four, with the overlay in front, between and
# behind them. MATRIX=all: images of all tools in every compression that these
# use, with the overlay behind and in front, with systemd and without; and with
# trixie's kernel. This takes some twenty minutes.
. "$(dirname "$0")/images.sh"

"$top/tests/need" kmod bzip2 xz-utils lzop lz4 zstd >&2 || skip_all 'packages are missing'

traced_root '
[ ! -e /run/parts ] || say parts="$(echo $(cat /run/parts))"
[ ! -e /run/memstrack.txt ] || sed s/^/file=/ /run/memstrack.txt >&3
[ ! -e /run/memstrack.json ] ||
	grep "\"type\":\"\(head\|own\|slab.*\)\"," /run/memstrack.json >&3'

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
	bzip2) bzip2 -1 ;;
	lzma) xz -0 --format=lzma ;;
	xz) xz -0 --check=crc32 ;;
	lzo) lzop -1 ;;
	lz4) lz4 -q -l -1 ;;
	zstd) zstd -q -1 ;;
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

# --- what is seen

# goes_on WHAT IMAGE PLACE TASK "parameters": to its real root, with a report
# that has the early task in it; in the file, if one is named, else in the log
# and on the console.
goes_on() {
	ok "$1: there is such an image" test -s "$2"
	[ -s "$2" ] || return
	compression=$(compression_of "$2")
	with_overlay "$2" ${3:+"$3"}
	went_on "$1, $compression, overlay ${3:-behind}" "$4" "$5"
}
# went_on WHAT TASK "parameters", of $work/initrd.
went_on() {
	which=$1
	boot_image "rd.memstrack=2 $3"
	case $3 in
	*out=*) switched "$which" in_file ;;
	*) switched "$which" ;;
	esac
	ok "$which: tasks from the first on are in it" \
		grep -q "[ =(-]$2[^ ]*\[[0-9]*\] " "$facts"
	ok "$which: not a word on the unpacking" unpacked_whole
}
unpacked_whole() {
	[ "$boot_status" = 0 ] &&
		! grep -i 'unpacking failed' "$console" "$facts"
}
to_file=rd.memstrack.out=/run/memstrack.txt

# in_parts FORMAT...: busybox's image, in one part a format, as $work/initrd.
# The plain part in front is of early files; the first compressed one has the
# image, each of the others a file of its own.
in_parts() {
	"$top/initramfs/overlay" "$BOOT" "$work/overlay"
	early_cpio "$work/early"
	busybox_image "$work/plain" >&2
	cat "$work/overlay" "$work/early"
	for format; do
		[ "$format" = "$1" ] || {
			rm -rf "$work/part"
			mkdir -p "$work/part/parts"
			: >"$work/part/parts/$format"
			archive "$work/part" >"$work/plain"
		}
		# Zeroes behind the end of an archive do no harm. What xz makes
		# has no other length.
		while compress "$format" <"$work/plain" >"$work/odd"
			[ "$format" = gzip ] &&
			[ $(($(wc -c <"$work/odd") % 4)) = 0 ]; do
			head -c 512 /dev/zero >>"$work/plain"
		done
		cat "$work/odd" "$work/overlay.gz"
	done
}

# --- and which

# dracut.t has one of dracut, which traces by its unit.
goes_on 'initramfs-tools' "$(image tools zstd)" '' udev quiet

formats='gzip bzip2 lzma xz lzo lz4 zstd'
# shellcheck disable=SC2086 # words
in_parts $formats >"$work/parts"
mv "$work/parts" "$work/initrd"
went_on 'busybox, in parts' busybox "$to_file"
ok "$which: the kernel finds early files" \
	seen 'SSDT.* found in initrd .kernel/firmware/acpi/test.aml'
# shellcheck disable=SC2086 # words, of which the first is the image itself
is "$which: all of them are unpacked" "$(value parts)" \
	"$(set -- $formats; shift; printf '%s\n' "$@" | sort | tr '\n' ' ' |
		sed 's/ $//')"
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
goes_on 'dracut 059, systemd' "$(image dracut-059)" '' udev quiet
goes_on 'dracut 112, systemd' "$(image dracut-112)" '' udev quiet
goes_on 'dracut 112, no systemd' "$(image dracut-112-sh)" '' udev ''

# Objects of slab with tables of the default sizes: each finds room, and the
# balance is near what the kernel's caches grew by. demo.t has a smaller boot.
with_overlay "$(image dracut-112)"
boot_image 'rd.memstrack=3 rd.memstrack.slab rd.memstrack.ring=4M
	rd.memstrack.out=/run/memstrack.json rd.memstrack.format=json' -c 2
grep '"slab_balance"' "$facts" | sed 's/^/# /'
is 'objects: lost, without room, sites without room' "$(of head lost) $(of \
	slab_balance untracked) $(of slab_balance sites_full)" '0 0 0'
ok 'objects: hundreds of sites' \
	is_between "$(grep -c '"type":"slab",' "$facts")" 300 100000
ok 'objects: nothing was freed twice' never_told '"kind":"double_free"'
ok 'objects: nothing was too short' never_told '"kind":"short"'
ok 'objects: of what the caches grew by, most was traced, per mille' \
	is_between "$(of slab_balance explained_permille)" 700 1300
SUITE=trixie
kernel=$("$top/initramfs/kernel" $SUITE)
goes_on 'dracut 112, trixie' "$(image dracut-112)" '' udev ''
goes_on 'dracut 059, trixie' "$(image dracut-059-sh xz)" '' udev ''
goes_on 'initramfs-tools, trixie' "$(image tools lz4)" '' udev ''
goes_on 'busybox, trixie' "$(image busybox gzip)" '' busybox ''
finish
