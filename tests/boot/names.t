#!/bin/sh
# SPDX-License-Identifier: MIT
# A process or module may have any name, but no name forges a line of a report,
# in text or JSON, or sends commands to a terminal, on the console or in the
# log.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/boot/planted.sh
. "$here/planted.sh"

mkdir -p "$guest/bin" "$guest/lib"
musl-gcc -std=gnu11 -D_GNU_SOURCE= -Os -static -o "$guest/bin/named" \
	"$here/named.c" || exit 1

# The module's name, an array of 56 bytes that ends in zeros.
python3 - "$modules/planted0.ko" "$guest/lib/forged.ko" <<'PYTHON' || exit 1
import sys
name = b'm\n{"type":"end"}\x1b[2J\x9b1m\r\\x'
text = open(sys.argv[1], "rb").read()
was = b"planted0".ljust(56, b"\0")
if text.count(was) != 1:
    sys.exit("the module's name is not where it was")
open(sys.argv[2], "wb").write(text.replace(was, name.ljust(56, b"\0")))
PYTHON

planted_guest <<'INIT'
mounts
facts
named "$(printf 'a\nmemstrack: b')" "$(printf '\033[2J\033[H')" \
	"$(printf 'c\rd\233[1m')" '","pid":1,"' '\x1b' "$(printf 'e\177\t')"
say "named=$?"
load finit /lib/forged.ko 'keep=100' >&3
say "loaded=$?"
memstrack report
say "report=$?"
[ ! -e /report.json ] || cat /report.json >&3
dmesg | sed -n 's/^[^]]*] memstrack: /log=/p' >&3
off
INIT

given() {
	ok "$1: there are such names" fact 'named=0'
	ok "$1: and such a module" fact 'loaded=0'
	ok "$1: there is a report" fact 'report=0'
}
printable() {
	[ -s "$1" ] && ! LC_ALL=C grep -n '[^ -~]' "$1"
}
# has NAME TEXT FILE
has() { ok "$1" grep -q -F -e "$2" "$3"; }

boot 'loglevel=1 log_buf_len=4M rd.memstrack=3 rd.memstrack.mem=6M'
given text
for place in console log; do
	if [ $place = log ]; then
		sed -n 's/^log=//p' "$facts"
	else
		cat "$console"
	fi | report_of request >"$work/at.$place"
	ok "$place: nothing but text" printable "$work/at.$place"
	ok "$place: its last line counts all" test "$(sed -n \
		'$s/.*end of report, \([0-9]*\) lines$/\1/p' "$work/at.$place")" \
		= $(($(wc -l <"$work/at.$place") - 1))
	has "$place: a line's end" 'a\x0amemstrack: b[' "$work/at.$place"
	has "$place: an escape" '\x1b[2J\x1b[H[' "$work/at.$place"
	has "$place: a control byte of eight bits" 'c\x0dd\x9b[1m[' \
		"$work/at.$place"
	has "$place: what looks escaped" '\x5cx1b[' "$work/at.$place"
	has "$place: delete and tab" 'e\x7f\x09[' "$work/at.$place"
	has "$place: a module" \
		'm\x0a{"type":"end"}\x1b[2J\x9b1m\x0d\x5cx ' "$work/at.$place"
done

boot 'loglevel=1 rd.memstrack=3 rd.memstrack.mem=6M
	rd.memstrack.format=json rd.memstrack.out=/report.json'
given JSON
grep '^{' "$facts" >"$work/json"
ok "JSON: the report is whole, its sums agree" \
	python3 -B "$top/tests/live/report.py" "$work/json" whole
ok "JSON: nothing but text" printable "$work/json"
has "JSON: a line's end" '"comm":"a\u000amemstrack: b"' "$work/json"
has "JSON: quotes" '"comm":"\u0022,\u0022pid\u0022:1,\u0022"' "$work/json"
has "JSON: what looks escaped" '"comm":"\u005cx1b"' "$work/json"
module='m\u000a{\u0022type\u0022:\u0022end\u0022}\u001b[2J\u009b1m\u000d\u005cx'
has "JSON: a module" "\"name\":\"$module\"" "$work/json"
finish
