#!/bin/sh
# SPDX-License-Identifier: MIT
# A CPU goes and comes again while we trace, or comes for the first time: what
# is allocated on it then is there to the page, and the report says since
# when. It may also go and come at once, before we look. MATRIX=all: by each
# source, from both beginnings.
. "$(dirname "$0")/planted.sh"

planted_runs <<'INIT'
set_cpu() { echo "$1" >/sys/devices/system/cpu/cpu1/online; }
online() { set_cpu "$1"; sleep 0.5; }
online 0
taskset 1 load finit /lib/planted0.ko 'keep=100' >&3
online 1
taskset 2 load finit /lib/planted1.ko 'keep=300 temp=50' >&3
step once
online 0
online 1
taskset 2 load finit /lib/planted2.ko 'keep=200' >&3
rmmod planted1
set_cpu 0
set_cpu 1
sleep 1
taskset 2 load finit /lib/planted3.ko 'keep=250' >&3
step end
grep -F '"type":"note"' /report.json >&3

# With the objects of slab a recording has a mark (41) at the beginning and where
# the CPU came: what it freed before is not known.
[ -e /record ] || off
end_tracers
set_cpu 0
mount -t tracefs tracefs /sys/kernel/tracing
memstrack record /trace --slab=1M --ring=4M --mem=8M --out=/report &
begun /trace
set_cpu 1
sleep 1
kill $!
wait $!
say "status=$?"
send trace /trace
INIT

# told SOURCE TIMES [PARAMETER]: how often the report says that CPU 1 came.
told() {
	echo "# $1${3:+, $3}"
	boot "$parameters rd.memstrack.backend=$1 ${3-}" -m 256 -c 2
	whole end
	exactly end planted0 planted_keep now 100
	exactly once planted1 planted_keep now 300 planted_temp peak 50
	exactly end planted1 - now 0
	exactly end planted2 planted_keep now 200
	exactly end planted3 planted_keep now 250
	ok "it is said $2 times that it came" same "$2" \
		"$(grep -c 'CPU 1 came online: it is traced from ' "$facts")"
}

# By ftrace its ring is there from the first time on.
told ftrace 1 maxcpus=1
: >"$guest/record"
told perf 3
marks() {
	PYTHONPATH=$here /usr/bin/python3 -B -c 'import sys, sent
trace = sent.read(sys.argv[1])[1]["trace"]
print(sum(kind == 41 for kind, _ in sent.records(trace)))' "$facts.raw"
}
ok "a recording with objects: made" fact status=0
ok "a recording with objects: two marks" same "$(marks)" 2

rm "$guest/record"
[ "${MATRIX-}" != all ] || {
	told ftrace 0
	told perf 3 maxcpus=1
}
finish
