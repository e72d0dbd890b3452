#!/bin/sh
# SPDX-License-Identifier: MIT
# Files beside a report: each in the format of its suffix, the same account as by
# --format, replaced as a whole.
# shellcheck source-path=SCRIPTDIR/.. source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
export LC_ALL=C
mkdir "$work/here"
cd "$work/here" || exit 1

replay() { "$MEMSTRACK" replay trace --level=2 "$@"; }

/usr/bin/python3 -B "$here/gen.py" "$here/cases/initcalls.py" trace || exit 1
replay >text
replay --format=json >json
ok 'two files, and the report' eval 'replay -o auto,a.json,b.txt >out'
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
ok 'by the file' \
	eval 'cmp json a.json && [ ! -e target ] && [ ! -L a.json ]'

mkdir c.json
ok 'a folder of this name: an error' \
	eval '! replay -o report2,c.json,d.json 2>err'
ok 'with its name' grep 'cannot write c.json: ' err
ok 'the report is there' cmp text report2
ok 'and the other file' cmp json d.json
ok 'nothing half is left' test ! -e c.json.new

# Each suffix stands for a format, of the report's own file and of one beside it.
for format in text:txt json:json line:line folded:folded \
	folded-peak:peak.folded folded-tasks:tasks.folded prometheus:prom \
	svg:svg chrome:chrome; do
	suffix=${format#*:} format=${format%:*} mode=600
	[ "$format" != prometheus ] || mode=644
	replay "--format=$format" >wanted
	replay --format="$format" -o main >>printed
	replay -o "own.$suffix" >/dev/null
	replay -o "auto,beside.$suffix" >/dev/null
	for file in main "own.$suffix" "beside.$suffix"; do
		ok "$file: $format" cmp wanted "$file"
		ok "$file: mode $mode" test "$(stat -c %a "$file")" = $mode
	done
done
ok 'where the report has a file, nothing is printed' is_empty printed
ok 'a report that cannot be written: an error' \
	fails replay -o /nowhere/r,f.json
ok 'and the file beside it is there' cmp json f.json
ok 'a picture that finds no room: an error' \
	eval '! replay --format=svg -o /dev/full 2>err'
ok 'which is told' grep 'cannot write /dev/full: No space' err
ok 'and is nowhere else' fails grep 'kernel log' err
ln -sf nowhere l
replay --format=svg -o l 2>err
ok 'nor does it replace a link' test -L l

ok 'with sections' replay --report=module_top -o report3,e.json
ok 'the file is a report' cmp json e.json
finish
