#!/bin/sh
# SPDX-License-Identifier: MIT
# The overlay, appended with cat, to compressed initramfs images, one of which
# has a length that is no multiple of four. memstrack starts, the /init of the
# image runs, and nothing is told of an image that is unpacked to its end.
# lib.sh appends it to plain images; unpack.t has it in front of one that memory
# has no room for.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"

"$top/tests/need" xz-utils >&2 || skip_all 'xz is missing'
to_guest /init <<'INIT'
mounts
facts
say "init=$0 pid=$$ tracers=$(count_tracers)"
memstrack report
grep -E '"type":"(unpack|end)"' /report.json >&3
off
INIT
"$top/initramfs/busybox-tree" "$work/base"
"$top/initramfs/overlay" "$MEMSTRACK" "$work/overlay"
cp -r "$guest/." "$work/base/"
archive "$work/base" >"$work/image"

# Zeroes behind the end of an archive do no harm: more of them until the
# compressed length is no multiple of four.
while gzip -1 <"$work/image" >"$work/odd"
	[ $(($(wc -c <"$work/odd") % 4)) = 0 ]; do
	head -c 512 /dev/zero >>"$work/image"
done
xz -0 --check=crc32 <"$work/image" >"$work/xz"

for kind in odd xz; do
	cat "$work/$kind" "$work/overlay.gz" >"$work/initrd"
	start 'rd.memstrack=1 rd.memstrack.format=json
		rd.memstrack.out=/report.json'
	ok "$kind, of $(wc -c <"$work/$kind") bytes" \
		fact 'init=/init pid=1 tracers=1'
	ok "$kind: a report, without a word on the unpacking" same \
		"$(grep -c '"type":"end"' "$facts")$(grep '"unpack"' "$facts")" 1
	ok "$kind: nor is there one on the console" \
		never_seen 'unpacking failed'
done
finish
