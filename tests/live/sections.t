#!/bin/sh
# SPDX-License-Identifier: MIT
# The older program's command line. Its sections, of known pages, go to its file
# and to the kernel log; a running tracer is asked for sections; and errors in
# reading and writing are reported.
set -u
# shellcheck source-path=SCRIPTDIR source=tracer.sh
. "$(dirname -- "$0")/tracer.sh"

build churn
# The kernel log of this test alone.
: >"$work/kmsg"
mount --bind "$work/kmsg" /dev/kmsg ||
	skip_all "no /dev/kmsg that another can be mounted on"
HELD=3000

sections() {
	python3 -B "$here/sections.py" "$out" "$@"
}

# as_dracut LIST [THROTTLE [FILE]]: as its module starts it; until signals are
# heard.
as_dracut() {
	out=${3-$work/report.$1}
	"$memstrack" --report "$1" --notui --throttle "${2-80}" -o "$out" \
		2>"$work/stderr" &
	tracer=$!
	until_true catches_ends
}
# HUP, 1, is blocked with them; who waits for them has them open.
catches_ends() {
	kill -0 "$tracer" || bail "it ended: $(cat "$work/stderr")"
	grep -q '^SigBlk:.*[13579bdf]$' "/proc/$tracer/status"
}

# --- by itself

# Of 80 % of all that is held, another process of this machine may have all; with
# more rows the log might have no room for all lines.
all=top=6:throttle=100
as_dracut "module_summary,task_summary:$all,task_top_json:$all,proc_slab_static"
hold $HELD
# One that stands still. All slabs count, not only those in use, which SLUB
# says are as many.
sed 's/: slabdata *[0-9]*/: slabdata 0/' /proc/slabinfo >"$work/slabinfo"
mount --bind "$work/slabinfo" /proc/slabinfo ||
	bail "no /proc/slabinfo that another can be mounted on"
stop INT
is "SIGINT ends it" $? 0
umount /proc/slabinfo
check "every section, in its markers, in the order asked for" sections marked \
	module_summary task_summary task_top_json proc_slab_static
check "task_summary: the holder's pages" sections holds "$holder" $HELD
check "task_top_json: is JSON, and has the same figures" sections same
check "proc_slab_static: the caches by size, as slabinfo has them" \
	sections slabs "$work/slabinfo"
# Slab caches are looked at once more for it, and a file hides addresses.
same_lines() {
	# shellcheck disable=SC2016 # of sed
	plain='/ proc_slab_static: /,$d; s/(hidden)/X/; s/0x[0-9a-f]\{8,\}/X/'
	sed "$plain" "$out" >"$work/lines"
	sed "s/^<[0-9]*>memstrack: //; $plain" "$work/kmsg" |
		cmp "$work/lines" - && [ -s "$work/lines" ]
}
check "the kernel log has the same lines" same_lines
check "to the end" grep -q 'format proc_slab_static END' "$work/kmsg"

as_dracut module_top,task_top:top=2
stop TERM
is "SIGTERM ends it" $? 0
check "trees of stacks: each frame a level further in" sections trees

# --- of a tracer that runs

exec 9>&-
wait "$helper"
start --level=1 --out="$work/first"
first=$tracer
rm "$work/fifo"
hold $HELD
held=$helper
helper="$held $first"
: >"$work/kmsg"
as_dracut task_summary:top=500:throttle=100
second=$tracer
tracer=$first
check "a second one says whom it will ask" one_line "$work/stderr" \
	"pid $first traces already"
kill -HUP "$second"	# nothing to it
kill -INT "$second"
wait "$second"
is "the second: exit status" $? 0
check "what was taken before it began is told" sections holds "$holder" $HELD
check "the kernel log has it too" grep -q "Task churn ($holder) using" \
	"$work/kmsg"
kill -0 "$first"
ok $? "the first traces on"

as_dracut task_summary 1
second=$tracer
kill -TERM "$second"
wait "$second"
is "its --throttle is sent: one task is 1 % and more" \
	"$(grep -c '^Task ' "$out")" 1
as_dracut module_summary 80 "$work/none/report"
second=$tracer
kill -INT "$second"
wait "$second"
is "its file cannot be made: exit status" $? 1
check "is said on standard error" grep -q "cannot write $out: " "$work/stderr"
timeout 20 "$memstrack" record "$work/record" --report module_summary \
	>"$work/line" 2>&1
is "there is nothing to record beside a tracer: exit status" $? 1
check "which is said" one_line "$work/line" 'traces already'

as_dracut module_summary
second=$tracer
kill -TERM "$first"
wait "$first"
is "the first: exit status" $? 0
helper=$held
kill -TERM "$second"
wait "$second"
is "the second, once the first has gone: exit status" $? 1
tracer=
check "and says so" grep -q 'report: no tracer runs' "$work/stderr"

# As `pkill --signal INT memstrack` has it: the tracer is done first.
start --level=1 --out="$work/first"
first=$tracer
as_dracut task_summary
second=$tracer
helper="$held $first"
kill -INT "$first" "$second"
wait "$second"
is "both end by one signal: the second's exit status" $? 0
wait "$first"
is "and the first's" $? 0
helper=$held
tracer=
check "the report is there" sections marked task_summary

start --level=1 --lines=16 --out=kmsg
first=$tracer
helper="$held $first"
: >"$work/kmsg"
as_dracut proc_slab_static
kill -INT "$tracer"
wait "$tracer"
is "a tracer with --lines: exit status" $? 0
check "it says what it has not written" grep -q '^(cut), [0-9]* more not' "$out"
tracer=$first
stop TERM
check "the kernel log has it too, with no other file" \
	grep -q ': (cut), [0-9]* more not' "$work/kmsg"
helper=$held

# One that dies in the middle of its answer.
python3 -B "$here/sections.py" - dies >"$work/dies" &
helper="$helper $!"
until_true grep -q listens "$work/dies"
as_dracut module_summary
kill -INT "$tracer"
wait "$tracer"
is "half an answer: exit status" $? 1
check "is said to be cut off" grep -q 'report: cut off' "$work/stderr"
check "what there is of it is written" grep -q '^Module half' "$out"
tracer=

# --- what cannot be

for list in nonsense module_summary,nonsense task_top:top=0; do
	timeout 20 "$memstrack" --report "$list" >"$work/line" 2>&1
	is "--report '$list': exit status" $? 2
	check "--report '$list': one line" one_line "$work/line" \
		"memstrack: --report: $list: not "
done
timeout 20 "$memstrack" --report '' >"$work/line" 2>&1
is "--report '': exit status" $? 2
check "--report '': one line" one_line "$work/line" \
	"memstrack: --report: needs a value: module_summary|"
timeout 20 "$memstrack" --report module_summary --backend slub \
	>"$work/line" 2>&1
is "--backend slub: exit status" $? 2
check "--backend slub: one line" one_line "$work/line" 'not auto|perf|ftrace'

: >"$work/kmsg"
out=$work/none/report
"$memstrack" --report module_summary --notui -o "$out" 2>"$work/stderr" &
tracer=$!
until_true catches_ends
stop INT
is "a file that cannot be made: exit status" $? 1
check "is said on standard error" one_line "$work/stderr" "cannot write $out"
check "and in the kernel log" grep -q "cannot write $out" "$work/kmsg"
is "where the sections go, once" \
	"$(grep -c 'Report format module_summary END' "$work/kmsg")" 1

# Held open, so that it goes when this test does.
head -c 65536 /dev/zero >"$work/disk"
if disk=$(losetup --find --show "$work/disk" 2>/dev/null); then
	exec 7<"$disk"
	losetup --detach "$disk"
	as_dracut module_summary 80 "$disk"
	stop INT
	check "a disk is not for a report" one_line "$work/stderr" \
		"cannot write $disk: Invalid argument"
	is "and nothing is on it" "$(tr -d '\0' <&7 | wc -c)" 0
	exec 7<&-
else
	skip "a disk: losetup has none"
	skip "a disk: and nothing is on it"
fi

: >"$work/kmsg"
out=$work/stdout
"$memstrack" --debug --report task_summary --buf-size 4 >"$out" &
tracer=$!
until_true catches_ends
stop INT
check "without a file: standard output" sections marked task_summary
check "and that alone" is_empty "$work/kmsg"
echo "1..$count"
