#!/bin/sh
# SPDX-License-Identifier: MIT
# The source "ftrace": tracefs instances of our own, for kernels without perf
# events. A report by it is whole: planted pages to the page, stacks, tasks with
# their names, free memory explained. Nobody else's tracing is touched; nothing
# remains when the tracer ends, or at the next start if it was killed. Without
# perf it is taken by itself.
#
# An instance takes 9 MiB of this kernel. So there are two; a third one is for
# stacks while another user traces in the top instance. MATRIX=all: with one
# CPU, too.
. "$(dirname "$0")/planted.sh"

planted_runs <<'INIT'
instances() { ls /sys/kernel/tracing/instances | grep memstrack | tr "\n" " "; }
# What another user of tracefs has set, in the top and in an instance.
theirs() {
	for i in . instances/other; do
		cd /sys/kernel/tracing/$i
		cat current_tracer trace_clock tracing_on set_event \
			buffer_size_kb options/stacktrace options/overwrite \
			events/kmem/mm_page_free/filter
	done | md5sum
	cd /
}
mkdir -p /sys/kernel/tracing
mount -t tracefs tracefs /sys/kernel/tracing
say "while=$(instances)"
load finit /lib/planted0.ko \
	'keep=1000 temp=500 again=2 inittext=64 work=40 timer=30' >&3
step one
(exec /bin/sleep 0.01)
cp /lib/planted1.ko /run/copy
memstrack report
awk '/^."type":"(head|reconcile|task|end|note)"/' /report.json |
	sed 's/^/all=/' >&3
end_tracers
say "after=$(instances)"

cd /sys/kernel/tracing
mkdir instances/other
echo 1 >instances/other/events/sched/sched_process_exec/enable
echo 'order > 1' >instances/other/events/kmem/mm_page_free/filter
echo 1 >events/sched/sched_process_fork/enable
before=$(theirs)
memstrack --backend=ftrace --level=2 --out=/second 2>&3 &
wait_for_report
say "second=$(instances)"
say "theirs-while=$([ "$(theirs)" = "$before" ] && echo same)"
kill -KILL "$(tracers)"
wait_for_tracers
say "killed=$(instances)"
memstrack --backend=perf --out=/third 2>&3 &
wait_for_report
say "cleaned=$(instances)"
end_tracers
say "end=$(instances)"
say "theirs=$([ "$(theirs)" = "$before" ] && echo same)"
say "probes=$(grep -c memstrack /sys/kernel/tracing/kprobe_events)"
sed -n 's/^report /by=&/p' /second /third >&3
grep -q '^      .* < ' /second && say "stacks=yes"
grep -q '_event_' /second || say "clean=yes"
INIT

ours='memstrack memstrack-now '
for cpus in ${MATRIX:+1} 3; do
	boot "$parameters rd.memstrack.backend=ftrace" -m 256 -c "$cpus"
	echo "# $cpus CPUs"
	ok 'instances of our own' same "$(value while)" "$ours"
	whole one
	ok 'the head says by what' fact 'one=.*"source":"ftrace".*'
	exactly one planted0 planted_keep now 1000 \
		planted_temp now 0 planted_temp peak 500 \
		planted_init_text now 64 planted_work now 40 \
		planted_timer now 30 - now $((1000 + 64 + 40 + 30))
	rows one planted0 $((1000 + 64 + 500))
	for task in load sleep cp memstrack init; do
		ok "a task named $task" fact "all=.*\"task\".*\"comm\":\"$task\".*"
	done
	explained=$(grep '"reconcile"' "$facts" |
		number explained_permille | tail -n 1)
	ok "of free memory's fall $explained per mille are explained" \
		test "$explained" -ge 950 -a "$explained" -le 1050
	ok 'no instance remains' fact 'after='
	ok 'beside a user' same "$(value second)" "${ours}memstrack-stacks "
	ok 'killed: they remain' same "$(value killed)" "$(value second)"
	ok 'the next start removes them, by perf too' fact 'cleaned='
	ok 'none at the end, and no probe' fact end= probes=0
	ok "another user's tracing is as it was, then and now" \
		fact theirs-while=same theirs=same
	ok 'the first line of a report says by what' \
		fact 'by=report .* by ftrace, .*' 'by=report .* by perf, .*'
	ok 'stacks at level 2, without the functions that write events' \
		fact stacks=yes clean=yes
done
finish
