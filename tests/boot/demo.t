#!/bin/sh
# SPDX-License-Identifier: MIT
# `make demo` as a user runs it: real modules, a real root, and the report.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"

"$top/initramfs/demo" >"$console" 2>"$facts"
demo_status=$?
ok 'it succeeds' test "$demo_status" = 0
ok 'one report' test "$(grep -c 'report  level 2' "$console")" = 1
ok 'with its end' seen 'memstrack 0.*: end of report'
ok 'then the real root' test "$(grep -n -e 'memstrack 0.*: end of report' \
	-e 'real root reached' "$console" | sed -n '1s/.*end of.*/first/p')" = first
ok 'with modules that were loaded' seen 'virtio_blk '
ok 'with stacks through them' seen 'squashfs_\|\[squashfs\]'
ok 'nothing lost' seen 'frees, 0 lost'
# 99.0 to 101.0 %.
ok 'the fall of free memory is explained' \
	seen '^.*fall .* \(99\|100\)\.[0-9]% explained'
ok 'nothing is said before it but what is booted' \
	test "$(sed '/memstrack 0/q' "$console" | wc -l)" = 2
ok 'it leaves a picture' \
	sh -c "tail -n 1 '$BUILD/demo.svg' | grep '</svg>'"
finish
