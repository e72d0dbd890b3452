#!/bin/sh
# SPDX-License-Identifier: MIT
# memstrack top, in a terminal of tmux: each table, orders, stacks, pause, sizes,
# and the terminal as it was afterwards. Its figures against reports. And what it
# costs the tracer: no file is opened or read for it, no memory is taken, and a
# client that has stopped keeps nobody waiting.
set -u
# shellcheck source-path=SCRIPTDIR source=tracer.sh
. "$(dirname -- "$0")/tracer.sh"
"$here/../need" tmux strace >/dev/null 2>&1
command -v tmux >/dev/null || skip_all "tmux is missing"
build churn

# tmux of our own, without anybody's configuration.
mux() { tmux -S "$work/tmux" -f /dev/null "$@"; }
keys() { mux send-keys "$@"; }
picture() { mux capture-pane -p; }
shows() { picture | grep -q -- "$@"; }
until_shows() { until_true shows "$@"; }
# what_shows NAME PATTERN: in time, else the picture is printed.
what_shows() {
	tries=0
	until shows "$2"; do
		tries=$((tries + 1))
		[ $tries -lt 400 ] || break
		sleep 0.05
	done
	checked=$1
	shows "$2"
	set -- $? "$2"
	ok "$1" "$checked"
	[ "$1" = 0 ] || { echo "# no '$2' in:"; picture | sed 's/^/# /'; }
}
settled() { [ -s "$1" ] && grep -q 'echo' "$1"; }
lines_at_most() { [ "$(picture | awk '{ if (length > n) n = length }
	END { print n }')" -le "$1" ]; }
end_of_mux() {
	mux kill-server 2>/dev/null
	clean_up
}
trap end_of_mux EXIT

# --- refusals

start --format=json --level=3 --slab=16M --ring=32M
for wrong in --interval=0 --interval=x --interval= --bogus --interval x; do
	"$memstrack" top "$wrong" >"$work/line" 2>&1
	is "$wrong: status" $? 2
	check "$wrong: is told by name" one_line "$work/line" "${wrong%%=*}"
done

"$memstrack" top --interval >"$work/line" 2>&1
check "--interval alone: that its value is missing" \
	one_line "$work/line" "--interval: needs a value: 1 to 3600"

setpriv --reuid=65534 --clear-groups "$memstrack" top --once \
	>"$work/line" 2>&1
is "not root: status" $? 1

# --- once, as text, against reports

sh -c 'ls -lR /usr/lib/modules /etc >/dev/null 2>&1'
hold 5000
compared() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		"$memstrack" report
		COLUMNS=140 "$memstrack" top --once >"$work/once" || return 1
		"$memstrack" report
		python3 -B "$here/top.py" "$out" "$work/once" task slab &&
			return
	done
	return 1
}
check "once: rows that stand still are as in the reports around" compared
check "once: a terminal of 1,000 columns" \
	env COLUMNS=1000 timeout 20 "$memstrack" top --once
check "once: a holder's pages" grep -q \
	"^ churn\[$holder\]  *19\.[5-9]M  *[12][09]\.[0-9]M  *-" "$work/once"
is "once: no byte but text" "$(LC_ALL=C tr -d '\n -~' <"$work/once" | wc -c)" 0
exec 9>&-
wait "$helper"

# --- a terminal: a picture when a key asks for it

mux new-session -d -x 80 -y 24 "sh -c 'stty -a >$work/stty.1; echo before
	$memstrack top --interval=3600; echo status \$?
	stty -a >$work/stty.2; exec bash --norc --noprofile -i'" ||
	bail "no session of tmux"
what_shows "a title" '^memstrack top +[0-9.]* s, free '
what_shows "what is traced" '^traced .* now, .* peak, [0-9]* lost$'
what_shows "tasks first" '^\[1 tasks: [0-9]*\] .*2 modules: .*sorted by now$'
what_shows "the heading" '^ task  *now  *peak  *change'
what_shows "the keys" '^q quit '
keys p
what_shows "pause" PAUSED
still=$(picture)
rm "$work/fifo"
hold 10240
is "paused: figures stay" "$(picture)" "$still"
keys p
what_shows "a task that took 10240 pages: its change is all of it" \
	"churn\[$holder\]  *40\.\([0-9]\)M  *40\.[0-9]M  *+40\.\1M"
keys Space
what_shows "and then nothing" "churn\[$holder\]  *40\..M  *40\..M  *0"
# By peak: a row that holds nothing any more may be one of thousands.
mux resize-window -x 80 -y 60
keys s
what_shows "sorted by peak" ' by peak$'
keys p
until_shows PAUSED
exec 9>&-
wait "$helper"
keys p
what_shows "it ends: its change is all of it again" \
	"churn\[$holder\]  *[0-9]*K*  *40\..M  *-40\.[0-9]M"
mux resize-window -x 80 -y 24
keys s
what_shows "sorted by change" ' by change$'
keys s
what_shows "sorted by name" ' by name$'
names=$(picture | sed -n '5,20s/^[ >]\([^ ]*\) .*/\1/p')
is "by name: in order" "$(echo "$names" | LC_ALL=C sort)" "$names"
keys s
until_shows 'by now$'

for table in '2 modules:module' '4 slab sites:site'; do
	keys "${table%% *}"
	what_shows "table ${table%:*}" "\[${table%:*}: [0-9]*\]"
	what_shows "its heading" "^ ${table#*:}  *now  *peak  *change"
done
what_shows "sites have names" '^.[a-z_0-9]*+0x[0-9a-f]*'
keys 2
until_shows '\[2 modules'
what_shows "modules have image and vmalloc" 'change  *image  *vmalloc'
what_shows "no module is a row" '^>(no module)'
keys Enter
what_shows "into its stacks" '^stacks of (no module)$'
what_shows "stacks have figures" '^stack 1 of [0-9]*  *[0-9.]*M'
what_shows "and frames with names" '< [a-z_0-9.]*+0x[0-9a-f]*'
first=$(picture | sed -n 4p)
keys Down Down
has_moved() { [ "$first" != "$(picture | sed -n 4p)" ]; }
until_true has_moved
ok 0 "stacks move by lines"
keys Left
what_shows "and back" '\[2 modules'
keys Tab
keys 1
until_shows '\[1 tasks'
# Of a task that stays: others end, and their rows may be used again.
rm "$work/fifo"
hold 5000
mux resize-window -x 80 -y 60
keys Space
until_shows "churn\[$holder\]"
marked() { picture | grep '^>'; }
moved_from() { [ "$(marked | grep -c .)" = 1 ] && [ "$(marked)" != "$1" ]; }
tries=0
until shows "^>churn\[$holder\]"; do
	tries=$((tries + 1))
	[ $tries -lt 60 ] || break
	was=$(marked)
	keys Down
	until_true moved_from "$was"
done
ok "$([ $tries -lt 60 ]; echo $?)" "the next rows are marked, down to a task"
keys Enter
what_shows "stacks of a task" "^stacks of churn\[$holder\]$"
what_shows "which took its pages" '^stack 1 of [0-9]*  *19\.[5-9]M'
exec 9>&-
wait "$helper"
mux resize-window -x 80 -y 24
keys Escape
what_shows "ESC alone goes back" '\[1 tasks'

for size in 60x15 40x8 20x4 120x40 80x24; do
	mux resize-window -x "${size%x*}" -y "${size#*x}"
	what_shows "$size: the title" '^memstrack top'
	check "$size: no line is longer" lines_at_most "${size%x*}"
	[ "$size" = 20x4 ] || what_shows "$size: the heading" '^ task  *now'
	case $size in
	40x8 | 60x15) what_shows "$size: three figures" '[0-9KMB]  *[0-9.]*[KMB0]  *[-+0-9]' ;;
	esac
done
# What others wrote on the screen.
scribbled() {
	printf '\033[5;5Hgarbage' >"$(mux display -p '#{pane_tty}')"
	shows garbage
}
until_true scribbled
keys C-l
hides() { ! shows "$1"; }
until_true hides garbage
ok 0 "control-L draws all again"

# The sh -c of tmux has no jobs that it could continue.
until_true scribbled
keys C-z
drawn_anew() {
	tries=0
	until hides garbage && shows '^q quit'; do
		tries=$((tries + 1))
		[ $tries -lt 100 ] || return 1
		sleep 0.05
	done
}
check "control-Z without a shell of jobs: it goes on" drawn_anew
pkill -CONT -f -x "$memstrack top --interval=3600"
keys q
what_shows "quit" '^status 0'
what_shows "the screen is as it was" '^before'
is "so are the terminal's settings" "$(cat "$work/stty.2")" \
	"$(cat "$work/stty.1")"

# ended NAME SIGNAL STATUS
ended() {
	keys "clear; $memstrack top; echo status \$?; stty -a >$work/stty.3" Enter
	until_shows '^q quit'
	pkill -"$2" -f -x "$memstrack top"
	what_shows "$1: its status" "^status $3"
	until_true settled "$work/stty.3"
	check "$1: settings are as before" cmp "$work/stty.3" "$work/stty.0"
	rm "$work/stty.3"
}
until_shows '[$#]$'
keys "stty -a >$work/stty.0" Enter
until_true settled "$work/stty.0"
ended "SIGTERM" TERM 143
ended "SIGHUP" HUP 129
ended "SIGINT" INT 0

keys "clear; $memstrack top" Enter
until_shows '^q quit'
keys C-z
what_shows "control-Z: the shell has the terminal" '[$#]$'
# shellcheck disable=SC2016 # the shell in tmux
keys 'echo typed=$((6 * 7))' Enter
what_shows "and shows what is typed" '^typed=42'
keys fg Enter
what_shows "fg: the picture again" '^q quit'
keys q
until_shows '[$#]$'

# In a shell that leaves the settings as a job left them; bash hides it.
sh=$(command -v dash || command -v sh)
keys "clear; PS1='plain\$ ' $sh -i" Enter
until_shows '^plain. *$'
keys "stty -a >$work/stty.4" Enter
until_true settled "$work/stty.4"
# as_before NAME: ends the program, compares.
as_before() {
	until_shows '^q quit'
	keys q
	until_true settled "$work/stty.5"
	check "$1: settings are as before" cmp "$work/stty.4" "$work/stty.5"
	rm "$work/stty.5"
}
keys "clear; $memstrack top" Enter
until_shows '^q quit'
keys C-z
until_shows '^plain. *$'
keys "clear; fg; stty -a >$work/stty.5" Enter
as_before "control-Z, fg, q"
keys "clear; $memstrack top; stty -a >$work/stty.5" Enter
until_shows '^q quit'
until_true scribbled
pkill -CONT -f -x "$memstrack top"
until_true hides garbage
as_before "SIGCONT, q"
keys "exit" Enter
until_shows '[$#]$'
keys "clear; $memstrack top </dev/null; echo status \$?" Enter
what_shows "no terminal to read from: refused" 'standard input is no terminal'
what_shows "with status 1" '^status 1'
keys "clear; TERM=dumb $memstrack top --interval=1" Enter
what_shows "a dumb terminal: lines" '^q quit'
begins() { picture | sed -n 1p | grep -q '^memstrack top '; }
until_true begins
ok 0 "all of a picture is on the screen, its title too"
first=$(picture | sed -n 1p)
has_next() { [ "$(picture | sed -n 1p)" != "$first" ]; }
until_true has_next
ok 0 "the next one comes by itself"
keys q
until_shows '[$#]$'
picture | grep -q '\[[0-9]*;[0-9]*H'
is "without sequences" $? 1

# --- what it costs the tracer

# Without objects of slab, so that other work on this machine loses nothing.
stop TERM
start --format=json --level=3 --ring=32M
rss() { sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$tracer/status"; }
snapshots() {
	i=0
	while [ $i -lt "$1" ]; do
		"$memstrack" top --once >"$work/once" || return 1
		i=$((i + 1))
	done
}
snapshots 20
before=$(rss)
snapshots 1000
is "1000 snapshots: all are answered" $? 0
is "1000 snapshots: the tracer's memory is as before" "$(rss)" "$before"
strace -y -f -p "$tracer" -o "$work/strace" 2>/dev/null &
helper=$!
until_true grep -q poll "$work/strace"
snapshots 100
kill "$helper"
wait "$helper" 2>/dev/null
helper=
answers=$(grep -c 'pwrite64\?(.*memfd:memstrack' "$work/strace")
echo "# $answers writes into files of clients;" \
	"$(sed -n 's/^[0-9]* *\([a-z0-9_]*\)(.*/\1/p' "$work/strace" | sort |
	uniq -c | sort -rn | head -n 9 | tr -s ' \n' ' ')"
is "100 snapshots: each is written" "$([ "$answers" -ge 100 ]; echo $?)" 0
# A kernel without probes has vmalloc sampled, whether anybody asks or not.
is "nothing in /proc is opened or read for them" \
	"$(grep -v /proc/vmallocinfo "$work/strace" | grep -c '/proc/')" 0
is "no memory is mapped" "$(grep -c 'mmap\|brk' "$work/strace")" 0

# --- clients that say nothing

cat >"$work/silent.py" <<'EOF'
import glob, select, socket, subprocess, sys

def way(path):
    client = socket.socket(socket.AF_UNIX)
    try:
        client.connect(path)
        return client
    except OSError:
        return None

paths = [p for p in glob.glob(f"/proc/{sys.argv[1]}/fd/*") if way(p)]
silent = [way(paths[0]) for _ in range(20)]
refused = 0
for client in silent[:-1]:
    client.settimeout(20)
    refused += client.recv(1) == b"\x0b"      # EAGAIN
last = silent[-1]
last.settimeout(20)
asked = subprocess.run([sys.argv[2], "top", "--once"], capture_output=True)
print(f"ways={len(paths)} refused={refused} asked={asked.returncode}")
sys.exit(refused != 19 or asked.returncode)
EOF
strace -f -e trace=poll,accept4,ppoll -p "$tracer" -o "$work/strace" \
	2>/dev/null &
helper=$!
until_true grep -q ppoll "$work/strace"
check "20 that say nothing: each makes room for the next, and none is waited for" \
	/usr/bin/python3 -B "$work/silent.py" "$tracer" "$memstrack"
kill "$helper"
wait "$helper" 2>/dev/null
helper=
accepted=$(grep -c 'accept4(.*) = [0-9]' "$work/strace")
is "the tracer took them all" "$([ "$accepted" -ge 21 ]; echo $?)" 0
is "and never waited for one of them" \
	"$(grep '[^p]poll(' "$work/strace" | grep -vc ', 1, 0) *= ')" 0
is "and asked for none that had not come" \
	"$(grep -c 'accept4(.*) = -1' "$work/strace")" 0

# --- clients that have stopped

"$memstrack" report
lost=$(grep '^{"type":"head"' "$out" | tail -n 1 | sed 's/.*"lost":\([0-9]*\).*/\1/')
slow=0
i=0
while [ $i -lt 60 ]; do
	"$memstrack" top --once >/dev/null 2>&1 &
	client=$!
	sleep "0.00$((i % 10))"
	kill -STOP $client 2>/dev/null
	began=$(date +%s%N)
	"$memstrack" top --once >/dev/null 2>&1 || slow=1000000
	took=$((($(date +%s%N) - began) / 1000000))
	[ $took -le $slow ] || slow=$took
	kill -KILL $client 2>/dev/null
	wait $client 2>/dev/null
	i=$((i + 1))
done
echo "# beside a stopped client the slowest answer took $slow ms"
is "60 clients, stopped anywhere: others are answered" \
	"$([ $slow -lt 1000 ]; echo $?)" 0
"$memstrack" report
is "and nothing is lost" "$(grep '^{"type":"head"' "$out" | tail -n 1 |
	sed 's/.*"lost":\([0-9]*\).*/\1/')" "$lost"
keys "clear; $memstrack top --interval=1" Enter
until_shows '^q quit'
stop TERM
what_shows "the tracer ends: it says so" 'no tracer runs'
keys q
"$memstrack" top --once >"$work/line" 2>&1
is "no tracer: status" $? 1
check "no tracer: is told" one_line "$work/line" "top: no tracer runs"
echo "1..$count"
