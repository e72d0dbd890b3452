#!/bin/sh
# SPDX-License-Identifier: MIT
# A report on a serial console of 57600 baud takes seconds. The tracer waits for
# the line, but PID 1 does not: of the time that it could run it gets a fair
# share, and it never stands still for long, which the order of lines in the
# kernel log tells. The report comes out whole: where the kernel shows it, where
# we write it ourselves, and where PID 1 writes to the console meanwhile.
. "$(dirname "$0")/lib.sh"

# PID 1 works until the report is there, and says so in the log now and then.
# schedstat: nanoseconds that it ran, and that it waited to run.
guest_runs <<'INIT'
report() {
	stty -F /dev/ttyS0 -echoe	# once the line has carried the last one
	dmesg -n "$2"
	echo "<7>phase $1" >/dev/kmsg
	echo "phase $1" >/dev/console
	exec 4</dev/kmsg
	grep -q -m 1 "phase $1" <&4
	read -r ran waited _ </proc/1/schedstat
	{
		memstrack report 2>/dev/null
		until grep -q -m 1 'end of report' <&4; do :; done
		: >/done
	} &
	rounds=0
	while [ ! -e /done ]; do
		rounds=$((rounds + 1))
		[ $((rounds % 100)) != 0 ] || {
			echo '<7>PID 1 goes on' >/dev/kmsg
			[ "$1" != talk ] || echo 'init goes on' >/dev/console
		}
	done
	read -r ran_then waited_then _ </proc/1/schedstat
	say "ran_$1=$((ran_then - ran))"
	say "waited_$1=$((waited_then - waited))"
	exec 4<&-
	rm /done
}
report hidden 1
report loud 7
report talk 1
dmesg -n 1
dmesg | sed -n 's/^[^]]*] memstrack: /log=/p
	s/^[^]]*] \(phase .*\|PID 1 goes on\)/log=\1/p' >&3
INIT

# Of a log, what belongs to one report.
phase() {
	awk -v wanted="$1" '/^phase / { phase = $2; next } phase == wanted' "$2"
}
counted() {
	whole_report <"$1" && is_between "$(wc -l <"$1")" 60 10000
}
# Per cent, of what PID 1 could have had.
share() {
	echo $(($(value "ran_$1") * 100 / \
		($(value "ran_$1") + $(value "waited_$1") + 1)))
}
# The most lines of a report while PID 1 said nothing.
standstill() {
	awk '/^memstrack [0-9.]*: / { inside = 1 }
		/PID 1 goes on/ { lines = 0; next }
		inside && ++lines > most { most = lines }
		END { print most + 0 }' "$1"
}

boot_serial 5760 'loglevel=1 rd.memstrack=2 log_buf_len=16M'
sed -n 's/^log=//p' "$facts" >"$work/log"
# Without what else the kernel says.
sed 's/^\[[ 0-9.]*\] memstrack: //' "$console" |
	grep -v '^\[[ 0-9.]*\] ' >"$work/seen"
for how in hidden loud talk; do
	phase $how "$work/log" >"$work/phase"
	most=$(standstill "$work/phase")
	echo "# $how: $(share $how) % for PID 1, never more than $most lines" \
		"without it"
	grep -v '^PID 1' "$work/phase" | report_of request >"$work/logged"
	ok "$how: the log has every line" counted "$work/logged"
	ok "$how: PID 1 goes on meanwhile" is_between "$(share $how)" 20 100
	ok "$how: it never stands still for long" \
		is_between "$most" 1 $(($(wc -l <"$work/logged") * 2 / 3))
	# What PID 1 says is among the report's lines, or within one.
	[ $how = talk ] || {
		phase $how "$work/seen" | report_of request >"$work/shown"
		ok "$how: so has the console" diff "$work/shown" "$work/logged"
	}
done
ok 'PID 1 writes to the console meanwhile' seen 'init goes on'
finish
