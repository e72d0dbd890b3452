#!/bin/sh
# SPDX-License-Identifier: MIT
# memstrack report, two tracers, other namespaces, users who are not root, and a
# process that holds the lock: each case is reported in one line, and none stops
# a tracer.
. "$(dirname "$0")/tracer.sh"

need_strace
"$top/tests/need" python3 >&2 || skip_all "packages are missing"
new_tmpfs empty

# --- root

says "no tracer" 1 "no tracer runs" "$memstrack" report
says "no tracer: no phase" 1 "no tracer runs" "$memstrack" mark mount
says "a phase with a blank" 1 "a b: not a name of 1 to 15" "$memstrack" mark 'a b'
says "a phase of 16 letters" 1 "not a name of 1 to 15" "$memstrack" mark \
	1234567890123456
says "a phase without a name" 2 "mark: NAME is missing" "$memstrack" mark

four_at_once() {
	four=
	for n in 1 2 3 4; do
		"$memstrack" report &
		four="$four $!"
	done
	for n in $four; do
		wait "$n" || return 1
	done
}
start --format=json --level=1
ok "ten requests: each report is there when its request returns" ten_requests
ok "four at once: all return" four_at_once
ok "four at once: all are there" report count 15
ok "one after the other" report grows end_ns

marks() {
	for name in cmdline 123456789012345 mount mount; do
		"$memstrack" mark "$name" || return
	done
}
ok "phases: nobody waits" marks
"$memstrack" report
is "they are there, one that is marked again once" \
	"$(sed -n 's/^{"type":"phase","name":"\([^"]*\)",.*/\1/p' "$out" |
		tr '\n' ' ')" "cmdline 123456789012345 mount "

# no_tracefs COMMAND...: where none is mounted.
no_tracefs() {
	unshare --mount sh -c 'umount /sys/kernel/tracing
		umount -l /sys/kernel/debug 2>/dev/null
		[ ! -e /sys/kernel/tracing/README ] && exec "$@"' sh "$@"
}
# in_pids COMMAND...: in a pid namespace, not as the first process.
in_pids() {
	unshare --pid --fork --mount-proc sh -c '"$@"; exit $?' sh "$@"
}

runs="pid $tracer traces already"
set -- "$memstrack" trace --out="$work/second"
says "a second tracer" 1 "$runs" "$@"
says "a second that records" 1 "$runs" "$memstrack" record "$work/trace"
says "a second in another network namespace" 1 "$runs" unshare --net "$@"
says "a second where no tracefs is mounted" 1 "$runs" no_tracefs "$@"
ok "it writes no report" fails test -e "$work/second"
"$memstrack" report
ok "the first goes on" report count 17

# Whoever goes to the tracer for the client is kept waiting: the client gives up
# all the same, in less than these 60 seconds. The rest goes on beside it.
asked_in_vain() {
	timeout 60 strace -D -f -qq -o /dev/null -e trace=connect \
		-e inject=connect:delay_enter=300000000 "$memstrack" report \
		2>"$work/in_vain"
}
[ -n "${QUICK-}" ] || asked_in_vain &
waits=$!

# --- from other namespaces

# asked NAME COMMAND...: a report is written for it.
asked() {
	asked_what=$1
	shift
	ok "asked $asked_what: one report, and nothing is said" \
		is_answered "$@"
}
asked "from another network namespace" unshare --net "$memstrack" report
asked "where no tracefs is mounted" no_tracefs "$memstrack" report
asked "from all that can be another" unshare --net --ipc --uts --cgroup \
	--mount "$memstrack" report
asked "where nothing is mounted at all" unshare --mount sh -c '
	cp "$0" "$1/empty/memstrack" && exec chroot "$1/empty" /memstrack \
		report' "$memstrack" "$work"
unseen="in a pid namespace that cannot be seen from here"
says "asked from a pid namespace that has no tracer" 1 "$unseen" \
	in_pids "$memstrack" report
says "a second tracer there" 1 "$unseen" in_pids "$@"

# --- not root

common_folder "$memstrack"
while read -r text command; do
	text=$(echo "$text" | tr _ ' ')
	# shellcheck disable=SC2086 # words
	says "not root: memstrack $command" 1 "$text" \
		nobody "$common/memstrack" $command
done <<-COMMANDS
	only_root_can_trace trace
	only_root_can_trace
	only_root_can_trace boot
	only_root_can_trace record $common/trace
	Operation_not_permitted report
COMMANDS
ok "record, not root: makes no file" fails test -e "$common/trace"
ok "none of them is written a report" report count 21
gives_up() {
	wait "$waits"
	same $? 1 && grep '^memstrack: report: Connection timed out' \
		"$work/in_vain"
}
[ -n "${QUICK-}" ] || ok "the way has no end" gives_up
pkill -KILL -f delay_enter=300000000
ok "and the tracer ends well" stop TERM
says "not root: report without a tracer" 1 "Operation not permitted" \
	nobody "$common/memstrack" report

# --- a tracer in a pid namespace of its own

new_out
in_pids "$memstrack" trace --format=json --level=1 --out="$out" \
	2>"$work/stderr" &
helper=$!
until_true "$memstrack" report
asked "of a tracer in a pid namespace" "$memstrack" report
says "of that, from beside it" 1 "$unseen" \
	in_pids "$memstrack" report
kill -TERM "$(pid_of_tracer)"
ok "it ends well" wait $helper

# --- a lock in the way

# Whoever may only read a file can have a read lock there, if somebody lets him
# read it: nobody else gets a write lock, the tracer neither.
nobody /usr/bin/python3 -c 'import fcntl, os, signal
fcntl.lockf(0, fcntl.LOCK_SH | fcntl.LOCK_NB)
print(os.getpid(), flush=True)
signal.pause()' </sys/kernel/tracing/README >"$work/squats" &
helper=$!
until_true test -s "$work/squats"
squatter=$(cat "$work/squats")
says "he is no tracer" 1 "no tracer runs" "$memstrack" report
# It cannot be asked whether it traces.
new_out
begin trace --format=json --level=1 --out="$out"
kill -USR2 "$tracer"
until_true reports_are 1
sh -c 'ls / >/dev/null'
ok "a lock in the way: traces all the same" stop TERM
ok "both reports, events between them" report grows seen
ok "and names him in the report" report note "memstrack report" \
	"pid $squatter"
kill "$squatter"
wait $helper
helper=
finish
