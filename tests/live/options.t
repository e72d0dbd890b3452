#!/bin/sh
# SPDX-License-Identifier: MIT
# Options: a bad value is reported with its option, the exit status is 2, and
# nothing is traced. A good value has its effect.
# shellcheck source=tests/live/tracer.sh
# shellcheck disable=SC2016,SC2086 # the inner shell's; words
. "$(dirname -- "$0")/tracer.sh"

# refused TEXT ARG...: by memstrack, in one line, and nothing else is done. A
# tracer that started would stay.
refused() {
	text=$1
	shift
	ends_saying 2 "$text" "$memstrack" "$@"
}

# All that can be wrong with one option. Each bad value in one applet that takes
# it; the first one in every applet, and as an argument of its own, which is not
# the value of a flag.
every_way() {
	option=$1 bad=$2 is_flag='' refusal="--$1: $2: "
	shift
	case $option in keep | once | slab | slab[-_]stacks) is_flag=1 ;; esac
	first=
	for applet in trace record replay diff report top; do
		"$memstrack" $applet --help |
			grep -q "^  --${option}[= ]\|(or --$option)\$" || continue
		case $applet in
		trace) refused "$refusal" "--$option=$bad" || return 1 ;;
		record | replay) applet="$applet $work/none" ;;
		diff) applet="diff $work/none $work/none" ;;
		esac
		refused "$refusal" $applet "--$option=$bad" || return 1
		first=${first:-$applet}
	done
	applet=$first
	for value; do
		refused "memstrack: --$option: $value: " $applet \
			"--$option=$value" || return 1
	done
	none="memstrack: --$option: needs a value: "
	refused "$none" $applet "--$option=" && {
		[ "$is_flag" ] || {
			refused "$none" $applet "--$option" &&
				refused "memstrack: --$option: $bad: " \
					$applet "--$option" "$bad"
		}
	}
}

files() {
	(cd "$work" && echo *)
}

# bad OPTION VALUE...
tested=
bad() {
	tested="$tested
$1"
	ok "--$1: $(($# - 1)) bad values, and none" every_way "$@"
}

number='x -1 +1 1.5 0x1 1x 99999999999999999999'
long=/$(printf '%0255d' 0)
{
	bad level 4 $number ' 1' '1 ' 01x
	bad frames 0 65 $number
	bad wait 61 $number
	bad output "$long"
	bad out "$long"
	bad format xml TEXT 'text,' json,text or
	bad report nonsense module_summary, module_summary,nonsense \
		task_top:top=0 :
	bad top 0 10001 $number 1K
	bad cover 0 101 $number 50%
	bad throttle 0 101 $number 50%
	bad lines 15 1000001 $number 1M
	bad oom on REPORT report,line or
	bad heartbeat 86401 $number 1s
	bad keep 2 $number yes
	bad backend x PERF auto,
	bad by x PEAK peak,now
	bad check x PAGE_OWNER page_owner, "$long"
	bad min 1025M 2G K $number
	bad fail 1025M 2G K $number
	bad once 2 $number yes
	bad interval 0 3601 $number 1s
	bad mem 0 511K 1025M 2G 1T 1KK K $number 512k5
	bad pages 0 4095 1025M 2G K $number
	bad ring 0 4095 1025M 2G K $number
	bad buf-size 0 1025 $number 1K
	bad stacks 0 15 17M K $number
	bad tasks 0 15 17M K $number
	bad modules 0 15 17M K $number
	bad slab 1025M 2G K $number
	bad slab-stacks 2 $number yes
	bad slab_stacks 2 $number yes
}
is "nothing was traced, nothing written" "$(files)" "line ok.out stdout"
ok "--help" sh -c '"$1" --help >"$2" 2>"$3"' - "$memstrack" "$work/help" \
	"$work/line"
ok "--help: on standard output alone" is_empty "$work/line"
is "each option of --help was tried" "$(echo "$tested" | sed 1d | sort)" \
	"$(sed -n 's/^  --\([a-z-]*[= ].*\)/\1/p' "$work/help" |
		sed -n 's/[= ].*(or --\(.*\))/\n\1/; s/[= ].*//; p' | sort)"

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
replay --backend=perf $work/none|--backend=perf: no such option of replay
trace --check|--check: no such option of trace
trace --by=now|--by=now: no such option of trace
diff --keep $work/none $work/none|--keep: no such option of diff
view --frames=3 $work/none|--frames=3: no such option of view
top --once --level=1|--level=1: no such option of top
top --interval --once|--interval: --once: not 1 to 3600
report --top=3|report: options are for --check alone
record --slab 4M|record: FILE is missing
record --slab 2G $work/none|--slab: 2G: not 0 to 1G
run --keep 2 true|--keep: 2: not 0 to 1
trace --level=2 extra|extra: one argument too many
record|record: FILE is missing
record --level=1|record: FILE is missing
trace --level=0|memstrack: --level: 0 traces nothing
END
is "nothing was traced, nothing written here either" \
	"$(files)" "help line ok.out stdout"

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
