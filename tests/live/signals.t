#!/bin/sh
# SPDX-License-Identifier: MIT
# Signals: SIGTERM and SIGINT cause a report and end tracing. After SIGUSR1
# (report to the console) and SIGUSR2 (to the file) tracing goes on. Several may
# come at once.
set -u
# shellcheck source-path=SCRIPTDIR source=tracer.sh
. "$(dirname -- "$0")/tracer.sh"

# The console of this test alone.
console=$work/console
: >"$console"
mount --bind "$console" /dev/console ||
	skip_all "no /dev/console that another can be mounted on"

console_reports() {
	python3 -B "$here/report.py" "$console" "$@"
}

for signal in TERM INT; do
	start --format=json --level=3 --lines=1000000
	stop $signal
	is "SIG$signal: exit status" $? 0
	check "SIG$signal: the report names it" \
		report reasons request SIG$signal
done
is "and the console got nothing" "$(wc -c <"$console")" 0

start --format=json --level=3 --lines=1000000
kill -USR1 "$tracer"
until_true reports_are 1 "$console"
check "SIGUSR1: the console gets the report" console_reports reasons SIGUSR1
"$memstrack" report
check "SIGUSR1: the file does not, tracing goes on" \
	report reasons request request
kill -USR2 "$tracer"
until_true reports_are 3
check "SIGUSR2: the file gets the report" \
	report reasons request request SIGUSR2
check "SIGUSR2: the console does not" console_reports count 1
sh -c 'ls / >/dev/null'
"$memstrack" report
check "SIGUSR2: tracing goes on" report grows seen

# At once: they wait for a tracer that is stopped.
kill -STOP "$tracer"
kill -USR1 "$tracer"
kill -USR2 "$tracer"
kill -CONT "$tracer"
until_true reports_are 5
until_true reports_are 2 "$console"
check "SIGUSR1 and SIGUSR2 at once: the file's report" \
	report reasons request request SIGUSR2 request SIGUSR2
check "SIGUSR1 and SIGUSR2 at once: the console's" \
	console_reports reasons SIGUSR1 SIGUSR1
kill -STOP "$tracer"
kill -HUP "$tracer"
kill -PIPE "$tracer"
kill -CONT "$tracer"
"$memstrack" report
check "SIGHUP and SIGPIPE: nothing but tracing on" report count 6
kill -STOP "$tracer"
kill -INT "$tracer"
kill -TERM "$tracer"
kill -CONT "$tracer"
wait "$tracer"
is "SIGINT and SIGTERM at once: exit status" $? 0
tracer=
check "SIGINT and SIGTERM at once: one report" report count 7
check "all whole, all balance" report grows end_ns
check "all whole, all balance: the console's too" console_reports whole

# What one of them asked for is written even where the other ends tracing.
for signal in TERM INT; do
	: >"$console"
	start --format=json --level=1
	kill -STOP "$tracer"
	kill -USR1 "$tracer"
	kill -$signal "$tracer"
	kill -CONT "$tracer"
	wait "$tracer"
	is "SIGUSR1 and SIG$signal at once: exit status" $? 0
	tracer=
	check "SIGUSR1 and SIG$signal at once: the file's report" \
		report reasons request SIG$signal
	check "SIGUSR1 and SIG$signal at once: the console's" \
		console_reports reasons SIGUSR1
done

# Standard output is a file like any other.
out=$work/stdout
"$memstrack" trace --format=json >"$out" 2>"$work/stderr" &
tracer=$!
until_true answers
kill -USR2 "$tracer"
until_true reports_are 2
stop INT
is "standard output: exit status" $? 0
check "standard output: the reports" report reasons request SIGUSR2 SIGINT
is "and nothing on standard error" "$(cat "$work/stderr")" ""
echo "1..$count"
