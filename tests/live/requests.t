#!/bin/sh
# SPDX-License-Identifier: MIT
# memstrack report, two tracers, other namespaces, users who are not root, and a
# process that holds the lock: each case is reported in one line, and none stops
# a tracer.
set -u
# shellcheck source-path=SCRIPTDIR source=tracer.sh
. "$(dirname -- "$0")/tracer.sh"

build squatter
mkdir "$work/empty"
mount -t tmpfs -o mode=755 none "$work/empty" || bail "no tmpfs"

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
run "a second in another network namespace" 1 "pid $tracer traces already" \
	unshare --net "$memstrack" trace --out="$work/second"
# no-tracefs COMMAND...: where none is mounted.
cat >"$work/no-tracefs" <<'END'
#!/bin/sh
umount /sys/kernel/tracing
umount -l /sys/kernel/debug 2>/dev/null
[ ! -e /sys/kernel/tracing/README ] && exec "$@"
END
chmod 755 "$work/no-tracefs"
run "a second where no tracefs is mounted" 1 "pid $tracer traces already" \
	unshare --mount "$work/no-tracefs" "$memstrack" trace \
	--out="$work/second"
is "it writes no report" "$(ls "$work/second" 2>/dev/null)" ""
"$memstrack" report
check "the first goes on" report count 16

# --- from other namespaces

# asked NAME COMMAND...: a report is written for it.
asked() {
	name=$1
	shift
	before=$(grep -c '^{"type":"end"' "$out")
	timeout 30 "$@" >"$work/line" 2>&1
	is "asked $name: exit status" $? 0
	is "asked $name: one report, and nothing is said" \
		"$(grep -c '^{"type":"end"' "$out") $(cat "$work/line")" \
		"$((before + 1)) "
}
asked "from another network namespace" unshare --net "$memstrack" report
asked "where no tracefs is mounted" unshare --mount "$work/no-tracefs" \
	"$memstrack" report
asked "from all that can be another" unshare --net --ipc --uts --cgroup \
	--mount "$memstrack" report
# shellcheck disable=SC2016 # the inner shell's
asked "where nothing is mounted at all" unshare --mount sh -c '
	cp "$0" "$1/empty/memstrack" && exec chroot "$1/empty" /memstrack \
		report' "$memstrack" "$work"
# in-pids COMMAND...: in a pid namespace, not as the first process.
cat >"$work/in-pids" <<'END'
#!/bin/sh
# shellcheck disable=SC2016 # the inner shell's
exec unshare --pid --fork --mount-proc sh -c '"$@"; exit $?' sh "$@"
END
chmod 755 "$work/in-pids"
unseen="in a pid namespace that is not seen from here"
run "asked from a pid namespace that has no tracer" 1 "$unseen" \
	"$work/in-pids" "$memstrack" report
run "a second tracer there" 1 "$unseen" \
	"$work/in-pids" "$memstrack" trace --out="$work/second"

# --- not root

common=$work/common
mkdir "$common"
cp "$memstrack" "$work/squatter" "$common"
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
is "record, not root: makes no file" "$(ls "$common")" "memstrack
squatter"
not_root report "Operation not permitted" "$common/memstrack" report
check "none of them is written a report" report count 20
stop TERM
is "and the tracer ends well" $? 0
not_root "report without a tracer" "Operation not permitted" \
	"$common/memstrack" report

# --- a tracer in a pid namespace of its own

starts=$((starts + 1))
out=$work/report.$starts
"$work/in-pids" "$memstrack" trace --format=json --out="$out" \
	2>"$work/stderr" &
helper=$!
until_true "$memstrack" report
asked "of a tracer in a pid namespace" "$memstrack" report
run "of that, from beside it" 1 "$unseen" \
	"$work/in-pids" "$memstrack" report
tracer=$("$memstrack" trace 2>&1 | sed -n 's/.* pid \([0-9]*\) traces.*/\1/p')
kill -TERM "$tracer"
wait $helper
is "it ends well" $? 0
helper='' tracer=

# --- a lock in the way

# Whoever may only read a file can have a lock there that keeps others from
# writing, if somebody lets him read it.
# shellcheck disable=SC2016 # the inner shell's
nobody sh -c 'echo $$; exec "$0"' "$common/squatter" \
	</sys/kernel/tracing/README >"$work/squats" &
helper=$!
until_true grep -q taken "$work/squats"
squatter=$(head -n 1 "$work/squats")
run "he is no tracer" 1 "no tracer runs" "$memstrack" report
out=$work/squat
"$memstrack" trace --format=json --level=3 --out="$out" 2>"$work/stderr" &
tracer=$!
# It cannot be asked whether it traces: it catches signals when it does.
until_true catches_signals
kill -USR2 "$tracer"
until_true reports_are 1
sh -c 'ls / >/dev/null'
stop TERM
is "a lock in the way: traces all the same" $? 0
check "both reports, events between them" report grows seen
check "and names him in the report" report note "memstrack report" \
	"pid $squatter"
kill "$squatter"
wait $helper
helper=
echo "1..$count"
