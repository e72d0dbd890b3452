#!/bin/sh
# SPDX-License-Identifier: MIT
# A process or module may have any name, but no name forges a line of a report,
# in text or JSON, or sends commands to a terminal, on the console or in the
# log. (How each byte is written: replay/cases/names.py.)
. "$(dirname "$0")/planted.sh"

guest_program "$here/actor.c"
mkdir "$guest/lib"
# The module's name, an array of 56 bytes that ends in zeros.
/usr/bin/python3 - "$modules/planted0.ko" "$guest/lib/forged.ko" <<'PYTHON' || exit 1
import sys
name = b'm\n{"type":"end"}\x1b[2J\x9b1m\r\\x'
text = open(sys.argv[1], "rb").read()
was = b"planted0".ljust(56, b"\0")
if text.count(was) != 1:
    sys.exit("the module's name is not where it was")
open(sys.argv[2], "wb").write(text.replace(was, name.ljust(56, b"\0")))
PYTHON

planted_runs <<'INIT'
actor crowd /file "$(printf 'a\nmemstrack: b')" "$(printf '\033[2J\033[H')" \
	"$(printf 'c\rd\233[1m')" '","pid":1,"' '\x1b' "$(printf 'e\177\t')"
say "named=$?"
load finit /lib/forged.ko 'keep=100' >&3
say "loaded=$?"
rows ''
log
INIT

printable() {
	[ -s "$1" ] && ! LC_ALL=C grep -n '[^ -~]' "$1"
}
# shows NAME TEXT FILE
shows() { ok "$1" holds "$3" "$2"; }

# A long report: the clock counts instructions, so no busy machine is too slow
# for the console.
boot 'loglevel=1 log_buf_len=4M rd.memstrack=3 rd.memstrack.mem=6M
	rd.memstrack.lines=9000 rd.memstrack.out=auto,/report.json' -i 3
ok 'there are such names, and a report' fact named=0 loaded=0 report=0
for place in console log; do
	if [ $place = log ]; then
		sed -n 's/^log=//p' "$facts"
	else
		cat "$console"
	fi | report_of request >"$work/at.$place"
	ok "$place: nothing but text" printable "$work/at.$place"
	ok "$place: its last line counts all" whole_report <"$work/at.$place"
	shows "$place: a line's end" 'a\x0amemstrack: b[' "$work/at.$place"
	shows "$place: a module" \
		'm\x0a{"type":"end"}\x1b[2J\x9b1m\x0d\x5cx ' "$work/at.$place"
done

grep '^{' "$facts" >"$work/json"
ok "JSON: the report is whole, its sums agree" \
	/usr/bin/python3 -B "$top/tests/live/report.py" "$work/json" whole
ok "JSON: nothing but text" printable "$work/json"
shows "JSON: a line's end" '"comm":"a\u000amemstrack: b"' "$work/json"
module='m\u000a{\u0022type\u0022:\u0022end\u0022}\u001b[2J\u009b1m\u000d\u005cx'
shows "JSON: a module" "\"name\":\"$module\"" "$work/json"
finish
