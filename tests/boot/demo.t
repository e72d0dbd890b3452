#!/bin/sh
# SPDX-License-Identifier: MIT
# `make demo` as a user runs it, at level 3: real modules, a real root, and the
# report, whose lines are of 100 columns and whose counts agree with their nouns.
. "$(dirname "$0")/lib.sh"

# Rings that lose nothing, and a clock that counts instructions, whatever else the
# host does.
LEVEL=3 MACHINE='-c 1 -i 3' SLAB=1 MORE='rd.memstrack.ring=4M rd.memstrack.mem=8M' \
	"$top/initramfs/demo" >"$console" 2>"$facts"
is 'it succeeds' $? 0
is 'reports' "$(grep -c 'report  level 3' "$console")" 1
ok 'with its end, then the real root' \
	comes_before 'memstrack 0.*: end of report' 'real root reached'
ok 'with modules that were loaded' seen 'virtio_blk '
ok 'with stacks through them' seen 'squashfs_\|\[squashfs\]'
ok 'columns and counts' /usr/bin/python3 -B "$top/tests/replay/words.py" "$console"
ok 'nothing lost' seen 'complete, 0 lost'
# 99.0 to 101.0 %.
ok 'free memory is explained' seen '^.*fall .* \(99\|100\)\.[0-9]% explained'
is 'lines before it: what is booted, and its first' \
	"$(sed '/memstrack 0/q' "$console" | wc -l)" 2
ok 'it leaves a picture' sh -c "tail -n 1 '$BUILD/demo.svg' | grep '</svg>'"

# Objects of slab, in a whole boot with room of the default size.
ok 'objects of slab' seen 'slab  *[0-9.]*M in [0-9]* objects, peak'
ok 'all found room' fails grep 'no room for' "$console"
grew=$(sed -n 's/.*the caches grew by.* traced (\([0-9]*\).*/\1/p' "$console")
ok 'of the growth of caches most was traced, per cent' is_between "$grew" 70 130
ok 'no object was freed twice' fails grep 'suspect .*twice' "$console"
finish
