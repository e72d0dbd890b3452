#!/bin/sh
# SPDX-License-Identifier: MIT
# A recorded trace: its replay prints the same bytes as the tracer. If a full
# disk cut the recording off, it replays up to its last whole record.
set -u
# shellcheck source-path=SCRIPTDIR source=tracer.sh
. "$(dirname -- "$0")/tracer.sh"

trace=$work/trace
# start_recording FILE OPTION...
start_recording() {
	file=$1
	shift
	starts=$((starts + 1))
	out=$work/report.$starts
	"$memstrack" record "$file" --out="$out" "$@" 2>"$work/stderr" &
	tracer=$!
	until_true catches_signals
}

# Forks, page cache, pages, threads.
busy() {
	for n in 1 2 3 4 5 6 7 8 9 10; do
		sh -c "ls -R /proc/self /etc >/dev/null 2>&1; : $n"
	done
	dd if=/dev/zero of="$work/file" bs=64k count="$1" 2>/dev/null
	rm "$work/file"
}

same() {
	"$memstrack" replay "$trace" "$@" >"$work/replayed" 2>"$work/errors"
	is "$*: replay's exit status" $? 0
	check "$*: replay has nothing to say" is_empty "$work/errors"
	check "$*: the same bytes as live" cmp "$out" "$work/replayed"
	[ "$(wc -l <"$work/replayed")" -ge 10 ]
	ok $? "$*: and not few"
}

for options in "--level=3 --format=text" "--level=3 --format=json" \
	"--level=2 --format=json" "--level=2 --format=text --top=5" \
	"--level=1 --format=text --throttle=50" "--level=1 --format=json" \
	"--level=3 --format=json --mem=1M --stacks=500 --tasks=40"; do
	# shellcheck disable=SC2086 # words
	start_recording "$trace" $options
	busy 50
	stop TERM
	is "$options: exit status" $? 0
	check "$options: nothing to say" is_empty "$work/stderr"
	# Tables have the sizes they had.
	# shellcheck disable=SC2046 # words
	same $(echo "$options" | sed 's/ --mem.*//')
done
is "the file is for root alone" "$(stat -c %a "$trace")" 600

# Sites of slab too have their names in the trace.
start_recording "$trace" --level=3 --format=text --slab=4M --slab-stacks=1
busy 10
stop TERM
"$memstrack" replay "$trace" --level=3 >"$work/replayed"
named=$(grep -c '+0x' "$out")
check "objects of slab: $named lines have names, in the replay as many" \
	test "$named" -gt 100 -a "$(grep -c '+0x' "$work/replayed")" = "$named"

# With its standard output closed no other file gets its number.
"$memstrack" record "$trace" >&- 2>"$work/stderr" &
tracer=$!
until_true catches_signals
busy 1
stop TERM
is "standard output is closed: exit status" $? 1
check "standard output is closed: it is told" \
	one_line "$work/stderr" "the report: Bad file descriptor"
check "standard output is closed: the trace is whole" \
	"$memstrack" replay "$trace" --out="$work/replayed"

# What is read or recorded is not replaced by the report.
cp "$trace" "$work/kept"
ln -f "$trace" "$work/other.json"
for command in "replay $trace --out=$trace" "replay $trace --out=$work/other.json" \
	"diff $trace $work/kept --out=$trace" "record $trace --out=$trace" \
	"record $trace --out=$work/x,$work/other.json"; do
	# shellcheck disable=SC2086 # words
	"$memstrack" $command >"$work/line" 2>&1
	check "${command%% *}: its own file as output is refused" \
		one_line "$work/line" "$trace: the report would replace it"
	check "${command%% *}: and stays as it is" cmp "$trace" "$work/kept"
done

# A second recorder is refused, and the first one's file stays what it is.
start_recording "$trace" --level=3 --format=json
busy 10
"$memstrack" record "$trace" >"$work/said" 2>&1
is "a second recorder of the same file: exit status" $? 1
stop TERM
same --level=3 --format=json

# Reports meanwhile change nothing of what is recorded.
start_recording "$trace" --level=3 --format=json
busy 10
"$memstrack" report
kill -USR2 "$tracer"
until_true reports_are 2
stop INT
"$memstrack" replay "$trace" --level=3 --format=json >"$work/replayed"
tail -n "$(wc -l <"$work/replayed")" "$out" >"$work/last"
check "reports meanwhile: the last one is replayed" \
	cmp "$work/last" "$work/replayed"

mkdir "$work/small"
mount -t tmpfs -o size=128k none "$work/small" || bail "no tmpfs"
start_recording "$work/small/trace" --level=3 --format=json
busy 50
busy 50
stop TERM
is "a full disk: exit status" $? 1
check "a full disk: is told in one line" \
	one_line "$work/stderr" "$work/small/trace: No space left on device"
check "a full disk: the report is there all the same" report reasons SIGTERM
live=$(report print head seen)
echo "# $live events live"
size=$(wc -c <"$work/small/trace")
[ "$size" -gt 120000 ]
ok $? "a full disk: what had room was written"

out=$work/cut.json
"$memstrack" replay "$work/small/trace" --level=3 --format=json \
	>"$out" 2>"$work/errors"
is "the part replayed: exit status" $? 1
check "the part replayed: where it ends, in one line" \
	one_line "$work/errors" "$work/small/trace: byte "
check "the part replayed: its report" report reasons "truncated trace"
seen=$(report print head seen)
[ "$seen" -gt 1000 ] && [ "$seen" -lt "$live" ]
ok $? "the part replayed: $seen events of $live"
# It said where its last whole record ends: nothing more can be in it.
end=$(sed 's/.*: byte \([0-9]*\): .*/\1/' "$work/errors")
[ -n "$end" ] && [ "$end" -le "$size" ] && [ $((size - end)) -lt 2048 ]
ok $? "the part replayed: to its last whole record ($end of $size bytes)"
head -c "$end" "$work/small/trace" >"$work/whole"
"$memstrack" replay "$work/whole" --format=json >"$out" 2>/dev/null
is "without the rest: the same events" "$(report print head seen)" "$seen"

rm "$work/small/trace"
dd if=/dev/zero of="$work/small/full" bs=64k 2>/dev/null
timeout 30 "$memstrack" record "$work/small/trace" >"$work/line" 2>&1
is "a disk full from the start: exit status" $? 1
check "a disk full from the start: is told in one line" \
	one_line "$work/line" "No space left on device"
echo "1..$count"
