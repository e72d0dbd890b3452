#!/bin/sh
# SPDX-License-Identifier: MIT
# memstrack view in a kernel that keeps books of its own: /proc/allocinfo, page_owner
# and its stacks, as they are there. Each file is also sent out, and read here by
# tests/boot/view.py, which shares nothing with the program: the same totals, and
# the same for each module and process.
#
# check-all builds the kernels, each of which takes minutes; check uses the first
# one if it exists. That of 5.10 has page_owner alone.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"
kernels=books
[ "${MATRIX-}" != all ] || kernels='books books-5.10 books-7.2'
[ "${MATRIX-}" = all ] || [ -e "$BUILD/kernel/made/books/vmlinuz" ] ||
	skip_all 'its kernel takes minutes to build: make check-all'

views() {
	books='allocinfo page_owner stacks'
	[ "$1" != books-5.10 ] || books=page_owner
	kernel=$("$top/tests/images/kernel" "$1") || {
		skip "$1" 'no such kernel'
		return
	}
	made=$kernel
	# shellcheck source=tests/boot/planted.sh
	. "$here/planted.sh"
	new_guest busybox
	planted_guest <<'INIT'
mounts
facts
mkdir /debug
mount -t debugfs debugfs /debug
load finit /lib/planted0.ko 'keep=700 order=1 work=40 vm=150 inittext=5' >&3
load finit /lib/planted1.ko 'keep=300 order=3 k512=900 k4096=80' >&3
send() {
	say "begin=$1"
	gzip -c <"$2" | base64 >&3
	say end
}
books() {
	[ -e "$2" ] || return
	cat "$2" >/text
	memstrack view /text --level=3 --format=json --out=/view
	say "$1=$?"
	memstrack view "$2" >/live
	say "$1-live=$? $(head -n 1 /live)"
	send "$1.text" /text
	send "$1.view" /view
}
books allocinfo /proc/allocinfo
books page_owner /debug/page_owner
books stacks /debug/page_owner_stacks/show_stacks
off
INIT
	boot 'quiet page_owner=on rd.memstrack=0' -m 200 -t 300
	for book in $books; do
		ok "$1, $book: a report of a copy" fact "$book=0"
		ok "$1, $book: and of the file itself" \
			fact "$book-live=0 memstrack .* held, .*"
	done
	mv "$facts" "$facts.whole"
	grep -v '^begin=\|^[A-Za-z0-9+/=]*$' "$facts.whole" >"$facts"
	for book in $books; do
		python3 -B "$here/view.py" "$facts.whole" "$book" \
			>"$work/said" 2>&1
		status=$?
		sed 's/^/# /' "$work/said"
		ok "$1, $book: the same in all, and for each" \
			test "$status" = 0
	done
}
for name in $kernels; do
	views "$name"
done
finish
