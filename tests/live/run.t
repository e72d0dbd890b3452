#!/bin/sh
# SPDX-License-Identifier: MIT
# memstrack run: a tree of processes whose memory is known, against wait4();
# its status, signals, input and output pass. (Against memory.peak:
# tests/boot/run.t.)
. "$(dirname "$0")/tracer.sh"
"$top/tests/need" python3 >&2 || skip_all "packages are missing"
build tree
chmod 711 "$work"
tree=$work/tree
cp "$memstrack" "$work/memstrack"
memstrack=$work/memstrack
json=$work/run.json

# run OPTION... COMMAND...: its report is in $json.
run() {
	rm -f "$json"
	"$memstrack" run --format=json -o "$json" "$@"
}
result() {
	/usr/bin/python3 -B "$here/run.py" "$json" "$@"
}

on_failure() { grep -v '"type":"process"' "$json"; }

# ran NAME STATUS OPTION... COMMAND...
ran() {
	ran_what=$1 wanted=$2
	shift 2
	run "$@"
	is "$ran_what" $? "$wanted"
}
# plain COMMAND...: with no report.
plain() {
	"$memstrack" run -o /dev/null "$@"
}

# --- what it tells

ran 'the status of the command' 42 "$tree" plan "$work/facts"
ok 'a known tree: peaks, statuses, orphan, threads, exec, who held most' \
	result plan "$work/facts" traced
run --level=3 "$tree" plan "$work/facts"
ok 'the lines as they happen' result lines

"$memstrack" run -o "$work/table,$json" "$tree" plan "$work/facts"
is 'the table of the default: the status' $? 42
ok 'has the figures of JSON beside it' result table "$work/table"
"$memstrack" run --out=-,"$json" sh -c 'exit 3' >"$work/table"
is 'a table on standard output: the status' $? 3
ok 'the table' grep '^process  *pid' "$work/table"
is 'the file' "$(result value run exit_status)" 3

# heard NUMBER: the command has got this signal, or is "ready" for them.
heard() {
	until_true grep -q -x "$1" "$work/signals"
}

# Lines whose reader has stopped: more than a pipe takes.
mkfifo "$work/slow"
exec 8<>"$work/slow"
rm -f "$work/signals"
"$memstrack" run --format=json --level=3 sh -c '"$1" short 3000
	exec "$1" signals "$2"' - "$tree" "$work/signals" 2>&8 8>&- &
helper=$!
heard ready
kill -USR1 $helper
ok 'lines that nobody reads: a signal is passed on all the same' heard 10
cat "$work/slow" >"$json" 8>&- &
reader=$!
kill -TERM $helper
wait $helper
is 'and the status' $? 9
exec 8>&-
wait $reader
ok 'whole lines; those that were dropped are counted' result dropped 3
run --backend=ftrace "$tree" plan "$work/facts"
ok 'the same by tracefs' result plan "$work/facts" traced
run "$tree" short 5000
ok '5,000 processes of less than 1 ms: all there' result short 5000
run --tasks=100 "$tree" short 500
ok 'no room for so many: told' result notes 'found no room: raise --tasks'

# Rows for the tree, but not for it beside all tasks of the machine.
set -- /proc/[0-9]*/task/[0-9]*
room=$(($# + 100))
run --tasks=$room sh -c 'for i in $(seq "$1"); do /bin/true; done' - \
	$((room - 50))
ok 'what a row had that was used again: not known, and told' result recycled

# The arguments of a process that has exited can no longer be read.
named=
for _ in 1 2 3 4 5; do
	run true
	named="$named $(result value run command)"
done
is 'a command that ends at once has its name' "$named" \
	' true true true true true'
run sh -c 'exit 3'
is 'and its arguments' "$(result value run command)" 'sh -c exit 3'

run sh -c 'exec true'
ok 'after an exec: the command is the one that was given' \
	grep '"type":"run","command":"sh -c exec true"' "$json"

# --- the command is as it would be without us

plain sh -c 'exit 200'
is 'another status' $? 200
says 'no such command' 127 'none: No such file' \
	plain "$work/none"
"$memstrack" run "$work/none" 2>"$work/line"
ok 'its row has our own name' grep '^memstrack  *[0-9].*/none$' "$work/line"
says 'what cannot be executed' 126 "$work" plain "$work"
plain sh -c 'kill -KILL $$'
is 'a command that is killed: as a shell tells it' $? 137

head -c 3000000 /dev/urandom >"$work/in"
"$memstrack" run cat <"$work/in" >"$work/out" 2>"$work/err"
ok 'its input and output, byte for byte' cmp "$work/in" "$work/out"
ok 'the table goes to standard error' grep '^process  *pid' "$work/err"
cat >"$work/about" <<'END'
ls -l /proc/self/fd | sed 's/.*[0-9][0-9]:[0-9][0-9] //; s/bare\|within/about/; s/self.*//
	s,/proc/[0-9]*,,; s/\[[0-9]*\]//'
grep -E '^(Sig[BIC]|Shd|Cap|NoNew|Seccomp|VmLck|Threads)' /proc/self/status
cat /proc/self/oom_score_adj /proc/self/limits
cut -d' ' -f 18,19,40,41 /proc/self/stat
ps -o ni=,cls= -p $$ 2>/dev/null
env | sort | grep -v ^_=
END
same_within() {
	sh "$work/about" >"$work/bare" 2>&1 </dev/null
	plain sh "$work/about" >"$work/within" 2>&1 </dev/null
	diff "$work/bare" "$work/within"
}
same_within_ignoring() (
	trap '' PIPE USR1
	same_within
)
ok 'descriptors, signals, limits, priority, environment: as without us' \
	same_within
ok 'ignored signals stay ignored' same_within_ignoring
"$memstrack" run ls --help >"$work/help" 2>"$work/err"
ok "the command's options are its own" grep -i usage "$work/help"

# The last one ends the command.
signals='1 2 3 10 12 14 24 26 29 30 40 64 15'
rm -f "$work/signals"
"$memstrack" run -o /dev/null "$tree" signals "$work/signals" &
helper=$!
heard ready
for signal in $signals; do
	kill -"$signal" $helper
	heard "$signal"
done
wait $helper
is 'after SIGTERM: the status of the command' $? 9
helper=
is 'each signal is passed on, once' \
	"$(sed 1d "$work/signals" | tr '\n' ' ')" "$signals "
/usr/bin/python3 -c 'import os, signal, sys
signal.alarm(1)
os.execv(sys.argv[1], sys.argv[1:])' "$memstrack" run -o /dev/null sleep 15
is 'an alarm from before is for the command' $? 142
rm -f "$work/signals"
ok '^C on a terminal comes once' /usr/bin/python3 -B "$here/run.py" \
	terminal "$memstrack" "$tree" signals "$work/signals"

# --- what is left when something is missing

start --level=1
ran 'another tracer runs: the status is the same' 42 \
	"$tree" plan "$work/facts" 2>"$work/err"
ok 'the tree is found by taskstats' result plan "$work/facts" untraced
ok 'and it is told' result notes 'another tracer runs'
run sleep 0.2
ok 'its command has the times of the run' result command
stop INT

# What a command leaves behind, until left_ends.
leaves='sleep 9999 & echo $! >"$1"; exit 4'
left_ends() {
	kill "$(cat "$work/left")"
}
ran 'a command that leaves another one behind' 4 sh -c "$leaves" - "$work/left"
is 'which still runs' "$(result value tree running)" 1
left_ends
run --keep sh -c '(sleep 0.3; exit 3) & exit 4'
is 'with --keep it is waited for' "$? $(result value tree running)" '4 0'

rm "$work/left"
"$memstrack" run --keep -o /dev/null sh -c "echo \$\$ >$work/command
	$leaves" - "$work/left" &
helper=$!
until_true test -s "$work/left"
until_true fails kill -0 "$(cat "$work/command")"
kill -TERM $helper
wait $helper
is 'a signal ends the wait' $? 4
ok 'and not the end of what was waited for' left_ends
helper=

cat >"$work/threads" <<'END'
import os, signal, sys, threading
thread = threading.Thread(target=int)
thread.start()
thread.join()
with open(sys.argv[1] + ".new", "w") as f:
    print(os.getpid(), file=f)
os.rename(sys.argv[1] + ".new", sys.argv[1])
signal.pause()
END
rm "$work/left"
run sh -c '/usr/bin/python3 "$1" "$2" & until [ -e "$2" ]; do sleep 0.05; done' - \
	"$work/threads" "$work/left"
ok 'a thread that has ended is not its process' \
	grep '"comm":"python3".*"exit_status":null' "$json"
left_ends
"$memstrack" run --out=- true >/dev/full 2>"$work/err"
is 'a report that cannot be written: the status' $? 0
ok 'and it is told' one_line "$work/err" 'the report: No space'

if command -v setpriv >/dev/null; then
	mkdir -m 777 "$work/user"
	json=$work/user/json
	nobody "$memstrack" run --format=json -o "$json" "$tree" \
		plan "$work/user/facts"
	is 'an ordinary user: the status' $? 42
	ok 'and what is missing' result notes 'only root can trace' \
		'taskstats: ' 'by wait4 only the command and its orphans'
	is 'the number of processes is not known' \
		"$(result value tree processes)" None
	ok 'the largest of the tree, by wait4, of 50 MiB' is_between \
		$(($(result value process peak_rss_kib) / 1024)) 49 50
	json=$work/run.json
else
	skip "an ordinary user" "no setpriv"
fi

finish
