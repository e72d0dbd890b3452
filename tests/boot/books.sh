# SPDX-License-Identifier: MIT
# Kernels that keep books of their own pages, for the tests of these, after
# lib.sh.
#
# check builds the smallest one, check-all all of them, each of which takes
# minutes. The one of 5.10 has page_owner alone, and its records have neither
# tasks nor times.
# shellcheck disable=SC2034 # for the tests
[ "${boots-}" ] || . "$(dirname "$0")/lib.sh"
kernels=owner
# It has no timer to compare that of the CPU with, and would count ticks.
clock='tsc=reliable tsc_early_khz=1000000'
[ "${MATRIX-}" != all ] || kernels='books books-5.10 books-7.2'

# boots_books NAME: that kernel is booted from now on, and modules for it are
# planted. Where its source is not to be had, it is skipped.
boots_books() {
	if ! kernel=$("$top/tests/images/kernel" "$1"); then
		if [ -e "$BUILD/kernel/made/source-${1#*-}" ]; then
			ok "$1: the kernel is built" false
		else
			skip "$1" 'no such kernel, or no source of it'
		fi
		return 1
	fi
	made=$kernel
	if ! "$top/tests/modules/build" "$made" >/dev/null; then
		ok "$1: modules for it are built" false
		return 1
	fi
	# shellcheck source=tests/boot/planted.sh
	. "$here/planted.sh"
}
