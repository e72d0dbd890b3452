#!/bin/sh
# SPDX-License-Identifier: MIT
# Kernels that keep books of their own pages: page_owner and its stacks, and
# /proc/allocinfo.
#
# memstrack report --check=page_owner: no page differs without a cause, after a
# boot and with planted modules. A recording of the same events, and the two
# texts that were read, give the same counts to tests/boot/books.py, which
# shares nothing with the program. What is planted in the text on its way, and
# records that are lost, are found. memstrack view of each book, a copy or as
# it is there, has the totals, modules and processes that books.py reads there.
#
# What a report has of memory in use before tracing by code is what allocinfo had
# then, of each tag; a replay has the same, diff compares it, and nothing is there
# where the kernel does not count.
#
# check builds the smallest kernel, check-all the others, each of which takes
# minutes. MATRIX=all: on more kernels; other tasks and other orders, too, are
# planted in the text; after the boot, JSON beside the text. Where records have
# neither tasks nor times (5.10), modules and orders are compared; a page that
# only page_owner has may be older than the trace.
. "$(dirname "$0")/lib.sh"
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
	. "$here/planted.sh"
}

# In the guest. A FIFO takes the place of page_owner: what writes it begins
# when it is opened to be read. The next writer must not come before the reader
# has seen the end, for it would read on.
# shellcheck disable=SC2034 # for the guest's shell
check_functions='
book=/sys/kernel/debug/page_owner
debugfs() { mount -t debugfs debugfs /sys/kernel/debug; }
plant() {
	load finit /lib/planted0.ko "keep=700 order=1 work=40 vm=150 inittext=5" >&3
	load finit /lib/planted1.ko "keep=300 order=3 k512=900 k4096=80" >&3
	sleep 1
}
check() {
	memstrack report --check="$2" --format="${3-json}" --level=2 \
		>/out 2>/err
	say "$1-status=$?"
	sed "s/^/$1=/" /out /err >&3
	# For whoever must find out why: what the book says of other modules.
	sed -n "s/.*other_module.*\"pfn\":\([0-9]*\),.*\"module\":\"\".*/\1/p" /out |
		while read -r pfn; do
			grep -A 20 "^PFN $(printf 0x%x "$pfn") " "$book" |
				sed "/^$/q; s/^/$1-book=/" >&3
		done
}
# After the boot, and with what is planted.
compare() {
	debugfs
	sleep 1
	check text page_owner text
	$in_all check boot page_owner
	plant
	check plain page_owner
}
# Of one module the name, of the other one its large pages.
other_module() { sed "s/\[planted0\]/[planted9]/" | not_theirs; }
through() {
	rm -f /fifo
	mkfifo /fifo
	while :; do
		"$2" <"$book" >/fifo
		sleep 2
	done &
	check "$1" /fifo
	kill $!
}
# view NAME BOOK
view() {
	[ -e "$2" ] || return
	cat "$2" >/text
	memstrack view /text --level=3 --format=json --out=/view
	say "$1=$?"
	memstrack view "$2" >/live
	say "$1-live=$? $(head -n 1 /live)"
	send "$1.text" /text
	send "$1.view" /view
}
'

verdict() { grep "^$1={\"type\":\"verdicts\"" "$facts" | number "$2_pages"; }
head_says() { grep "^$1={\"type\":\"check\"" "$facts" | number "$2"; }
# At least so many pages of a verdict, and an exit status of 1.
# shellcheck disable=SC2317 # ok calls it
finds() {
	echo "$1: $2 $(verdict "$1" "$2"), status $(value "$1-status")"
	[ "$(value "$1-status")" = 1 ] && [ "$(verdict "$1" "$2")" -ge "$3" ]
}

causes() {
	for step in ${MATRIX:+boot} plain; do
		grep -e "^$step={" -e "^$step-book=" "$facts" | sed 's/^/# /'
		ok "$1, $step: each has a cause" \
			same "$(value "$step-status")" 0
		ok "$1, $step: nothing is left" \
			same "$(head_says "$step" unexplained_pages)" 0
	done
}

# What is planted in the text on its way, by functions from stdin; and more
# lines of the guest's, of check-all and of each.
in_all=:
[ "${MATRIX-}" != all ] || in_all=''
planted_in_text() {
	{
		echo "in_all=$in_all"
		cat
		cat <<INIT
compare
through module other_module
head -n 20 "\$book" | sed 2s/^/x/ >/wrong
check wrong /wrong
${MATRIX:+through order other_order
${2-}}
check missing /nowhere
${3-}
kill_tracers
view allocinfo /proc/allocinfo
view page_owner "\$book"
view stacks "\${book}_stacks/show_stacks"
INIT
	} | planted_runs
	host_program
	boot "quiet page_owner=on $clock rd.memstrack=1 rd.memstrack.out=/r
		rd.memstrack.ring=4M rd.memstrack.mem=8M" -m 200
	causes "$1"
	ok "$1: as text, after the boot: no difference" fact text-status=0 \
		'text=memstrack .*: page_owner: [0-9]* pages the same, 0 differ .*'
	ok "$1: another module is found" finds module other_module 1400
	ok "$1: pages that it has not are found" finds module not_theirs 2400
	ok "$1: a wrong line" fact 'wrong=memstrack: /wrong: line [0-9]*: .*'
	ok "$1: with an exit status" fact 'wrong-status=1'
	ok "$1: no file: so it says" fact 'missing=memstrack: /nowhere: .*'
	views "$@"
}
views() {
	tasks=tasks
	case $1 in
	owner) set -- "$1" page_owner ;;
	books-5.10) set -- "$1" page_owner; tasks=none ;;
	*) set -- "$1" allocinfo page_owner stacks ;;
	esac
	name=$1
	shift
	for book; do
		ok "$name, $book: a report of a copy" fact "$book=0"
		ok "$name, $book: and of the file itself" \
			fact "$book-live=0 memstrack .* held, .*"
		agree "$name, $book: the same in all, and for each" \
			books.py view "$book" "$tasks"
	done
}
# By how many pages of a verdict what is planted adds.
more() { echo $(($(verdict plain "$1") - $(at_boot "$1"))); }
at_boot() {
	if [ "${MATRIX-}" = all ]; then
		verdict boot "$1"
	else
		sed -n 's/^text=.* \([0-9]*\) pages the same, .*/\1/p' "$facts"
	fi
}

checks() {
	# A tracer stands still, and records are lost.
	planted_in_text "$1" 'through task other_task' '
kill_tracers
rmmod planted1
rmmod planted0
memstrack --level=1 --out=/r --ring=64K &
wait_for_report
kill -STOP "$(tracers)"
plant
kill -CONT "$(tracers)"
sleep 1
check lost page_owner' <<'INIT'
other_task() { sed 's/tgid [0-9]* (load)/tgid 4242 (load)/'; }
not_theirs() { sed '/order 3,.*(load)/,/^$/d'; }
other_order() {
	sed '/order 0,.*tgid 1 /{
		N
		/PFN [0-9a-fx]*[02468ace] /s/order 0,/order 1,/
	}'
}
INIT
	for step in ${MATRIX:+boot} plain; do
		ok "$1, $step: page_owner's clock is known" same \
			"$(head_says "$step" clock_known)" 1
	done
	more=$(more same)
	ok "$1: planted pages are the same" is_between "$more" 3000 20000
	ok "$1: another module: by name" fact \
		'module={.*"our_module":"planted0".*"comm":"load","module":"planted9"}'
	ok "$1: pages are found as often as they were taken out" \
		is_between "$(verdict module not_theirs)" 2400 "$more"
	[ "${MATRIX-}" != all ] || {
		ok "$1: another order is found" finds order other_order 2
		ok "$1: another task is found" finds task other_task 3800
		ok "$1: with both" fact \
			'task={.*"other_task",.*"our_pid":[0-9]*,"our_module":"planted.".*"pid":4242,"comm":"load","module":"planted."}'
	}
	echo "# lost: $(grep '^lost={"type":"verdicts"' "$facts")"
	ok "$1: lost records are told" is_between "$(head_says lost lost)" 100 1000000
	ok "$1: and found" finds lost not_ours 1000

	# The same counts from a recording.
	planted_runs <<'INIT'
debugfs
memstrack record /trace --level=1 --out=/report --ring=4M --mem=8M &
recorder=$!
begun /trace
plant
n=0
saved() { n=$(((n + 1) % 2)); tee /text.$n; }
through recorded saved
kill -TERM $recorder
wait $recorder
send trace /trace
# Without the stacks, of which books.py asks nothing.
for text in /text.1 /text.0; do
	sed '/^ /d' $text >$text.short
done
send before /text.1.short
send after /text.0.short
INIT
	# So few pages that the tracer sends them at once: as of one moment.
	boot "quiet page_owner=on $clock rd.memstrack=0" -m 240
	agree "$1: a recording and the texts give the same counts" books.py check
}

checks_modules() {
	planted_in_text "$1" <<'INIT'
not_theirs() { sed '/order 3,/,/^$/d'; }
other_order() {
	sed '/order 0,/{
		N
		/PFN [0-9]*[02468],/s/order 0,/order 1,/
		/PFN [0-9]*[02468] /s/order 0,/order 1,/
	}'
}
INIT
	ok "$1: planted pages are there on both sides" \
		is_between "$(more without_tasks)" 3000 20000
	ok "$1: another order is found" finds order other_order 100
}

# Of two tracers, the first process and a later one.
tags_at_boot() {
	new_guest
	guest_runs <<'INIT'
memstrack report
dmesg | sed -n 's/.*memstrack: \(tags  .*\)/\1/p' >&3
send early.json /early.json
cat /proc/allocinfo >/first
send first /first
kill_tracers
cat /proc/allocinfo >/before
memstrack record /trace --out=/later.json --format=json --level=1 &
recorder=$!
begun /trace
cat /proc/allocinfo >/after
kill -TERM $recorder
wait $recorder
for name in before after later.json; do
	send $name /$name
done
memstrack replay /trace --format=json --level=1 >/again
say "again=$(grep '"type":"before_tag' /later.json >/a
	grep '"type":"before_tag' /again >/b; cmp /a /b && wc -l </b)"
say "diff=$(memstrack diff /early.json /later.json --min=0 |
	sed -n '/^tags before tracing /,/^ram /p' | grep -c '[MK]$')"
echo 0 >/proc/sys/vm/mem_profiling
memstrack --level=2 >/off &
tracer=$!
wait_for_report
kill -TERM $tracer
wait $tracer
say "off=$(grep -c '^before ' /off) $(grep -c '^tags ' /off)"
INIT
	host_program
	boot "quiet $clock rd.memstrack=1 rd.memstrack.out=kmsg,/early.json
		sysctl.vm.mem_profiling=1" -m 240
	ok "$1: the first report has tags" fact \
		'tags    largest of [0-9]* in use: [a-z_]* [^ ]*[.]c:[0-9]* [0-9.]*M.*'
	agree "$1: which allocinfo has, of those that stay" books.py tags early \
		first first
	agree "$1: and of a later tracer" books.py tags later before after
	ok "$1: a replay has the same" fact 'again=17'
	ok "$1: diff compares them" fact 'diff=[1-9][0-9]*'
	ok "$1: not counted, not shown" fact 'off=[1-9][0-9]* 0'
}

for name in $kernels; do
	boots_books "$name" || continue
	planted_functions=$check_functions
	case $name in
	books-5.10) checks_modules "$name" ;;
	*) checks "$name" ;;
	esac
	case $name in
	books | books-7.2) tags_at_boot "$name" ;;
	esac
done
finish
