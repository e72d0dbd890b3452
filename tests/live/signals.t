#!/bin/sh
# SPDX-License-Identifier: MIT
# Signals: SIGTERM and SIGINT cause a report and end tracing. After SIGUSR1
# (report to the console) and SIGUSR2 (to the file) tracing goes on. Several may
# come at once.
. "$(dirname "$0")/tracer.sh"

# The console of this test alone.
console=$work/console
: >"$console"
mount --bind "$console" /dev/console ||
	skip_all "no /dev/console that another can be mounted on"

# reported NAME FILE REASON...: these reports are in the file, each whole.
reported() {
	reported=$1
	file=$2
	shift 2
	until_true reports_are $# "$file"
	ok "$reported" /usr/bin/python3 -B "$here/report.py" "$file" reasons "$@"
}

start --format=json --level=1
ok "SIGTERM ends it" stop TERM
reported "SIGTERM: the report names it" "$out" request SIGTERM
is "and the console got nothing" "$(wc -c <"$console")" 0

start --format=json --level=1
kill -USR1 "$tracer"
reported "SIGUSR1: the console gets the report" "$console" SIGUSR1
"$memstrack" report
reported "SIGUSR1: the file does not, tracing goes on" "$out" request request
kill -USR2 "$tracer"
reported "SIGUSR2: the file gets the report" "$out" request request SIGUSR2
reported "SIGUSR2: the console does not" "$console" SIGUSR1
sh -c 'ls / >/dev/null'
"$memstrack" report
ok "SIGUSR2: tracing goes on" report grows seen

at_once USR1 USR2
set -- request request SIGUSR2 request SIGUSR2
reported "SIGUSR1 and SIGUSR2 at once: the file's report" "$out" "$@"
reported "SIGUSR1 and SIGUSR2 at once: the console's" "$console" \
	SIGUSR1 SIGUSR1
at_once HUP PIPE
"$memstrack" report
reported "SIGHUP and SIGPIPE: nothing but tracing on" "$out" "$@" request
at_once INT TERM
ok "SIGINT and SIGTERM at once: ends well" ended
ok "SIGINT and SIGTERM at once: one report" report count 7
ok "all whole, all balance" report grows end_ns

# What one of them asked for is written even where the other ends tracing.
for signal in TERM INT; do
	: >"$console"
	start --format=json --level=1
	at_once USR1 $signal
	name="SIGUSR1 and SIG$signal at once"
	ok "$name: ends well" ended
	reported "$name: the file's report" "$out" request SIG$signal
	reported "$name: the console's" "$console" SIGUSR1
done

# Standard output is a file like any other.
out=$work/stdout
begin trace --format=json --level=1 >"$out"
"$memstrack" report
kill -USR2 "$tracer"
until_true reports_are 2
ok "standard output: ends well" stop INT
reported "standard output: the reports" "$out" request SIGUSR2 SIGINT
ok "and nothing on standard error" is_empty "$work/stderr"
finish
