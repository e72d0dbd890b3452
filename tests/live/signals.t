#!/bin/sh
# SPDX-License-Identifier: MIT
# Signals: SIGTERM and SIGINT cause a report and end tracing. After SIGUSR1
# (report to the console) and SIGUSR2 (to the file) tracing goes on. Several may
# come at once.
# shellcheck source=tests/live/tracer.sh
. "$(dirname -- "$0")/tracer.sh"

# The console of this test alone.
console=$work/console
: >"$console"
mount --bind "$console" /dev/console ||
	skip_all "no /dev/console that another can be mounted on"

console_reports() {
	python3 -B "$here/report.py" "$console" "$@"
}
# ended: the tracer, by a signal that was sent.
ended() {
	wait "$tracer"
	set -- $?
	tracer=
	return "$1"
}

start --format=json --level=1
ok "SIGTERM ends it" stop TERM
ok "SIGTERM: the report names it" report reasons request SIGTERM
is "and the console got nothing" "$(wc -c <"$console")" 0

start --format=json --level=1
kill -USR1 "$tracer"
until_true reports_are 1 "$console"
ok "SIGUSR1: the console gets the report" console_reports reasons SIGUSR1
"$memstrack" report
ok "SIGUSR1: the file does not, tracing goes on" \
	report reasons request request
kill -USR2 "$tracer"
until_true reports_are 3
ok "SIGUSR2: the file gets the report" \
	report reasons request request SIGUSR2
ok "SIGUSR2: the console does not" console_reports count 1
sh -c 'ls / >/dev/null'
"$memstrack" report
ok "SIGUSR2: tracing goes on" report grows seen

at_once USR1 USR2
until_true reports_are 5
until_true reports_are 2 "$console"
ok "SIGUSR1 and SIGUSR2 at once: the file's report" \
	report reasons request request SIGUSR2 request SIGUSR2
ok "SIGUSR1 and SIGUSR2 at once: the console's" \
	console_reports reasons SIGUSR1 SIGUSR1
at_once HUP PIPE
"$memstrack" report
ok "SIGHUP and SIGPIPE: nothing but tracing on" report count 6
at_once INT TERM
ok "SIGINT and SIGTERM at once: ends well" ended
ok "SIGINT and SIGTERM at once: one report" report count 7
ok "all whole, all balance" report grows end_ns
ok "all whole, all balance: the console's too" console_reports whole

# What one of them asked for is written even where the other ends tracing.
for signal in TERM INT; do
	: >"$console"
	start --format=json --level=1
	at_once USR1 $signal
	ok "SIGUSR1 and SIG$signal at once: ends well" ended
	ok "SIGUSR1 and SIG$signal at once: the file's report" \
		report reasons request SIG$signal
	ok "SIGUSR1 and SIG$signal at once: the console's" \
		console_reports reasons SIGUSR1
done

# Standard output is a file like any other.
out=$work/stdout
begin trace --format=json --level=1 >"$out"
"$memstrack" report
kill -USR2 "$tracer"
until_true reports_are 2
ok "standard output: ends well" stop INT
ok "standard output: the reports" report reasons request SIGUSR2 SIGINT
ok "and nothing on standard error" is_empty "$work/stderr"
finish
