#!/bin/sh
# SPDX-License-Identifier: MIT
# memstrack run: a tree of processes whose memory is known, against wait4(),
# /usr/bin/time and memory.peak; its status, signals, input and output pass.
set -u
# shellcheck source-path=SCRIPTDIR source=tracer.sh
. "$(dirname -- "$0")/tracer.sh"
"$here/../need" time python3 make gcc >&2 || skip_all "packages are missing"
build tree
chmod 711 "$work"
tree=$work/tree
cp "$memstrack" "$work/memstrack"
memstrack=$work/memstrack
json=$work/json

# run OPTION... COMMAND...: its report is in $json.
run() {
	rm -f "$json"
	timeout 300 "$memstrack" run --format=json -o "$json" "$@"
}
result() {
	python3 -B "$here/run.py" "$json" "$@"
}

# in_time COMMAND...: does it come true?
in_time() {
	tries=0
	until "$@" 2>/dev/null; do
		tries=$((tries + 1))
		[ $tries -lt 100 ] || return 1
		sleep 0.05
	done
}

# --- what it tells

run "$tree" plan "$work/facts"
is 'the status of the command' $? 42
check 'a known tree: peaks, statuses, orphan, threads, exec, who held most' \
	result plan "$work/facts" traced
run --level=3 "$tree" plan "$work/facts"
check 'the lines as they happen' result lines

json=$work/beside.json
"$memstrack" run -o "$work/table,$json" "$tree" plan "$work/facts"
is 'the table of the default: the status' $? 42
check 'has the figures of JSON' result table "$work/table"
json=$work/json

# Lines whose reader has stopped: more than a pipe takes.
mkfifo "$work/slow"
exec 8<>"$work/slow"
rm -f "$work/signals"
# shellcheck disable=SC2016 # for the shell within
"$memstrack" run --format=json --level=3 sh -c '"$1" short 3000
	exec "$1" signals "$2"' - "$tree" "$work/signals" 2>&8 8>&- &
helper=$!
until_true grep -q ready "$work/signals"
kill -USR1 $helper
check 'lines that nobody reads: a signal is passed on all the same' \
	in_time grep -q -x 10 "$work/signals"
cat "$work/slow" >"$json" 8>&- &
reader=$!
kill -TERM $helper
wait $helper
is 'and the status' $? 9
exec 8>&-
wait $reader
check 'whole lines; those that were dropped are counted' result dropped 3
run --backend=ftrace "$tree" plan "$work/facts"
check 'the same by tracefs' result plan "$work/facts" traced
run "$tree" short 5000
check '5,000 processes of less than 1 ms: all there' result short 5000
run --tasks=100 "$tree" short 500
check 'no room for so many: told' result notes 'found no room: raise --tasks'

# Rows for the tree, but not for it beside all tasks of the machine.
set -- /proc/[0-9]*/task/[0-9]*
room=$(($# + 100))
# shellcheck disable=SC2016 # for the shell within
run --tasks=$room sh -c 'for i in $(seq "$1"); do /bin/true; done' - \
	$((room - 50))
check 'what a row had that was used again: not known, and told' result recycled

# The arguments of a process that has exited can no longer be read.
named=
for i in 1 2 3 4 5; do
	run true
	named="$named $(result value run command)"
done
is 'a command that ends at once has its name' "$named" \
	' true true true true true'
run sh -c 'exit 3'
is 'and its arguments' "$(result value run command)" 'sh -c exit 3'

time=/usr/bin/time
if [ -x $time ]; then
	run $time -f %M -o "$work/time" "$tree" hold 40 0
	told=$(cat "$work/time")
	ours=$(sed -n 's/.*"comm":"tree".*"peak_rss_kib":\([0-9]*\).*/\1/p' \
		"$json")
	[ $((told - ours)) -lt 400 ] && [ $((ours - told)) -lt 400 ]
	ok $? "/usr/bin/time says $told KiB, we $ours"
else
	skip "no /usr/bin/time"
fi

run sh -c 'exec true'
check 'after an exec: the command is the one that was given' \
	grep -q '"type":"run","command":"sh -c exec true"' "$json"

# --- the command is as it would be without us

timeout 20 "$memstrack" run -o /dev/null sh -c 'exit 200'
is 'another status' $? 200
timeout 20 "$memstrack" run -o /dev/null "$work/none" 2>"$work/err"
is 'no such command: 127' $? 127
check 'and it is said' one_line "$work/err" 'none: No such file'
timeout 20 "$memstrack" run -o /dev/null "$work" 2>"$work/err"
is 'what cannot be executed: 126' $? 126
# shellcheck disable=SC2016 # for the shell within
timeout 20 "$memstrack" run -o /dev/null sh -c 'kill -KILL $$'
is 'a command that is killed: as a shell tells it' $? 137

head -c 3000000 /dev/urandom >"$work/in"
timeout 20 "$memstrack" run cat <"$work/in" >"$work/out" 2>"$work/err"
check 'its input and output, byte for byte' cmp "$work/in" "$work/out"
check 'the table goes to standard error' grep -q '^process  *pid' "$work/err"
cat >"$work/about" <<'END'
ls -l /proc/self/fd | sed 's/.*[0-9][0-9]:[0-9][0-9] //; s/bare\|within/about/; s/self.*//
	s,/proc/[0-9]*,,; s/\[[0-9]*\]//'
grep -E '^(Sig[BIC]|Shd|Cap|NoNew|Seccomp|VmLck|Threads)' /proc/self/status
cat /proc/self/oom_score_adj /proc/self/limits
cut -d' ' -f 18,19,40,41 /proc/self/stat
ps -o ni=,cls= -p $$ 2>/dev/null
env | sort | grep -v ^_=
END
timeout 20 sh "$work/about" >"$work/bare" 2>&1 </dev/null
timeout 20 "$memstrack" run -o /dev/null sh "$work/about" >"$work/within" \
	2>&1 </dev/null
check 'descriptors, signals, limits, priority, environment: as without us' \
	diff "$work/bare" "$work/within"
(
	trap '' PIPE USR1
	timeout 20 sh "$work/about" >"$work/bare" 2>&1 </dev/null
	timeout 20 "$memstrack" run -o /dev/null sh "$work/about" \
		>"$work/within" 2>&1 </dev/null
)
check 'ignored signals stay ignored' diff "$work/bare" "$work/within"
timeout 20 "$memstrack" run ls --help >"$work/help" 2>"$work/err"
check "the command's options are its own" grep -q -i usage "$work/help"

# passes SIGNAL: it comes to the command, once, and ours ends with its status.
passes() {
	rm -f "$work/signals"
	"$memstrack" run -o /dev/null "$tree" signals "$work/signals" &
	helper=$!
	until_true grep -q ready "$work/signals"
	kill -s "$1" $helper
	until_true grep -q -x "$2" "$work/signals"
	[ "$1" = TERM ] || kill -TERM $helper
	wait $helper
	is "SIG$1 is passed on, once; then its status" \
		"$? $(grep -c -x "$2" "$work/signals")" '9 1'
}
passes HUP 1
passes INT 2
passes QUIT 3
passes USR1 10
passes USR2 12
passes ALRM 14
passes VTALRM 26
passes XCPU 24
passes PWR 30
passes IO 29
passes 40 40
passes 64 64
passes TERM 15
timeout 20 python3 -c 'import os, signal, sys
signal.alarm(1)
os.execv(sys.argv[1], sys.argv[1:])' "$memstrack" run -o /dev/null sleep 15
is 'an alarm from before is for the command' $? 142
rm -f "$work/signals"
check '^C on a terminal comes once' timeout 20 python3 -B "$here/run.py" \
	terminal "$memstrack" "$tree" signals "$work/signals"

# --- what is left when something is missing

start --level=1
run "$tree" plan "$work/facts" 2>"$work/err"
is 'another tracer runs: the status is the same' $? 42
check 'the tree is found by taskstats' result plan "$work/facts" untraced
check 'and it is told' result notes 'another tracer runs'
run sleep 0.2
check 'its command has the times of the run' result command
stop INT

run sh -c 'sleep 1 & exit 4'
is 'a command that leaves another one behind' $? 4
is 'which still runs' "$(result value tree running)" 1
run --keep sh -c '(sleep 1; exit 3) & exit 4'
is 'with --keep it is waited for' "$? $(result value tree running)" '4 0'

# shellcheck disable=SC2016 # for the shell within
"$memstrack" run --keep -o /dev/null \
	sh -c 'sleep 30 & echo >"$1"; exit 4' - "$work/began" &
helper=$!
until_true test -s "$work/began"
sleep 0.5
began=$(date +%s)
kill -TERM $helper
wait $helper
is 'a signal ends the wait' "$? $(($(date +%s) - began < 15))" '4 1'
run sh -c 'python3 -c "import threading as t, time
a = t.Thread(target=int); a.start(); a.join(); time.sleep(9)" & sleep 1.5'
check 'a thread that has ended is not its process' \
	grep -q '"comm":"python3".*"exit_status":null' "$json"
timeout 20 "$memstrack" run --out=- true >/dev/full 2>"$work/err"
is 'a report that cannot be written: the status' $? 0
check 'and it is told' one_line "$work/err" 'the report: No space'

if command -v setpriv >/dev/null; then
	mkdir -m 777 "$work/user"
	json=$work/user/json
	setpriv --reuid=65534 --regid=65534 --clear-groups \
		timeout 60 "$memstrack" run --format=json -o "$json" "$tree" \
		plan "$work/user/facts"
	is 'an ordinary user: the status' $? 42
	check 'and what is missing' result notes 'only root can trace' \
		'taskstats: ' 'by wait4 only the command and its orphans'
	is 'the number of processes is not known' \
		"$(result value tree processes)" None
	largest=$(($(result value process peak_rss_kib) / 1024))
	[ "$largest" = 49 ] || [ "$largest" = 50 ]
	ok $? "the largest of the tree, by wait4: $largest MiB, of 50"
	json=$work/json
else
	skip "no setpriv"
fi

# --- options

for refused in --slab --heartbeat=1 --report=x --nonsense --format=svg \
	--format=line --out=-,x.prom; do
	"$memstrack" run $refused true 2>"$work/said"
	is "$refused is refused" $? 2
done
"$memstrack" run --level=2 2>"$work/said"
is 'without a command' $? 2

"$memstrack" run --out=-,"$work/both.json" sh -c 'exit 3' >"$work/table"
is 'a table, and a file beside it: the status' $? 3
check 'the table' grep -q '^process  *pid' "$work/table"
json=$work/both.json
is 'the file' "$(result value run exit_status)" 3
json=$work/json

# --- a build

group=/sys/fs/cgroup/memory/memstrack.$$
mkdir "$work/source"
for i in 1 2 3 4 5 6; do
	seq 1 1000 | sed 's/.*/int f&_'$i'(int x) { return x * & + '$i'; }/' \
		>"$work/source/$i.c"
done
cat >"$work/source/Makefile" <<'END'
all: 1.o 2.o 3.o 4.o 5.o 6.o
%.o: %.c
	gcc -O1 -c -o $@ $<
END
# The cgroup charges anonymous memory and files as we count them. Besides:
# - the kernel's memory by the object, in whatever page it is. Of it we count only
#   page tables and new pages of slab: so we may have less by all of kmem, more by
#   what of these pages is free or of no cgroup;
# - on each CPU up to 64 pages ahead, of two cgroups.
peaks_agree() {
	ahead=$(($(getconf _NPROCESSORS_CONF) * 2 * 64 * $(getconf PAGESIZE) / 1024))
	least=$((kernels - kmem - ahead)) most=$((kernels + 1024))
	echo "$ours KiB is not between $least and $most"
	[ "$ours" -ge "$least" ] && [ "$ours" -le "$most" ]
}
# All are by the same counter of the kernel, which each CPU may have 32 pages of
# behind it, or twice as many as there are CPUs; of three kinds of memory.
largest_agree() {
	cpus=$(getconf _NPROCESSORS_CONF)
	batch=$((cpus > 16 ? cpus * 2 : 32))
	slack=$((batch * cpus * 3 * $(getconf PAGESIZE) / 1024))
	echo "$largest KiB by us, $(cat "$work/time") by time"
	[ $((largest - $(cat "$work/time"))) -le $slack ] &&
		[ $(($(cat "$work/time") - largest)) -le $slack ]
}
kib_of() {
	echo $(($(cat "$group/memory.$1") / 1024))
}
if [ -e /sys/fs/cgroup/memory/memory.kmem.max_usage_in_bytes ] &&
	mkdir $group; then
	# shellcheck disable=SC2016 # for the shell within
	run sh -c 'echo $$ >"$1/cgroup.procs"; exec /usr/bin/time -f %M \
		-o "$2/time" make -s -j2 -C "$2/source"' sh "$group" "$work"
	is 'make -j2' $? 0
	kernels=$(kib_of max_usage_in_bytes)
	kmem=$(kib_of kmem.max_usage_in_bytes)
	ours=$(result value tree peak_kib)
	largest=$(result largest)
	echo "# the tree $ours KiB, its cgroup $kernels, of it at most $kmem of" \
		"the kernel; the largest process $largest, by time" \
		"$(cat "$work/time")"
	check 'the tree held what the kernel counted in its cgroup' peaks_agree
	check 'its largest process, by /usr/bin/time' largest_agree
	rmdir $group
else
	skip "no memory cgroup of version 1"
fi
echo "1..$count"
