#!/bin/sh
# What threads hold is their process's: of threads that are made while we trace,
# and of those that were there before. If no process has threads when tracing
# begins, the kernel does not write the number of the process into each event,
# and the forks tell it: the recorded events show that.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"

mkdir -p "$guest/bin"
musl-gcc -std=gnu11 -Os -static -o "$guest/bin/threads" "$here/threads.c" ||
	exit 1

to_guest /init <<'INIT'
mounts
facts
mount -t tracefs tracefs /sys/kernel/tracing
echo never >/sys/kernel/mm/transparent_hugepage/enabled
start() {
	threads 700 /$1 &
	process=$!
}
record() {
	rm -f /report.json
	memstrack record /$1.trace --level=2 --format=json \
		--out=/report.json &
	until memstrack report 2>/dev/null; do
		usleep 20000
	done
}
ask() {
	touch /$1
	until [ -e /$1.held ]; do
		usleep 2000
	done
	say "$1-process=$process"
	memstrack report
	grep -e '"type":"head"' -e '"type":"task".*"comm":"threads' \
		/report.json | sed "s/^/$1=/" >&3
	kill $process $(tracers)
	wait
	say "begin=$1"
	gzip -c </$1.trace | base64 >&3
	say end
}
record later
start later
ask later
start before
until [ "$(ls /proc/$process/task | wc -l)" = 3 ]; do
	usleep 2000
done
record before
ask before
off
INIT

same() { [ "$1" = "$2" ]; }
# numbers NAME: of a trace, does any page event tell its process, and does any
# not.
numbers() {
	sed -n "/^begin=$1\$/,/^end\$/p" "$facts" | sed '1d;$d' | base64 -d |
		gzip -d | python3 -c '
import struct, sys
trace = sys.stdin.buffer.read()
at, told, untold = 24, 0, 0
while at < len(trace):
    head, tid, time, tgid = struct.unpack_from("=IIQI", trace, at)
    if head >> 16 == 1 and tid:
        told += tgid != 0
        untold += tgid == 0
    at += head & 0xffff
print(told > 0, untold > 0)'
}

boot 'quiet rd.memstrack=0' -m 256
for name in later before; do
	process=$(value "$name-process")
	row=$(grep "^$name=.*\"type\":\"task\"" "$facts")
	ok "$name: one row, the process" same "$(echo "$row" | wc -l) $(echo \
		"$row" | sed -n 's/.*"pid":\([0-9]*\).*/\1/p')" "1 $process"
	now=$(echo "$row" | sed -n 's/.*"now_pages":\([0-9]*\).*/\1/p')
	ok "$name: with the pages of both: $now" \
		test "$((now >= 1400 && now < 1460))" = 1
	ok "$name: nothing lost" grep -q "^$name=.*\"lost\":0[,}]" "$facts"
done
ok 'later: no event tells a process' same "$(numbers later)" 'False True'
ok 'before: each does' same "$(numbers before)" 'True False'
finish
