#!/bin/sh
# SPDX-License-Identifier: MIT
# Before init: the kernel's own trace buffer, filled from start_kernel() on, is
# read in front of the tracer's own events. What it has is compared with the
# kernel's log; the buffer is given back; a buffer that is too small and a
# clock that is another one are told.
#
# MATRIX=all: somebody else's events alone, too.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"

to_guest /init <<'INIT'
mounts
facts
mkdir -p /t
mount -t tracefs t /t
# The buffer is given back step by step; that it records again is the last one.
kib() { sed 's/ .*//' /t/per_cpu/cpu0/buffer_size_kb; }
[ -z "$given" ] || while [ "$(kib)" -gt 64 ] || [ "$(cat /t/tracing_on)" = 0 ]
do
	usleep 50000
done
say "memory=$(dmesg | sed -n 's/.*Memory: \([0-9]*\)K\/.*/\1/p')"
say "ftrace=$(dmesg | sed -n 's/.*ftrace: allocated \([0-9]*\) pages.*/\1/p')"
# early_irq_init() allocates the first pages that the trace sees, between the
# line that it writes to the log and the next one. That is not always near 0: the
# log's clock stands at 0 until the kernel has measured the TSC's frequency,
# which happens sooner or later. The log and the trace each read a clock of their
# own, which then differ by some 2 ms.
micros() {
	sed -n 's/^\[ *\([0-9]*\)\.\([0-9]*\)\].*/\1\2/p' | sed 's/^0*\(.\)/\1/'
}
say "first_us=$(dmesg | grep -m 1 'NR_IRQS:' | micros)"
say "second_us=$(dmesg | grep -A 1 -m 1 'NR_IRQS:' | tail -n 1 | micros)"
say "uptime=$(cut -d' ' -f1 /proc/uptime)"
say "free=$(sed -n 's/^MemFree: *\([0-9]*\) .*/\1/p' /proc/meminfo)"
memstrack report
say "report=$?"
grep -e '"type":"[hbciv]' -e '"type":"reconcile' -e '"type":"note' \
	-e '"type":"task' -e '"type":"ram' /report.json >&3
say "started=$(grep -c '"type":"stack","owner":"module:.*"start_kernel+' \
	/report.json)"
# Whoever would still touch it has ended then.
kill "$(tracers)"
wait_for_tracers
say "buffer=$(kib)"
say "clock=$(sed 's/.*\[\(.*\)\].*/\1/' /t/trace_clock)"
say "events=$(tr '\n' ' ' </t/set_event)"
say "stacktrace=$(cat /t/options/stacktrace)"
off
INIT

# Free pages after mem_init(), as the log has them, and those that were freed
# in the record, less what it holds, must be free, but for what was taken before
# the first event and what no event tells. Most of the former is the first CPU's
# trace buffer and dynamic ftrace's tables, of the latter vmalloc (before 5.14
# it has events).
unexplained() {
	vmalloc=$(of baseline kib '"VmallocUsed"')
	case $(uname_of) in [1-4].* | 5.?.* | 5.1[0-3].*) vmalloc=0 ;; esac
	echo $(($(value memory) / 4 + $(of before_init freed_pages) - \
		$(of before_init held_pages) - $(of before_init free_pages) - \
		$(of before_init lists_pages) - 6144 - $(value ftrace) - \
		vmalloc / 4))
}
uname_of() { sed -n 's/.*"kernel":"\([^"]*\)".*/\1/p' "$facts"; }

line='trace_event=kmem:mm_page_alloc,kmem:mm_page_free,module:*,initcall:*
	trace_options=stacktrace trace_clock=mono'
report="$json_report rd.memstrack.ring=4M rd.memstrack.mem=6M"

# Times are compared where the clock counts instructions.
for cpus in 1 2; do
	# shellcheck disable=SC2046 # a word or none
	boot "$report $line trace_buf_size=24M given=1" -m 400 -c "$cpus" \
		$([ "$cpus" = 2 ] || echo -i)
	echo "# $cpus CPUs: $(of head before_init) events, from" \
		"$(of before_init start_ns) to $(of before_init end_ns) ns," \
		"$(of before_init held_pages) pages held at the end"
	ok "$cpus CPUs: a report" fact 'report=0'
	[ "$cpus" = 2 ] || ok 'the first event is of early_irq_init()' \
		is_between $(($(of before_init start_ns) / 1000 + 5000)) \
		"$(value first_us)" $(($(value second_us) + 10000))
	is 'that is where the report begins' \
		"$(of head start_ns)" "$(of before_init start_ns)"
	ok 'as many events as a start has' \
		is_between "$(of head before_init)" 8000 100000
	ok 'none of them was lost' test "$(of head before_init_lost)" = 0
	ok 'nor any other' test "$(of head lost)" = 0
	is 'no page was allocated twice' \
		"$(of counters missed_frees)" 0
	ok 'few are out of order' is_between "$(of counters late)" 0 50
	ok 'nothing was rejected' test "$(of head rejected)" = 0
	ok 'stacks from start_kernel() are there' \
		is_between "$(value started)" 5 10000
	ok 'a task from before it had a name' \
		test "$(of task peak_pages '"pid":0,.*"swapper"')" -gt 0
	ok 'no task is without a name' \
		test -z "$(grep '"type":"task".*"comm":""' "$facts")"
	ok "initcalls have pages and times" \
		test "$(of initcall run_ns '"now_pages":[1-9]')" -gt 1000
	rest=$(unexplained)
	if [ "$(of before_init handed_pages)" = 0 ]; then
		ok "the log's free memory is explained but for $rest pages" \
			is_between "$rest" 0 2000
	else
		skip "the log's free memory" \
			'page structs are deferred: the log is not exact'
	fi
	ok 'the balance since then holds' \
		is_between "$(of reconcile rest_pages)" -200 400
	ok 'ram has the buffers' \
		is_between "$(of ram kib '"trace buffers"')" \
		$((24576 * cpus)) $((24600 * cpus))
	ok 'and at most a 50th is unknown' \
		is_between "$(of ram kib '"unknown"')" -2000 8000
	ok 'the buffer was given back' is_between "$(value buffer)" 1 64
	ok 'the clock is as it was' test "$(value clock)" = local
	ok 'so are options' test "$(value stacktrace)" = 0
	ok 'and events' test -z "$(value events)"
	ok 'nothing is noted of it' test -z "$(note 'before init')"
done

boot "$report $line trace_buf_size=64k given=1" -m 256
ok 'too small: a report' fact 'report=0'
ok 'it says from when on the record holds' \
	note '"before +[0-9.]* s not recorded, [0-9]* entries: raise trace_buf_size ([0-9]*K)'
ok 'and so does the head' is_between "$(of head before_init_lost)" 5000 100000
ok 'which is when it begins' \
	is_between "$(of head start_ns)" 100000000 100000000000
ok 'nothing else was lost' test "$(of head lost)" = 0
ok 'no page was allocated twice' test "$(of counters missed_frees)" = 0

boot "$report ${line% trace_clock=mono} trace_buf_size=4M" -m 256
ok 'another clock: a report' fact 'report=0'
ok 'the parameter is named' note 'trace_clock=mono'
ok 'the record is not used' test -z "$(of head before_init)"
ok 'and not touched' test "$(value stacktrace)" = 1
ok 'nor is its buffer' is_between "$(value buffer)" 4096 9000

kept=$(echo "$line" | sed 's/stacktrace/&,nooverwrite/')
boot "$report $kept trace_buf_size=256k given=1" -m 256 -i
ok 'full, and old entries stay: a report' fact 'report=0'
ok 'it says how many are missing' \
	note '"[0-9]* entries before init are missing: their buffer was full'
ok 'they are counted as lost' is_between "$(of head lost)" 5000 100000
ok 'it begins where the kernel did' \
	is_between $(($(of before_init start_ns) / 1000 + 5000)) \
	"$(value first_us)" $(($(value second_us) + 10000))

others='kmem:mm_page_alloc,kmem:mm_page_free,sched:sched_process_exec'
boot "$report trace_event=$others trace_options=stacktrace trace_clock=mono
	trace_buf_size=4M" -m 256
ok "somebody else's events with ours: a report" fact 'report=0'
ok 'it says that they are there' note 'not used: it has other events, too'
ok 'the record is not used' test -z "$(of head before_init)"
is 'nor touched: its events' \
	"$(value events | tr ' ' '\n' | grep -c .)" 3
ok 'nor its buffer' is_between "$(value buffer)" 4096 9000
ok 'nor its clock and options' \
	test "$(value clock) $(value stacktrace)" = 'mono 1'

if [ "${MATRIX-}" = all ]; then
	boot "$report trace_event=sched:sched_process_exec trace_buf_size=4M" \
		-m 256
	ok "somebody else's events alone: a report" fact 'report=0'
	is 'they are not touched' "$(value events)" \
		'sched:sched_process_exec '
	ok 'nor is their buffer' is_between "$(value buffer)" 4096 9000
fi
finish
