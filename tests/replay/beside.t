#!/bin/sh
# SPDX-License-Identifier: MIT
# Files beside a report: each in the format of its suffix, the same account as by
# --format, replaced as a whole.
#
# MEMSTRACK: the program.
set -u
export LC_ALL=C

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 1
: "${MEMSTRACK:=$here/../../build/memstrack}"
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
count=0

ok() {
	count=$((count + 1))
	what=$1
	shift
	if "$@" >ok.out 2>&1; then
		echo "ok $count - $what"
	else
		echo "not ok $count - $what"
		sed 's/^/# /' ok.out
	fi
}
replay() { "$MEMSTRACK" replay trace --level=2 "$@"; }

python3 -B "$here/gen.py" "$here/cases/initcalls.py" trace || exit 1
replay >text
replay --format=json >json
ok 'two files, and the report' \
	sh -c "'$MEMSTRACK' replay trace --level=2 -o auto,a.json,b.txt >out"
ok 'the report is as ever' cmp text out
ok 'the one is JSON' cmp json a.json
ok 'the other text' cmp text b.txt
ok 'of mode 0600' test "$(stat -c %a a.json)" = 600
ok 'nothing else is left' test "$(echo ?.*)" = 'a.json b.txt'

ln a.json other
inode=$(stat -c %i a.json)
ok 'again, with the report in a file' replay -o report,a.json
ok 'which has it' cmp text report
ok 'the file is a new one' test "$(stat -c %i a.json)" != "$inode"
ok 'whole' cmp json a.json

ln -sf target a.json
ok 'a link is replaced, not followed' replay -o report,a.json
ok 'by the file' sh -c 'cmp json a.json && [ ! -e target ] && [ ! -L a.json ]'

mkdir c.json
ok 'a folder of this name: an error' \
	sh -c "! '$MEMSTRACK' replay trace --level=2 -o report2,c.json,d.json 2>err"
ok 'with its name' grep 'cannot write c.json: ' err
ok 'the report is there' cmp text report2
ok 'and the other file' cmp json d.json
ok 'nothing half is left' sh -c '[ ! -e c.json.new ]'

ok 'with sections' replay --report=module_top -o report3,e.json
ok 'the file is a report' cmp json e.json
echo "1..$count"
