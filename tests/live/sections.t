#!/bin/sh
# SPDX-License-Identifier: MIT
# The older program's command line. Its sections, of known pages, go to its file
# and to the kernel log; a running tracer is asked for sections; and errors in
# reading and writing are reported.
. "$(dirname "$0")/tracer.sh"

build churn
own_kernel_log
HELD=3000

sections() {
	/usr/bin/python3 -B "$here/sections.py" "$out" "$@"
}

# as_dracut LIST [THROTTLE [FILE]]: as its module starts it.
as_dracut() {
	out=${3-$work/report.$1}
	begin --report "$1" --notui --throttle "${2-80}" -o "$out"
}
# beside LIST...: the same beside a tracer, $first; its pid is $second.
beside() {
	as_dracut "$@"
	second=$tracer
	tracer=$first
}
# ends PID: its exit status.
ends() {
	kill -INT "$1"
	wait "$1"
}
start_first() {
	start --level=1 "$@"
	first=$tracer
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
ok "SIGINT ends it" stop INT
umount /proc/slabinfo
ok "every section, in its markers, in the order asked for" sections marked \
	module_summary task_summary task_top_json proc_slab_static
ok "task_summary: the holder's pages" sections holds "$holder" $HELD
ok "proc_slab_static: the caches by size, as slabinfo has them" \
	sections slabs "$work/slabinfo"
# Slab caches are looked at once more for it, and a file hides addresses.
plain() {
	sed 's/^<[0-9]*>memstrack: //; / proc_slab_static: /,$d
		s/(hidden)/X/; s/0x[0-9a-f]\{8,\}/X/' "$1"
}
same_lines() {
	plain "$out" >"$work/lines"
	plain "$work/kmsg" | cmp "$work/lines" - && [ -s "$work/lines" ]
}
ok "the kernel log has the same lines" same_lines
ok "to the end" grep 'format proc_slab_static END' "$work/kmsg"

as_dracut module_top,task_top:top=2
ok "SIGTERM ends it" stop TERM
ok "trees of stacks are there" sections marked module_top task_top

# --- of a tracer that runs

let_go
start_first
hold $HELD
: >"$work/kmsg"
beside task_summary:top=500:throttle=100
ok "a second one says whom it will ask" one_line "$work/stderr" \
	"pid $first traces already"
kill -HUP "$second"	# nothing to it
ok "the second ends well" ends "$second"
ok "what was taken before it began is told" sections holds "$holder" $HELD
ok "the kernel log has it too" grep "Task churn ($holder) using" "$work/kmsg"
ok "the first traces on" kill -0 "$first"

beside task_summary 1
ends "$second"
is "its --throttle is sent: one task is 1 % and more" \
	"$(grep -c '^Task ' "$out")" 1
beside module_summary 80 "$work/none/report"
ok "its file cannot be made: it fails" fails ends "$second"
ok "is said on standard error" holds "$work/stderr" "cannot write $out: "
says "there is nothing to record beside a tracer" 1 'traces already' \
	"$memstrack" record "$work/record" --report module_summary

beside module_summary
ok "the first ends well" stop INT
ok "the second, once the first has gone: fails" fails ends "$second"
ok "and says so" holds "$work/stderr" 'report: no tracer runs'

# As `pkill --signal INT memstrack` has it: the tracer is done first.
start_first
beside task_summary
kill -INT "$first" "$second"
ok "both end by one signal: the second" wait "$second"
ok "and the first" wait "$first"
ok "the report is there" sections marked task_summary

start_first --lines=16 --out=kmsg
: >"$work/kmsg"
beside proc_slab_static
ok "beside a tracer with --lines: ends well" ends "$second"
ok "it says what it has not written" grep '^(cut), [0-9]* more not' "$out"
stop TERM
ok "the kernel log has it too, with no other file" \
	grep ': (cut), [0-9]* more not' "$work/kmsg"

# One that dies in the middle of its answer.
/usr/bin/python3 -B "$here/sections.py" - dies >"$work/dies" &
dies=$!
until_true grep -q listens "$work/dies"
as_dracut module_summary
ok "half an answer: fails" fails stop INT
ok "is said to be cut off" holds "$work/stderr" 'report: the text is cut off'
ok "what there is of it is written" grep '^Module half' "$out"
wait "$dies"	# it holds the lock until then

# --- what cannot be

says "--backend slub is refused" 2 'not auto|perf|ftrace' \
	"$memstrack" --report module_summary --backend slub

: >"$work/kmsg"
as_dracut module_summary 80 "$work/none/report"
ok "a file that cannot be made: fails" fails stop INT
ok "is said on standard error" one_line "$work/stderr" "cannot write $out"
ok "and in the kernel log" holds "$work/kmsg" "cannot write $out"
is "where the sections go, once" \
	"$(grep -c 'Report format module_summary END' "$work/kmsg")" 1

# Held open, so that it goes when this test does.
head -c 65536 /dev/zero >"$work/disk"
if disk=$(losetup --find --show "$work/disk" 2>/dev/null); then
	exec 7<"$disk"
	losetup --detach "$disk"
	as_dracut module_summary 80 "$disk"
	stop INT
	ok "a disk is not for a report" one_line "$work/stderr" \
		"cannot write $disk: Invalid argument"
	is "and nothing is on it" "$(tr -d '\0' <&7 | wc -c)" 0
	exec 7<&-
else
	skip "a disk is not for a report" "losetup has none"
fi

: >"$work/kmsg"
out=$work/stdout
begin --debug --report task_summary --buf-size 4 >"$out"
stop INT
ok "without a file: standard output" sections marked task_summary
ok "and that alone" is_empty "$work/kmsg"
finish
