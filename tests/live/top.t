#!/bin/sh
# SPDX-License-Identifier: MIT
# memstrack top, in a terminal of tmux: each table, orders, stacks, pause,
# sizes, and the terminal as it was afterwards. Its figures against reports. And
# what it costs the tracer: no file is opened or read for it, no memory is taken,
# and a client that has stopped keeps nobody waiting. (On a dumb terminal:
# tests/boot/top.t.)
. "$(dirname "$0")/tracer.sh"
"$top/tests/need" tmux strace >/dev/null 2>&1
command -v tmux >/dev/null || skip_all "tmux is missing"
need_strace
build churn

# tmux of our own, without anybody's configuration.
mux() { tmux -S "$work/tmux" -f /dev/null "$@"; }
keys() { mux send-keys "$@"; }
picture() { mux capture-pane -p; }
shows() { picture | grep -q -- "$@"; }
hides() { ! shows "$1"; }
until_shows() { until_true shows "$@"; }
# what_shows NAME PATTERN: sooner or later.
what_shows() { ok "$1" until_shows "$2"; }
# press KEY NAME PATTERN: the same when a key was pressed.
press() {
	keys "$1"
	what_shows "$2" "$3"
}
pause() {
	keys p
	until_shows PAUSED
}
settled() { [ -s "$1" ] && grep -q 'echo' "$1"; }
# settings_to FILE: the terminal's, as the shell has them.
settings_to() {
	keys "stty -a >$1" Enter
	until_true settled "$1"
}
lines_at_most() { ! picture | grep ".\{$(($1 + 1))\}"; }
# prompt [PATTERN]: the shell's.
prompt() { until_shows "${1-[\$#]\$}"; }
# runs COMMAND: in the shell, until there is a picture.
runs() {
	keys "clear; $1" Enter
	until_shows '^q quit'
}
size() { mux resize-window -x "${1%x*}" -y "${1#*x}"; }
# If something never comes, the picture tells what came instead.
end_of_mux() {
	[ $? = 0 ] || picture 2>/dev/null | sed 's/^/# /'
	mux kill-server 2>/dev/null
	clean_up
}
trap end_of_mux EXIT

# --- once, as text, against reports

start --format=json --level=3 --slab=16M --ring=32M
ok "not root: refused" fails nobody "$memstrack" top --once
sh -c 'ls -lR /usr/lib/modules /etc >/dev/null 2>&1'
hold 5000
compared() {
	look
	COLUMNS=140 "$memstrack" top --once >"$work/once"
	"$memstrack" report
	/usr/bin/python3 -B "$here/top.py" "$out" "$work/once" task slab
}
ok "once: rows that stand still are as in the reports around" \
	until_true compared
ok "once: a holder's pages" grep \
	"^ churn\[$holder\]  *19\.[5-9]M  *[12][09]\.[0-9]M  *-" "$work/once"
is "once: no byte but text" "$(LC_ALL=C tr -d '\n -~' <"$work/once" | wc -c)" 0
let_go

# --- a terminal: a picture when a key asks for it

mux new-session -d -x 80 -y 24 "sh -c 'stty -a >$work/stty.1; echo before
	$memstrack top --interval=3600; echo status \$?
	stty -a >$work/stty.2; exec bash --norc --noprofile -i'" ||
	bail "no session of tmux"
what_shows "a title" '^memstrack top +[0-9.]* s, free '
what_shows "what is traced" '^traced .* now, most .*, [0-9]* lost$'
what_shows "tasks first" '^\[1 tasks: [0-9]*\] .*2 modules: .*sorted by now$'
what_shows "the heading" '^ task  *now  *peak  *change'
what_shows "the keys" '^q quit '
press p "pause" PAUSED
still=$(picture)
hold 10340
is "paused: figures stay" "$(picture)" "$still"
press p "a task that took 10340 pages: its change is all of it" \
	"churn\[$holder\]  *40\.\([0-9]\)M  *40\.[0-9]M  *+40\.\1M"
press Space "and then nothing" "churn\[$holder\]  *40\..M  *40\..M  *0"
# By peak: a row that holds nothing any more may be one of thousands.
size 80x60
press s "sorted by peak" ' by peak$'
pause
let_go
press p "it ends: its change is all of it again" \
	"churn\[$holder\]  *[0-9]*K*  *40\..M  *-40\.[0-9]M"
size 80x24
press s "sorted by change" ' by change$'
press s "sorted by name" ' by name$'
names=$(picture | sed -n '5,20s/^[ >]\([^ ]*\) .*/\1/p')
is "by name: in order" "$(echo "$names" | LC_ALL=C sort)" "$names"
keys s
until_shows 'by now$'

# Pages of a file: some stack of the kernel's own holds 3 MiB and more.
head -c 3145728 /dev/zero >"$work/held"
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
press Enter "into its stacks" '^stacks of (no module)$'
what_shows "stacks have figures" '^stack 1 of [0-9]*  *[0-9.]*M'
what_shows "and frames with names" '< [a-z_0-9.]*+0x[0-9a-f]*'
first=$(picture | sed -n 4p)
keys Down Down
has_moved() { [ "$first" != "$(picture | sed -n 4p)" ]; }
ok "stacks move by lines" until_true has_moved
press Left "and back" '\[2 modules'
keys Tab
keys 1
until_shows '\[1 tasks'
# Of a task that stays: others end, and their rows may be used again.
hold 5000
size 80x60
keys Space
until_shows "churn\[$holder\]"
# In a picture that stands still no row passes another one.
pause
marked() { picture | grep '^>'; }
moved_from() { [ "$(marked | grep -c .)" = 1 ] && [ "$(marked)" != "$1" ]; }
marks_holder() {
	until shows "^>churn\[$holder\]"; do
		was=$(marked)
		keys Down
		until_true moved_from "$was"
	done
}
ok "the next rows are marked, down to a task" marks_holder
press Enter "stacks of a task" "^stacks of churn\[$holder\]$"
what_shows "which took its pages" '^stack 1 of [0-9]*  *19\.[5-9]M'
keys p
let_go
size 80x24
press Escape "ESC alone goes back" '\[1 tasks'

for size in 60x15 40x8 20x4 120x40 80x24; do
	size "$size"
	what_shows "$size: the title" '^memstrack top'
	ok "$size: no line is longer" lines_at_most "${size%x*}"
	[ "$size" = 20x4 ] || what_shows "$size: the heading" '^ task  *now'
	case $size in
	40x8 | 60x15)
		what_shows "$size: three figures" \
			'[0-9KMB]  *[0-9.]*[KMB0]  *[-+0-9]'
		;;
	esac
done
# What others wrote on the screen.
scribbled() {
	printf '\033[5;5Hgarbage' >"$(mux display -p '#{pane_tty}')"
	shows garbage
}
until_true scribbled
keys C-l
ok "control-L draws all again" until_true hides garbage

# The sh -c of tmux has no jobs that it could continue.
until_true scribbled
keys C-z
drawn_anew() { hides garbage && shows '^q quit'; }
ok "control-Z without a shell of jobs: it goes on" until_true drawn_anew
pkill -CONT -f -x "$memstrack top --interval=3600"
press q "quit" '^status 0'
what_shows "the screen is as it was" '^before'
is "so are the terminal's settings" "$(cat "$work/stty.2")" \
	"$(cat "$work/stty.1")"

prompt
settings_to "$work/stty.0"
# as_before NAME: so are the settings that stty writes when top has ended.
as_before() {
	until_true settled "$work/stty.3"
	ok "$1: settings are as before" cmp "$work/stty.3" "$work/stty.0"
	rm "$work/stty.3"
}
for signal in TERM:143 HUP:129 INT:0 USR1:138 ALRM:142 ABRT:134; do
	runs "$memstrack top; echo status \$?; stty -a >$work/stty.3"
	pkill -"${signal%:*}" -f -x "$memstrack top"
	what_shows "SIG${signal%:*}: its status" "^status ${signal#*:}"
	as_before "SIG${signal%:*}"
done
first_screen() { [ "$(mux display-message -p '#{alternate_on}')" = 0 ]; }
runs "$memstrack top; stty -a >$work/stty.3"
keys C-s
sleep 0.5
pkill -TERM -f -x "$memstrack top"
as_before "SIGTERM after control-S"
ok "and the first screen is there again" until_true first_screen

runs "$memstrack top"
press C-z "control-Z: the shell has the terminal" '[$#]$'
keys 'echo typed=$((6 * 7))' Enter
what_shows "and shows what is typed" '^typed=42'
keys fg Enter
what_shows "fg: the picture again" '^q quit'
keys q
prompt

# In a shell that leaves the settings as a job left them; bash hides it.
sh=$(command -v dash || command -v sh)
keys "clear; PS1='plain\$ ' $sh -i" Enter
prompt '^plain. *$'
settings_to "$work/stty.0"
runs "$memstrack top"
keys C-z
prompt '^plain. *$'
runs "fg; stty -a >$work/stty.3"
keys q
as_before "control-Z, fg, q"
runs "$memstrack top; stty -a >$work/stty.3"
until_true scribbled
pkill -CONT -f -x "$memstrack top"
until_true hides garbage
keys q
as_before "SIGCONT, q"
keys "exit" Enter
prompt
keys "clear; $memstrack top </dev/null; echo status \$?" Enter
what_shows "no terminal to read from: refused" 'standard input is no terminal'
what_shows "with status 1" '^status 1'

# --- what it costs the tracer

# Without objects of slab, so that other work on this machine loses nothing.
stop TERM
start --format=json --level=3 --ring=32M
snapshots() {
	for _ in $(seq "$1"); do
		"$memstrack" top --once >"$work/once" || return 1
	done
}

# Clients that stop anywhere. (Silent ones: tests/unit/control.c.)
beside_stopped_clients() {
	for i in $(seq 30); do
		"$memstrack" top --once >/dev/null 2>&1 &
		client=$!
		sleep "0.00$((i % 10))"
		kill -STOP "$client" 2>/dev/null
		"$memstrack" top --once || return 1
		kill -KILL "$client" 2>/dev/null
		wait "$client" 2>/dev/null || :	# it was killed
	done
}
lost() {
	"$memstrack" report
	report print head lost
}
lost_before=$(lost)
spy all
ok "50 snapshots: all are answered" snapshots 50
ok "beside 30 clients, stopped anywhere, others are answered" \
	beside_stopped_clients
spy_ends
echo "# $(sed -n 's/^[0-9]* *\([a-z0-9_]*\)(.*/\1/p' "$work/strace" | sort |
	uniq -c | sort -rn | head -n 9 | tr -s ' \n' ' ')"
called() { grep -c "$1" "$work/strace"; }
ok "80 snapshots and more: each is written into the client's file" \
	test "$(called 'pwrite64\?(.*memfd:memstrack')" -ge 80
ok "the tracer has accepted all who asked" \
	test "$(called 'accept4(.*) = [0-9]')" -ge 80
is "and asked for none that had not come" "$(called 'accept4(.*) = -1')" 0
is "and never waited for one of them" \
	"$(grep '[^p]poll(' "$work/strace" | grep -vc ', 1, 0) *= ')" 0
# One process answers all, one after the other.
nothing_between() {
	awk '/ recvmsg\(.*msg_control=/ { asked = 1 }
		/ sendto\(/ { asked = 0 }
		asked' "$work/strace" >"$work/answers"
	[ "$(grep -c ' pwrite64\?(' "$work/answers")" -ge 80 ] &&
		! grep /proc/ "$work/answers"
}
ok "between a question and its answer, nothing in /proc is opened or read" \
	nothing_between
# Whether anybody asks or not: vmalloc is sampled in a kernel without probes,
# full mounts are looked for (with vmstat if one is full), and two files that are
# open are read again when memory falls.
is "nothing in /proc is opened or read for them" \
	"$(grep /proc/ "$work/strace" | grep -v -e /proc/vmallocinfo \
	-e '/proc/1[/">]' -e /proc/vmstat -e '</proc/zoneinfo>' \
	-e '</proc/meminfo>')" ''
is "no memory is mapped" "$(called 'mmap\|brk')" 0
is "and nothing is lost" "$(lost)" "$lost_before"
runs "$memstrack top --interval=1"
stop TERM
what_shows "the tracer ends: it says so" 'no tracer runs'
keys q
says "no tracer: is told" 1 "top: no tracer runs" "$memstrack" top --once
finish
