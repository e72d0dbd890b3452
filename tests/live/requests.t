#!/bin/sh
# memstrack report, two tracers, those who are not root, and who takes the
# tracer's name: each is told in one line, and nothing of it stops a tracer.
set -u
# shellcheck source-path=SCRIPTDIR source=tracer.sh
. "$(dirname -- "$0")/tracer.sh"

build squatter

# run NAME STATUS TEXT COMMAND...: this status, this in its only line.
run() {
	name=$1 wanted=$2 text=$3
	shift 3
	timeout 30 "$@" >"$work/line" 2>&1
	is "$name: exit status" $? "$wanted"
	check "$name: is told in one line" one_line "$work/line" "$text"
}

# --- root

run "no tracer" 1 "no tracer runs" "$memstrack" report

start --format=json --level=3
wrong=0
for n in 2 3 4 5 6 7 8 9 10 11; do
	"$memstrack" report >"$work/line" 2>&1 && [ ! -s "$work/line" ] &&
		reports_are $n || wrong=1
done
is "ten requests: each report is there when its request returns" $wrong 0
for n in 1 2 3 4; do
	"$memstrack" report &
	helper="${helper-} $!"
done
wrong=0
for pid in $helper; do
	wait "$pid" || wrong=1
done
helper=
is "four at once: all return" $wrong 0
check "four at once: all are there" report count 15
check "one after the other" report grows end_ns

run "a second tracer" 1 "pid $tracer traces already" \
	"$memstrack" trace --out="$work/second"
run "a second that records" 1 "pid $tracer traces already" \
	"$memstrack" record "$work/trace"
is "it writes no report" "$(ls "$work/second" 2>/dev/null)" ""
"$memstrack" report
check "the first goes on" report count 16

# --- not root

common=$work/common
mkdir "$common"
cp "$memstrack" "$common/memstrack"
chmod 755 "$work"
chmod 1777 "$common"
nobody() {
	timeout 30 setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}
not_root() {
	name=$1 text=$2
	shift 2
	nobody "$@" >"$work/line" 2>&1
	is "$name, not root: exit status" $? 1
	check "$name, not root: is told in one line" \
		one_line "$work/line" "$text"
}
not_root trace "only root can trace" "$common/memstrack" trace
not_root "no argument" "only root can trace" "$common/memstrack"
not_root boot "only root can trace" "$common/memstrack" boot
not_root record "only root can trace" \
	"$common/memstrack" record "$common/trace"
is "record, not root: makes no file" "$(ls "$common")" memstrack
not_root report "Operation not permitted" "$common/memstrack" report
check "none of them is written a report" report count 16
stop TERM
is "and the tracer ends well" $? 0
not_root "report without a tracer" "no tracer runs" \
	"$common/memstrack" report

# --- the name taken by somebody

cp "$work/squatter" "$common/squatter"
squat() {
	: >"$work/squats"
	# shellcheck disable=SC2016 # the inner shell's
	nobody sh -c 'echo $$; exec "$0" memstrack "$1"' \
		"$common/squatter" "$1" >"$work/squats" &
	helper=$!
	until_true grep -q taken "$work/squats"
	squatter=$(head -n 1 "$work/squats")
}
leave() {
	kill "$squatter"
	wait $helper
	helper=
}

for how in listen full deaf; do
	squat $how
	[ $how = listen ] &&
		run "a report asked of somebody" 1 "Operation not permitted" \
			"$memstrack" report
	out=$work/squat.$how
	"$memstrack" trace --format=json --level=3 --out="$out" \
		2>"$work/stderr" &
	tracer=$!
	# Nobody can be asked whether it traces: it catches signals when it does.
	until_true catches_signals
	kill -USR2 "$tracer"
	until_true reports_are 1
	sh -c 'ls / >/dev/null'
	stop TERM
	is "$how: traces all the same" $? 0
	check "$how: both reports, events between them" report grows seen
	if [ $how = listen ]; then
		check "$how: is named in the report" report note \
			"memstrack report" "pid $squatter"
	else
		check "$how: is told in the report" report note \
			"memstrack report"
		report note "pid 0"
		ok $((! $?)) "$how: no pid is made up"
	fi
	leave
done
echo "1..$count"
