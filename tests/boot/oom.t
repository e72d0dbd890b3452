#!/bin/sh
# SPDX-License-Identifier: MIT
# Memory runs out, and a report at once says who holds it: in a machine of 128
# MiB where a module takes everything; before a panic; and with no free page at
# all. Pages are exact on one CPU, whose clock counts instructions; with more, the
# report is whole and in its place.
# MATRIX=all: the module with two CPUs and a tracer that lives; panic_on_oom
# with one CPU; nobody to be killed with one CPU and two.
. "$(dirname "$0")/planted.sh"

# starve "parameters of the module" "of the kernel" [options of QEMU]
starve() {
	starving_guest "$1"
	parameters="rd.memstrack=1 $2"
	shift 2
	boot "$parameters" -m 128 "$@"
}
eat='load finit /lib/eater.ko eat=1'

# Of the first report that tells of memory: more may follow where all is slow.
lowest="$low|$kill"
reports() { ours | grep -c -E " reason: ($lowest)"; }
whole() {
	early "$lowest" >"$work/report"
	whole_report <"$work/report" &&
		is_between "$(wc -l <"$work/report")" 21 40
}
# The row under the heading of a table, and how many pages it holds now.
first_row() {
	early "$lowest" | sed -n "/^$1  /{n;p;q}"
}
row_pages() {
	first_row "$1" | awk '{ print int($2 * ($2 ~ /M/ ? 256 : 0.25) + 0.5) }'
}
is_first() { first_row "$1" | grep "^$2"; }
eaten() { console_log | sed -n 's/^eater: killed after \([0-9]*\) pages$/\1/p'; }
# It speaks before the last page is taken. On one CPU, what the module does not
# hold yet is then free, or in the CPU's list of free pages, as the kernel says
# at the first kill; half a megabyte is what reclaim and the killed give. And
# the row is rounded.
is_eaten() {
	held=$(row_pages module) all=$(eaten) free=$(free_kib)
	listed=$(console_log | sed -n 's/.* free_pcp:\([0-9]*\) .*/\1/p' |
		head -n 1)
	[ "$all" ] && [ "$free" ] && is_between "$held" \
		$((all - free / 4 - ${listed:-0} - 128)) $((all + 30))
}
free_kib() {
	early "$lowest" |
		sed -n '1s/.*: \([0-9][0-9.]*\)\([KM]*\) free of .*/\1 \2/p' |
		awk '{ print int($1 * ($2 == "M" ? 1024 : 1)) }'
}
# No more is free than so many KiB.
at_most_free() {
	free=$(free_kib)
	echo "free: $free KiB; $(early "$lowest" | grep -o 'reason: .*')"
	[ "$free" -le "$1" ]
}
kind_told() {
	early "$lowest" |
		grep '^kind    of eater: driver .*; most by eater_eat \[eater\]'
}
named() { early "$lowest" | grep 'eater_eat+0x[0-9a-f]* \[eater\]'; }
most() { ours | grep 'OOM kill of .*, most in eater: [0-9]\{5,\} KiB$'; }
goes_on() { ours | grep 'reason: reboot'; }

# Before a panic, of 40 lines at most, with the stacks of who holds most, though
# names may come too late: on several CPUs another one panics while we write.
stacks_within() {
	early "$lowest" | sed -n '/^stacks of who holds most/,$p' |
		grep 'eater_eat\|0x[0-9a-f]* \[eater\]'
}
before_panic() {
	ok "$1: there is a panic" seen "Kernel panic.*$2"
	ok "$1: whole, of 40 lines at most" whole
	ok "$1: with its stacks" stacks_within
	ok "$1: before the panic" report_before "$lowest" 'Kernel panic'
}

# Without watermark_boost_factor the kernel raises what it keeps by 2 MiB for a
# while, if it sees that memory is fragmented, and kills that much earlier.
no_boost=sysctl.vm.watermark_boost_factor=0
starve "$eat; say file=\$(ls -d /run/report 2>&1)
	reports_last=yes" "$no_boost rd.memstrack.out=/run/report" -i 0
ok 'a report, once' test "$(reports)" = 1
ok 'whole, of 40 lines at most' whole
ok 'in the log; no file is made' fact 'file=.*No such file.*'
ok 'the module first' is_first module eater
ok 'its pages' is_eaten
ok 'little was free' at_most_free 4096
ok 'what kind, by which function' kind_told
ok 'the stack, by name' named
ok 'no addresses without names' fails grep ' < 0x' "$work/report"
ok 'the task first' is_first task 'load\['
ok 'each victim, and who holds most' eval 'victims && most'
ok 'the tracer lives' fact alive=1
ok 'and it reports again' goes_on
quick_ends_here

free_at() { console_log | sed -n "s/^eater: $1: \([0-9]*\) pages free/\1/p"; }
starve 'load finit /lib/eater.ko zero=3000' '' -i 0
ok 'no page free: that reserves run out' report_before "$low" 'eater: asks'
# The second report is looked at.
lowest=$kill
ok 'no page free: at the beginning' test "$(free_at starves)" -le 8
# Once the eater is itself among the victims, it eats no more of theirs.
ok 'no page free: at the end' test "$(free_at 'has starved')" -le 64
ok 'no page free: a report' comes_before 'eater: asks' 'reason: OOM kill'
ok 'no page free: whole before it' report_before "$kill" 'eater: has starved'
ok 'no page free: it says so' at_most_free 512
ok 'no page free: the module first' is_first module eater
ok 'no page free: the stack, by name' named
lowest="$low|$kill"

# Of several CPUs one goes on while we write: to free the module and its names,
# to overflow a ring with a victim in it, to switch off.
if [ "${MATRIX-}" = all ]; then
	starve "$eat" "$no_boost" -c 2
	ok '2 CPUs: whole, of 40 lines at most' whole
	ok '2 CPUs: the module first' is_first module eater
	ok '2 CPUs: the task first' is_first task 'load\['
	ok '2 CPUs: the tracer lives' fact alive=1
fi

# Lines instead of a report, and silence: unit/triggers.c. A process that took the
# memory: room.t.
for cpus in ${MATRIX:+1} 2; do
	starve "load finit /lib/eater.ko 'eat=1 rest=10'" \
		sysctl.vm.panic_on_oom=1 -m 192 -c "$cpus"
	before_panic "$cpus CPUs, panic_on_oom" panic_on_oom
	ok "$cpus CPUs, panic_on_oom: the module first" is_first module eater
done
nobody='for p in /proc/[0-9]*/oom_score_adj; do echo -1000 >$p; done'
for cpus in ${MATRIX:+1 2} 4; do
	starve "$nobody; load finit /lib/eater.ko 'eat=1 rest=10'" '' -m 192 \
		-c "$cpus"
	before_panic "$cpus CPUs, nobody to be killed" deadlocked
done
finish
