#!/bin/sh
# SPDX-License-Identifier: MIT
# A full report on a serial console of 115200 baud takes many seconds. The
# tracer waits for the line, but PID 1 does not: it keeps a fair share of its
# speed and is never held up for long. The report comes out whole.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"

# Rounds of work and the longest that one took, in hundredths of a second:
# as long as given, or until the report is there.
to_guest /init <<'INIT'
mounts
facts
now() {
	read -r up _ </proc/uptime
	now=$((${up%.*} * 100 + 1${up#*.} - 100))
}
progress() {
	rounds=0 gap=0
	now
	first=$now last=$now
	while [ ! -e /done ] && [ $((last - first)) -lt "$2" ]; do
		[ -z "$talk" ] || [ $((rounds % 1000)) != 0 ] ||
			echo "init goes on" >/dev/console
		now
		[ $((now - last)) -le "$gap" ] || gap=$((now - last))
		last=$now
		rounds=$((rounds + 1))
	done
	say "$1_rounds=$rounds"
	say "$1_time=$((last - first))"
	say "$1_gap=$gap"
}
progress before 300
(
	memstrack report
	say "report=$?"
	: >/done
) &
progress report 6000
rm /done
progress after 300
dmesg | sed -n 's/^[^]]*] memstrack: /log=/p' >&3
off
INIT

text() { report_of request; }
counted() {
	records=$(sed -n '$s/.*end of report, \([0-9]*\) lines$/\1/p' "$1")
	echo "$records lines, $(wc -l <"$1") with the last"
	[ "${records:-0}" -gt 500 ] && [ "$(wc -l <"$1")" = $((records + 1)) ]
}

# Per cent of the pace; of the slower, for this machine has other work too.
pace() { echo $(($(value "$1_rounds") * 100 / $(value "$1_time"))); }
share() {
	pace=$(pace before)
	[ "$pace" -le "$(pace after)" ] || pace=$(pace after)
	echo $(($(pace report) * 100 / pace))
}
never_held_up() {
	grep _gap= "$facts"
	[ "$(value report_gap)" -lt 200 ]
}

for how in 'loglevel=1' 'loglevel=7' 'loglevel=1 talk=1'; do
	boot_serial 11520 "$how rd.memstrack=3 log_buf_len=16M"
	echo "# $how: $(share) % of PID 1's pace for $(value report_time)" \
		"hundredths of a second, held up for $(value report_gap)"
	ok "$how: the report is well" fact 'report=0'
	sed -n 's/^log=//p' "$facts" | text >"$work/logged"
	ok "$how: the log has every line" counted "$work/logged"
	ok "$how: the line is slow" test "$(value report_time)" -gt 400
	ok "$how: PID 1 goes on meanwhile" test "$(share)" -ge 20
	ok "$how: it is never held up for long" never_held_up
	# What PID 1 says is among the report's lines, or within one.
	case $how in
	*talk*) continue ;;
	esac
	sed 's/^\[[ 0-9.]*\] memstrack: //' "$console" | text >"$work/shown"
	ok "$how: the console has every line too" \
		cmp "$work/shown" "$work/logged"
done
finish
