#!/bin/sh
# SPDX-License-Identifier: MIT
# memstrack top on a serial line, whose size nobody knows: what went over the
# line is counted, and replayed on a terminal of Python's pyte. With each TERM
# it is the same picture, and 115200 baud carry far more than it takes.
# MATRIX=all: TERM=linux, too, which is used as vt100 is.
. "$(dirname "$0")/lib.sh"
"$top/tests/need" python3-pyte >/dev/null 2>&1
/usr/bin/python3 -c 'import pyte' 2>/dev/null ||
	skip_all "python3-pyte is missing"

terms="unset ${MATRIX:+linux }vt100 dumb"
guest_program "$here/actor.c"
host_program
echo "$terms" >"$guest/terms"

# Meanwhile other processes come and go, and one file is written.
guest_runs <<'INIT'
mount -t tmpfs tmpfs /run
look() {
	say "=== $1"
	case $1 in
	unset) unset TERM ;;
	*) export TERM="$1" ;;
	esac
	began=$(cut -d. -f1 /proc/uptime)
	memstrack top </dev/ttyS1 >/dev/ttyS1 &
	watch=$!
	sleep 1
	dd if=/dev/zero of="/run/$1" bs=4k count=2048 2>/dev/null &
	writer=$!
	for _ in $(seq 5); do
		ls -R /sys/class >/dev/null
		cat /bin/busybox >/dev/null
		sleep 0.3
	done
	sleep 5
	kill "$watch"
	wait "$watch"
	say "=== end"
	say "writer_$1=$writer"
	say "seconds_$1=$(($(cut -d. -f1 /proc/uptime) - began))"
	stty -F /dev/ttyS1 >/run/given
	say "$1: $(tr '\n' ' ' </run/given)"
}
stty -F /dev/ttyS1 >/run/before
say "before: $(tr '\n' ' ' </run/before)"
for term in $(cat /terms); do look $term; done
memstrack top --once >/dev/ttyS1
say "once=$?"

# A key on the serial line chooses another table.
say "=== initcalls"
export TERM=vt100
memstrack top </dev/ttyS1 >/dev/ttyS1 &
watch=$!
sleep 3
actor press /dev/ttyS1 3
pressed=$?
sleep 3
kill "$watch"
wait "$watch"
say "=== end"
say "pressed=$pressed"
rows 'initcall|head'
INIT

boot "rd.memstrack=1 rd.memstrack.top=1000 $json loglevel=1
	trace_options=stacktrace trace_clock=mono
	trace_event=kmem:mm_page_alloc,kmem:mm_page_free,initcall:*
	trace_buf_size=24M" -m 400 -i 3
# What TERM showed.
of_term() {
	/usr/bin/python3 -B "$here/top.py" "$facts.raw" "$@" >"$work/shown"
}
shows() { grep -q -e "$1" "$work/shown" || { cat "$work/shown"; false; }; }
fact_of() { sed -n "s/^$1=//p" "$work/shown"; }
is_at_most() { is_between "$1" 0 "$2"; }

ok "the guest comes to its end" fact off=1
for term in $terms; do
	ok "$term: its bytes are read" of_term "$term"
	echo "# $term: first picture $(fact_of first_bytes) bytes, then" \
		"$(fact_of median_bytes) (median), $(fact_of most_bytes) at most"
	ok "$term: a title" shows '^| memstrack top +[0-9.]* s, free .* of '
	ok "$term: a heading" shows '^|  task  *now  *peak  *change state$'
	ok "$term: who wrote a file has its 8 MiB" \
		shows "^| .dd\\[$(value "writer_$term")\\]  *8\\.[0-9]M  *8\\.[0-9]M  *[-0+]"
	ok "$term: the keys" shows '^| q quit '
	seconds=$(value "seconds_$term")
	ok "$term: a picture each two seconds" is_between \
		"$(fact_of pictures)" $((seconds / 3)) $((seconds / 2 + 2))
	# 115200 baud are 11520 bytes a second.
	ok "$term: a picture takes less than the line carries meanwhile" \
		is_at_most "$(fact_of most_bytes)" 5760
	ok "$term: the settings are given back" \
		same "$(sed -n "s/^$term: //p" "$facts")" \
		"$(sed -n 's/^before: //p' "$facts")"
	case $term in
	dumb)
		ok "dumb: no sequences" shows '^sequences=$'
		continue
		;;
	unset) ok "unset: no reverse video" shows '^reverse=0$' ;;
	*) ok "$term: the heading is reverse" shows '^reverse=1$' ;;
	esac
	ok "$term: the terminal is asked for its size" shows '^asked_size=1$'
	ok "$term: only positions, erasure of lines and video" \
		shows '^sequences=HKm\{0,1\}$'
	ok "$term: what changes is a part of the first picture" \
		is_at_most "$(fact_of median_bytes)" "$(fact_of first_bytes)"
done
ok "once: on a terminal too" fact 'once=0'
ok "once: all tables" fact ' module  *now  *peak  *change.*'
# Each top had one child, which found the way to the tracer.
ok "once: and none made a task for each picture" \
	is_at_most "$(grep -o '^ memstrack\[[0-9]*' "$facts.raw" | sort -u |
	wc -l)" 15

# The table of initcalls, which a key on the serial line chooses: the kernel has
# recorded them before the first process. The report tells the same of each.
ok "initcalls: a key is pressed" fact 'pressed=0'
ok "initcalls: the picture is read" of_term initcalls
ok "initcalls: a key chooses them" shows '^|  initcall  *now  *peak  *change'
ok "initcalls: rows have what the report has" \
	of_term initcalls "$facts"
finish
