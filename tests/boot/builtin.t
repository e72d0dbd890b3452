#!/bin/sh
# SPDX-License-Identifier: MIT
# Built-in drivers: a kernel in which planted initcalls
# (tests/images/builtin.c) take known numbers of pages. The table `initcall`
# has them to the page, by the kernel's events of initcalls and without them,
# by call chains; from the command line, and from a boot config. check-all
# builds the kernel, which takes minutes; check uses it if it exists.
. "$(dirname "$0")/lib.sh"
[ "${MATRIX-}" = all ] || [ -e "$BUILD/kernel/made/builtin/vmlinuz" ] ||
	skip_all 'its kernel takes minutes to build: make check-all'
kernel=$("$top/tests/images/kernel" builtin) || skip_all 'no such kernel'

guest_runs <<'INIT'
rows 'head|counters|note|initcall|before_init|own'
# Which code asked, by name, and how much of it.
grep '"type":"stack","owner":"task.*"planted_[a-z]*_init+' /report.json >&3
INIT

# A number of the row of an initcall.
initcall() { of initcall "$2" "\"function\":\"$1\""; }
# exactly INITCALL now|peak PAGES: but for what slab, page tables and the like
# take on the way, of which the chains tell; the planted ones take none.
exactly() {
	ok "$1 $2: expected $3, printed $(initcall "$1" "$2_pages")" \
		test "$(initcall "$1" "$2_pages")" = "$3"
}

events='kmem:mm_page_alloc,kmem:mm_page_free'
options='trace_options=stacktrace trace_clock=mono trace_buf_size=8M'
report="quiet $json_report rd.memstrack.mem=6M"

# It has no way to switch the machine off.
ended='reboot: '

planted() {
	ok "$1: a report, nothing lost" \
		same "$(value report) $(of head lost) $(of head before_init_lost)" '0 0 0'
	exactly planted_kept_init now 300
	exactly planted_kept_init peak 300
	exactly planted_passing_init now 0
	exactly planted_passing_init peak 700
	exactly planted_orders_init now 126
	exactly planted_orders_init peak 126
	exactly planted_places_init now 150
}

boot "$report trace_event=$events,initcall:* $options" -m 200 -u "$ended"
planted 'by events'
exactly planted_places_init peak 210
for initcall in kept passing orders places; do
	ok "$initcall ran once" test "$(initcall "planted_${initcall}_init" runs)" = 1
done
ok 'the time of one that waits is known' \
	is_between "$(initcall planted_kept_init run_ns)" 40000000 10000000000
ok 'and that is not the time of another' \
	is_between "$(initcall planted_orders_init run_ns)" 0 20000000

boot "$report trace_event=$events $options" -m 200 -u "$ended"
planted 'by call chains'
ok 'two places in one initcall: its peak is that, or a bound is told' \
	test "$(initcall planted_places_init peak_at_most_pages)" -ge 210
ok 'how long it ran is not known' \
	grep '"function":"planted_kept_init".*"run_ns":null' "$facts"

# The same by a boot config, behind the initrd.
{
	echo 'kernel.trace_event = "kmem:mm_page_alloc,kmem:mm_page_free"'
	echo 'kernel.trace_options = stacktrace'
	echo 'kernel.trace_clock = mono'
	echo 'kernel.trace_buf_size = 8M'
	echo 'ftrace.event.initcall.enable'
} >"$work/bootconfig"
initrd
/usr/bin/python3 -B - "$work/initrd" "$work/bootconfig" <<'PYTHON'
import struct
import sys

initrd, config = (open(name, "rb").read() for name in sys.argv[1:])
config += b"\0"
config += b"\0" * (-(len(initrd) + len(config)) % 4)
with open(sys.argv[1], "ab") as out:
    out.write(config + struct.pack("<II", len(config), sum(config)) +
              b"#BOOTCONFIG\n")
PYTHON
start "$report bootconfig" -m 200 -u "$ended"
planted 'by a boot config'
ok 'times' \
	is_between "$(initcall planted_kept_init run_ns)" 40000000 10000000000
finish
