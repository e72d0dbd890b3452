#!/bin/sh
# A CPU goes and comes again while we trace, or comes for the first time: what is
# allocated on it then is there to the page, and the report says since when.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/boot/planted.sh
. "$here/planted.sh"

planted_guest <<'INIT'
mounts
facts
online() { echo "$1" >/sys/devices/system/cpu/cpu1/online; sleep 0.5; }
online 0
taskset 1 load finit /lib/planted0.ko 'keep=100' >&3
online 1
taskset 2 load finit /lib/planted1.ko 'keep=300 temp=50' >&3
step once
online 0
online 1
taskset 2 load finit /lib/planted2.ko 'keep=200' >&3
rmmod planted1
step end
grep '"type":"note"' /report.json >&3
off
INIT

notes() { grep -c 'CPU 1 came online: it is traced from ' "$facts"; }

for source in perf ftrace; do
	boot "$parameters rd.memstrack.backend=$source" -m 256 -c 2
	echo "# $source"
	whole end
	exactly end planted0 planted_keep now 100
	exactly once planted1 planted_keep now 300
	exactly once planted1 planted_temp peak 50
	exactly end planted1 - now 0
	exactly end planted2 planted_keep now 200
	if [ $source = perf ]; then
		ok 'the report says so, each time' same "$(notes)" 2
	else
		ok 'its ring was there all the time' same "$(notes)" 0
	fi
done

for source in perf ftrace; do
	boot "$parameters rd.memstrack.backend=$source maxcpus=1" -m 256 -c 2
	echo "# $source, one CPU at first"
	whole end
	exactly once planted1 planted_keep now 300
	exactly once planted1 planted_temp peak 50
	exactly end planted1 - now 0
	exactly end planted2 planted_keep now 200
	if [ $source = perf ]; then
		ok 'the report says so, each time' same "$(notes)" 2
	else
		ok 'the report says so once' same "$(notes)" 1
	fi
done
finish
