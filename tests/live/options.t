#!/bin/sh
# SPDX-License-Identifier: MIT
# Options: a bad value is reported with its option, the exit status is 2, and
# nothing is traced. A good value has its effect.
# shellcheck disable=SC2086 # words
. "$(dirname "$0")/tracer.sh"

# refused TEXT ARG...: by memstrack, in one line, and nothing else is done. A
# tracer that started would stay.
refused() {
	text=$1
	shift
	ends_saying 2 "$text" "$memstrack" "$@"
}

# A bad value of one option: in every applet that takes it, and as an argument of
# its own, which is not the value of a flag; and none. (Each value and its bounds:
# tests/unit/cmdline.c; an empty one, and options of other applets: house/help.t.)
every_way() {
	option=$1 first=
	bad=/$(printf '%0255d' 0)	# a path too long, and no number
	for applet in trace record replay diff report top estimate; do
		"$memstrack" $applet --help |
			grep -q "^  --${option}[= ]\|(or --$option)\$" || continue
		case $applet in
		record | replay) applet="$applet $work/none" ;;
		diff) applet="diff $work/none $work/none" ;;
		esac
		refused "memstrack: --$option: /0" $applet "--$option=$bad" ||
			return 1
		first=${first:-$applet}
	done
	case $option in keep | once | slab | slab[-_]stacks) return ;; esac
	refused "memstrack: --$option: needs a value: " $first "--$option" &&
		refused "memstrack: --$option: /0" $first "--$option" "$bad"
}

files() {
	(cd "$work" && echo *)
}

ok "--help" sh -c '"$1" --help >"$2" 2>"$3"' - "$memstrack" "$work/help" \
	"$work/line"
ok "--help: on standard output alone" is_empty "$work/line"
sed -n 's/^  --\([a-z-]*[= ].*\)/\1/p' "$work/help" |
	sed -n 's/[= ].*(or --\(.*\))/\n\1/; s/[= ].*//; p' >"$work/options"
while read -r option; do
	ok "--$option: a bad value, and none" every_way "$option"
done <"$work/options"
is "nothing was traced, nothing written" "$(files)" \
	"help line ok.out options stdout"

for option in --no-such --no-such=1 --levels=1 --leve=1 -level=1 -x --init=/x \
	--LEVEL=1 --; do
	ok "$option: no such option" refused "$option: no such option" \
		trace "$option"
done
while IFS='|' read -r arguments text; do
	ok "$arguments: $text" refused "$text" $arguments
done <<END
trace --level=2 --out=$work/never --no-such|--no-such: no such option
boot --level=1|memstrack: --level=1: boot takes no argument
top --interval --once|--interval: --once: not 1 to 3600
report --top=3|report: options are for --check alone
record --slab 4M|record: FILE is missing
record --slab 2G $work/none|--slab: 2G: not 0 to 1G
run --keep 2 true|--keep: 2: not 0 to 1
run --format=line true|--format: only text or json
run --out=-,x.prom true|--format: only text or json
run --level=2|run: COMMAND is missing
trace --level=2 extra|extra: one argument too many
record|record: FILE is missing
record --level=1|record: FILE is missing
trace --level=0|memstrack: --level: 0 traces nothing
END
is "nothing was traced, nothing written here either" \
	"$(files)" "help line ok.out options stdout"

start --mem=512K --stacks=9000 --tasks=2000 --pages=16M --ring=64K
stop TERM
is "--mem=512K, the least that is accepted, is enough for some tables" $? 0
ok "run --keep 1 COMMAND runs the command" eval \
	'[ "$("$memstrack" run --out=/dev/null --keep 1 echo it)" = it ]'
start --level=1 --level 3 --format text --format=json --stacks=1K --tasks 99 \
	--tasks=100 --modules=0020 --pages=64K --ring 64K --notui --keep=0 \
	--heartbeat=0 --lines=100000 --oom=line --throttle=100 --backend=perf \
	--mem=8M --slab=512K --slab-stacks --slab_stacks=0
sh -c 'ls / >/dev/null'
stop TERM
ok "good values, the last of each wins: traces" report grows seen
ok "they are there" report is own stacks_rows=1024 tasks_rows=100 \
	modules_rows=20 pages_bytes=65536 ring_bytes=65536
ok "the level" report is head level=3
ok "the objects of slab" report is slab_balance faults_full=0

start --level=1 --heartbeat=1
beats() {
	sed -n 's/^memstrack: +\([0-9]*\) s: free [0-9]* KiB, .*/\1/p' \
		"$work/stderr" >"$work/beats"
	[ "$(wc -l <"$work/beats")" -ge 3 ]
}
until_true beats	# three of them
stop TERM
is "--heartbeat=1: none in the second of another" \
	"$(sort -nu "$work/beats" | wc -l)" "$(wc -l <"$work/beats")"
finish
