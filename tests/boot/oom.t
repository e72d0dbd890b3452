#!/bin/sh
# SPDX-License-Identifier: MIT
# Memory runs out, and a report at once says who holds it: in a machine of 128
# MiB where a module takes everything; before a panic; with no free page at all;
# and where a process took the memory.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/boot/planted.sh
. "$here/planted.sh"

# starve "parameters of the module" "of the kernel" [options of QEMU]
starve() {
	starving_guest "$1"
	parameters="rd.memstrack=1 $2"
	shift 2
	boot "$parameters" -m 128 "$@"
}
eat='load finit /lib/eater.ko eat=1'

# The report that tells of memory.
report() { ours | report_of "$1"; }
low='memory is low' kill='OOM kill of'
lowest="$low|$kill"
reports() { ours | grep -c -E " reason: ($lowest)"; }
one_report() { [ "$(reports)" = 1 ]; }
whole() {
	report "$lowest" >"$work/report"
	written=$(sed -n 's/.* end of report, \([0-9]*\) lines$/\1/p' \
		"$work/report")
	wc -l "$work/report"
	[ "${written:-0}" -ge 20 ] && [ "$written" -lt 40 ] &&
		[ "$(wc -l <"$work/report")" = $((written + 1)) ]
}
# The row under the heading of a table, and how many pages it holds now.
first_row() {
	report "$lowest" | sed -n "/^$1  /{n;p;q}"
}
row_pages() {
	first_row "$1" | awk '{ print int($2 * ($2 ~ /M/ ? 256 : 0.25) + 0.5) }'
}
is_first() { first_row "$1" | grep "^$2"; }
eaten() { console_log | sed -n 's/^eater: killed after \([0-9]*\) pages$/\1/p'; }
# It speaks before the last page is taken. On one CPU, what the module does not
# hold yet is then free, or in the CPU's list of free pages, as the kernel says at
# the first kill; half a megabyte is what reclaim and the killed give. Of several
# CPUs, the others run on meanwhile. And the row is rounded.
is_eaten() {
	held=$(row_pages module) all=$(eaten) left=$((all / 4))
	free=$(free_kib)
	listed=$(console_log | sed -n 's/.* free_pcp:\([0-9]*\) .*/\1/p' |
		head -n 1)
	[ "$held" ] && [ "$all" ] && [ "$free" ] || return
	[ "$cpus" != 1 ] || left=$((free / 4 + ${listed:-0} + 128))
	echo "$held of $all, $left at most left"
	[ "$held" -le $((all + 30)) ] && [ "$held" -ge $((all - left)) ]
}
free_kib() {
	report "$lowest" | sed -n 's/.*  now \([0-9][0-9.]*\)\([KM]*\)  .*/\1 \2/p' |
		awk '{ print int($1 * ($2 == "M" ? 1024 : 1)) }'
}
# No more is free than so many KiB.
at_most_free() {
	free=$(free_kib)
	echo "free: $free KiB; $(report "$lowest" | grep -o 'reason: .*')"
	[ "$free" -le "$1" ]
}
kind_told() {
	report "$lowest" |
		grep '^kind    of eater: driver .*; most by eater_eat \[eater\]'
}
named() { report "$lowest" | grep 'eater_eat+0x[0-9a-f]* \[eater\]'; }
victims() {
	killed=$(console_log | sed -n 's/^Out of memory: Killed process \([0-9]*\) .*/\1/p')
	for pid in $killed; do
		echo "$pid"
		ours | grep "OOM kill of [a-z]*\[$pid\]" || return
	done
	[ -n "$killed" ]
}
most() { ours | grep 'OOM kill of .*, most in eater: [0-9]\{5,\} KiB$'; }
goes_on() { ours | grep 'reason: reboot'; }

# The last report ends before that line.
whole_before() {
	sed "/$1/q" "$console" | sed -n -E "/reason: ($lowest)/,\$p" |
		grep -e 'end of report'
}
# Without watermark_boost_factor the kernel raises what it keeps by 2 MiB for a
# while, if it sees that memory is fragmented, and kills that much earlier.
for cpus in 1 2; do
	starve "$eat" sysctl.vm.watermark_boost_factor=0 -c $cpus
	ok "$cpus CPUs: a report, once" one_report
	ok "$cpus CPUs: whole, of 40 lines at most" whole
	ok "$cpus CPUs: the module first" is_first module eater
	ok "$cpus CPUs: its pages" is_eaten
	ok "$cpus CPUs: little was free" at_most_free 4096
	# With one CPU the names are read first; with more, perhaps later.
	[ $cpus = 2 ] || ok "$cpus CPUs: what kind, by which function" kind_told
	ok "$cpus CPUs: the task first" is_first task 'load\['
	ok "$cpus CPUs: the tracer lives" fact alive=1
	# Of several CPUs one goes on while we write: to free the module and
	# its names, to overflow a ring with a victim in it, to switch off.
	[ $cpus = 1 ] || continue
	ok 'the stack, by name' named
	ok 'no addresses without names' sh -c \
		"! grep -q ' < 0x' '$work/report'"
	ok 'each victim' victims
	ok 'and it reports again' goes_on
done

starve "$eat" rd.memstrack.oom=line
ok 'oom=line: no report' test "$(reports)" = 0
ok 'oom=line: each victim' victims
ok 'oom=line: and who holds most' most
starve "$eat; say file=\$(ls -d /run/report 2>&1)" rd.memstrack.out=/run/report
ok 'out=FILE: the report is in the log' is_first module eater
ok 'out=FILE: whole' whole
ok 'out=FILE: and no file is made' fact 'file=.*No such file.*'
starve "$eat" rd.memstrack.oom=off
ok 'oom=off: nothing' sh -c "! grep -q 'OOM kill of\|memory is low' '$console'"

# With more than one, the other goes on to its panic meanwhile.
starve "$eat" 'sysctl.vm.panic_on_oom=1'
ok 'panic_on_oom: there is a panic' seen 'Kernel panic.*panic_on_oom'
ok 'panic_on_oom: the module first' is_first module eater
ok 'panic_on_oom: a whole report before it' \
	comes_before 'end of report' 'Kernel panic'
# shellcheck disable=SC2016 # for the guest's shell
nobody='for p in /proc/[0-9]*/oom_score_adj; do echo -1000 >$p; done'
starve "$nobody; $eat" ''
ok 'nobody to be killed: there is a panic' seen 'Kernel panic.*deadlocked'
ok 'nobody to be killed: the module first' is_first module eater
ok 'nobody to be killed: a whole report before it' \
	comes_before 'end of report' 'Kernel panic'

# On several CPUs another one panics while we write: the end mark, stacks before
# it, comes first all the same, though names may come too late.
stacks_within() {
	report "$lowest" | sed -n '/^stacks of who holds most/,$p' |
		grep 'eater_eat\|0x[0-9a-f]* \[eater\]'
}
for cpus in 1 2 4; do
	starve "$nobody; $eat" '' -m 192 -c $cpus
	ok "$cpus CPUs, nobody to be killed: there is a panic" \
		seen 'Kernel panic.*deadlocked'
	ok "$cpus CPUs, nobody to be killed: whole, of 40 lines at most" whole
	ok "$cpus CPUs, nobody to be killed: with its stacks" stacks_within
	ok "$cpus CPUs, nobody to be killed: before the panic" \
		comes_before 'end of report' 'Kernel panic'
done

free_at() { console_log | sed -n "s/^eater: $1: \([0-9]*\) pages free/\1/p"; }
starve 'load finit /lib/eater.ko zero=3000' ''
ok 'no page free: reserves that run out are told' whole_before 'eater: asks'
# The second report is looked at.
lowest=$kill
ok 'no page free: at the beginning' test "$(free_at starves)" -le 8
# Once the eater is itself among the victims, it eats no more of theirs.
ok 'no page free: at the end' test "$(free_at 'has starved')" -le 64
ok 'no page free: a report begins behind it' \
	comes_before 'eater: asks' 'reason: OOM kill'
ok 'no page free: and is whole before it' \
	whole_before 'eater: has starved'
ok 'no page free: it says so' at_most_free 512
ok 'no page free: the module first' is_first module eater
ok 'no page free: the stack, by name' named

lowest="$low|$kill"
starve 'tail /dev/zero; echo eater' ''
ok 'a process: it is killed' seen 'Killed process [0-9]* (tail)'
ok 'a process: it comes first' is_first task 'tail\['
ok 'a process: whole' whole
finish
