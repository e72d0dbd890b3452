#!/bin/sh
# SPDX-License-Identifier: MIT
# A recorded trace: its replay prints the same bytes as the tracer. If a full
# disk cut the recording off, it replays up to its last whole record.
# shellcheck disable=SC2086 # words
. "$(dirname "$0")/tracer.sh"

trace=$work/trace
# records FILE OPTION...: a tracer.
records() {
	new_out
	begin record "$@" --out="$out"
}

replays_to_the_same() {
	"$memstrack" replay "$trace" "$@" >"$work/replayed" 2>"$work/errors" &&
		is_empty "$work/errors" && cmp "$out" "$work/replayed" &&
		[ "$(wc -l <"$work/replayed")" -ge 10 ]
}

for options in "--level=3 --format=text" "--level=2 --format=json" \
	"--level=2 --format=text --top=5" "--level=1 --format=text --throttle=50" \
	"--level=3 --format=json --mem=1M --stacks=500 --tasks=40"; do
	records "$trace" $options
	busy 50
	ok "$options: ends well" stop TERM
	ok "$options: nothing to say" is_empty "$work/stderr"
	# Tables have the sizes they had.
	# shellcheck disable=SC2046 # words
	ok "$options: the replay has the same bytes, and says nothing" \
		replays_to_the_same $(echo "$options" | sed 's/ --mem.*//')
done
is "the file is for root alone" "$(stat -c %a "$trace")" 600

# Sites of slab too have their names in the trace.
records "$trace" --level=3 --format=text --slab=4M --slab-stacks=1
busy 10
stop TERM
"$memstrack" replay "$trace" --level=3 >"$work/replayed"
named=$(grep -c '+0x' "$out")
ok "objects of slab: $named lines have names, in the replay as many" \
	test "$named" -gt 100 -a "$(grep -c '+0x' "$work/replayed")" = "$named"

# With its standard output closed no other file gets its number.
begin record "$trace" >&-
busy 1
stop TERM
is "standard output is closed: exit status" $? 1
ok "standard output is closed: it is told" \
	one_line "$work/stderr" "the report: Bad file descriptor"
ok "standard output is closed: the trace is whole" \
	"$memstrack" replay "$trace" --out="$work/replayed"

# What is read or recorded is not replaced by the report.
cp "$trace" "$work/kept"
ln -f "$trace" "$work/other.json"
for command in "replay $trace --out=$trace" \
	"replay $trace --out=$work/other.json" \
	"diff $trace $work/kept --out=$trace" "record $trace --out=$trace" \
	"record $trace --out=$work/x,$work/other.json"; do
	"$memstrack" $command >"$work/line" 2>&1
	ok "${command%% *}: its own file as output is refused" \
		one_line "$work/line" "$trace: the report would replace it"
	ok "${command%% *}: and stays as it is" cmp "$trace" "$work/kept"
done

# A second recorder is refused, and the first one's file stays what it is.
# Reports meanwhile change nothing of what is recorded.
records "$trace" --level=3 --format=json
busy 10
is "a second recorder of the same file: exit status" \
	"$("$memstrack" record "$trace" >/dev/null 2>&1; echo $?)" 1
"$memstrack" report
kill -USR2 "$tracer"
until_true reports_are 2
stop INT
"$memstrack" replay "$trace" --level=3 --format=json >"$work/replayed"
tail -n "$(wc -l <"$work/replayed")" "$out" >"$work/last"
ok "after that and reports meanwhile: the last report is replayed" \
	cmp "$work/last" "$work/replayed"

new_tmpfs small size=64k
records "$work/small/trace" --level=3 --format=json
busy 100
stop TERM
is "a full disk: exit status" $? 1
ok "a full disk: is told in one line" \
	one_line "$work/stderr" "$work/small/trace: No space left on device"
ok "a full disk: the report is there all the same" report reasons SIGTERM
live=$(report print head seen)
ok "a full disk: what had room was written" \
	is_between "$(wc -c <"$work/small/trace")" 57001 65536
# Up to its last whole record: tests/replay/damaged.t.
out=$work/cut.json
"$memstrack" replay "$work/small/trace" --level=3 --format=json \
	>"$out" 2>"$work/errors"
ok "the part replayed: its report" report reasons "truncated trace"
ok "the part replayed: some of $live events" \
	is_between "$(report print head seen)" 1000 $((live - 1))

rm "$work/small/trace"
dd if=/dev/zero of="$work/small/full" bs=64k 2>/dev/null
says "a disk full from the start: is told in one line" 1 \
	"No space left on device" "$memstrack" record "$work/small/trace"
finish
