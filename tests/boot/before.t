#!/bin/sh
# SPDX-License-Identifier: MIT
# Before init: the kernel's own trace buffer, filled from start_kernel() on, is
# read in front of the tracer's own events. What it has is compared with the
# kernel's log; the buffer is given back; a buffer that is too small and a clock
# that is another one are told. MATRIX=all: somebody else's events alone, too.
. "$(dirname "$0")/lib.sh"

guest_runs <<'INIT'
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
# line that it writes to the log and the next one. The log's clock stands at 0
# until the kernel has measured the TSC's frequency; log and trace each read a
# clock of their own, which then differ by some 2 ms.
micros() {
	sed -n 's/^\[ *\([0-9]*\)\.\([0-9]*\)\].*/\1\2/p' | sed 's/^0*\(.\)/\1/'
}
say "first_us=$(dmesg | grep -m 1 'NR_IRQS:' | micros)"
say "second_us=$(dmesg | grep -A 1 -m 1 'NR_IRQS:' | tail -n 1 | micros)"
rows '[hbciv]|reconcile|note|task|ram'
say "started=$(grep -c '"type":"stack","owner":"module:.*"start_kernel+' \
	/report.json)"
# Whoever would still touch it has ended then.
kill_tracers
say "buffer=$(kib)"
say "clock=$(sed 's/.*\[\(.*\)\].*/\1/' /t/trace_clock)"
say "events=$(tr '\n' ' ' </t/set_event)"
say "stacktrace=$(cat /t/options/stacktrace)"
INIT

# Free pages after mem_init(), as the log has them, and those that were freed
# in the record, less what it holds, must be free, but for what was taken before
# the first event and what no event tells. Most of the former is the first CPU's
# trace buffer and dynamic ftrace's tables, of the latter vmalloc (before 5.14
# it has events).
unexplained() {
	vmalloc=$(of baseline size_kib '"VmallocUsed"')
	case $(uname_of) in [1-4].* | 5.?.* | 5.1[0-3].*) vmalloc=0 ;; esac
	echo $(($(value memory) / 4 + $(of before_init freed_pages) - \
		$(of before_init held_pages) - $(of before_init free_kib) / 4 - \
		$(of before_init lists_pages) - 6144 - $(value ftrace) - \
		vmalloc / 4))
}
uname_of() { sed -n 's/.*"kernel":"\([^"]*\)".*/\1/p' "$facts"; }
begins_early() {
	is_between $(($(of before_init start_ns) / 1000 + 5000)) \
		"$(value first_us)" $(($(value second_us) + 10000))
}

line='trace_event=kmem:mm_page_alloc,kmem:mm_page_free,module:*,initcall:*
	trace_options=stacktrace trace_clock=mono'
report="quiet $json_report $roomy"

# Times are compared where the clock counts instructions.
for cpus in 1 2; do
	# shellcheck disable=SC2046 # a word or none
	boot "$report $line trace_buf_size=24M given=1" -m 400 -c "$cpus" \
		$([ "$cpus" = 2 ] || echo -i 3)
	echo "# $cpus CPUs: $(of head before_init) events, from" \
		"$(of before_init start_ns) to $(of before_init end_ns) ns," \
		"$(of before_init held_pages) pages held at the end"
	ok "$cpus CPUs: a report" fact 'report=0'
	[ "$cpus" = 2 ] ||
		ok 'the first event is of early_irq_init()' begins_early
	is 'that is where the report begins' \
		"$(of head start_ns)" "$(of before_init start_ns)"
	# It is read for a second at most, of time that goes on while another
	# process of the host has the CPU.
	missing=''
	[ "$cpus" = 1 ] || missing=$(sed -n \
		's/.*"\([0-9]*\) entries before init .*: to read them took .*/\1/p' \
		"$facts")
	ok 'events of a start' is_between \
		$(($(of head before_init) + ${missing:-0})) 8000 100000
	is 'none was lost or rejected, and no page allocated twice' \
		"$(of head before_init_lost) $(of head lost) $(of head \
		rejected) $(of counters missed_free_pages)" "0 ${missing:-0} 0 0"
	ok 'few are out of order' is_between "$(of counters late)" 0 50
	ok 'stacks of start_kernel()' is_between "$(value started)" 5 10000
	ok 'a task from before it had a name' \
		test "$(of task peak_pages '"pid":0,.*"swapper"')" -gt 0
	ok 'each has a name' \
		fails grep '"type":"task".*"comm":""' "$facts"
	ok "initcalls have pages and times" \
		test "$(of initcall run_ns '"now_pages":[1-9]')" -gt 1000
	rest=$(unexplained)
	if [ "$missing" ]; then
		skip "the log's free memory" 'not all was read: a busy host'
	elif [ "$(of before_init handed_pages)" = 0 ]; then
		ok "the log's free memory is explained but for $rest pages" \
			is_between "$rest" 0 2000
	else
		skip "the log's free memory" \
			'page structs are deferred: the log is not exact'
	fi
	ok 'its balance holds' is_between "$(of reconcile rest_pages)" -200 400
	ok 'ram has the buffers' is_between "$(of ram size_kib '"trace buffers"')" \
		$((24576 * cpus)) $((24600 * cpus))
	ok 'a 50th is unknown' is_between "$(of ram size_kib '"unknown"')" -2000 8000
	ok 'the buffer was given back' is_between "$(value buffer)" 1 64
	is 'clock, options and events are as they were' \
		"$(value clock) $(value stacktrace) $(value events)" 'local 0 '
	[ "$missing" ] ||
		ok 'nothing is noted of it' test -z "$(note 'before init')"
done

boot "$report $line trace_buf_size=64k given=1" -m 256
ok 'too small: a report' fact 'report=0'
ok 'it says from when on the record holds' \
	note '"before +[0-9.]* s not recorded, [0-9]* entries: raise trace_buf_size ([0-9]*K)'
ok 'and so does the head' is_between "$(of head before_init_lost)" 5000 100000
ok 'from when it begins' is_between "$(of head start_ns)" 100000000 100000000000
ok 'nothing else was lost' test "$(of head lost)" = 0
ok 'no page was allocated twice' test "$(of counters missed_free_pages)" = 0

kept=$(echo "$line" | sed 's/stacktrace/&,nooverwrite/')
boot "$report $kept trace_buf_size=256k given=1" -m 256 -i 3
ok 'full, and old entries stay: a report' fact 'report=0'
ok 'it says how many are missing' \
	note '"[0-9]* entries before init are missing: their buffer was full'
ok 'they are counted as lost' is_between "$(of head lost)" 5000 100000
ok 'it begins where the kernel did' begins_early

# unused WHAT "parameters" NOTE EVENTS "CLOCK STACKTRACE": a record that is not
# for us is neither used nor touched.
unused() {
	boot "$report $2 trace_buf_size=4M" -m 256
	ok "$1: a report" fact 'report=0'
	[ -z "$3" ] || ok "$1: why it is not used" note "$3"
	ok "$1: nor is it" test -z "$(of head before_init)"
	ok "$1: its events stay" fact "events=$4"
	is "$1: so do clock, options" "$(value clock) $(value stacktrace)" "$5"
	ok "$1: so does its buffer" is_between "$(value buffer)" 4096 9000
}
unused 'another clock' "${line% trace_clock=mono}" 'trace_clock=mono' \
	'.*mm_page_alloc .*' 'local 1'
unused "somebody else's events with ours" 'trace_options=stacktrace
trace_event=kmem:mm_page_alloc,kmem:mm_page_free,sched:sched_process_exec
	trace_clock=mono' 'not used: it has other events, too' \
	'\([^ ]* \)\{3\}' 'mono 1'
[ "${MATRIX-}" != all ] || unused "somebody else's events alone" \
	trace_event=sched:sched_process_exec '' 'sched:sched_process_exec ' \
	'local 0'
finish
