#!/bin/sh
# SPDX-License-Identifier: MIT
# memstrack view in kernels that keep books of their own: /proc/allocinfo,
# page_owner and its stacks, as they are there. Each file is also sent out, and
# read here by tests/boot/view.py, which shares nothing with the program: the same
# totals, and the same for each module and process.
. "$(dirname "$0")/books.sh"

views() {
	books='allocinfo page_owner stacks' tasks=tasks
	case $1 in
	owner) books=page_owner ;;
	books-5.10) books=page_owner tasks=none ;;
	esac
	boots_books "$1" || return
	new_guest
	planted_runs <<'INIT'
mkdir /debug
mount -t debugfs debugfs /debug
load finit /lib/planted0.ko 'keep=700 order=1 work=40 vm=150 inittext=5' >&3
load finit /lib/planted1.ko 'keep=300 order=3 k512=900 k4096=80' >&3
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
INIT
	boot 'quiet page_owner=on rd.memstrack=0' -m 200
	for book in $books; do
		ok "$1, $book: a report of a copy" fact "$book=0"
		ok "$1, $book: and of the file itself" \
			fact "$book-live=0 memstrack .* held, .*"
		agree "$1, $book: the same in all, and for each" \
			view.py "$book" "$tasks"
	done
}
for name in $kernels; do
	views "$name"
done
finish
