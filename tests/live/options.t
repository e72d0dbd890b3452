#!/bin/sh
# SPDX-License-Identifier: MIT
# Options: a bad value is reported with its option, the exit status is 2, and
# nothing is traced. A good value has its effect.
# shellcheck source=tests/live/tracer.sh
. "$(dirname -- "$0")/tracer.sh"

# refused TEXT COMMAND...: status 2, this in the only line, nothing else done. A
# tracer that started would stay.
refused() {
	text=$1
	shift
	"$@" >"$work/stdout" 2>"$work/stderr"
	[ $? = 2 ] && [ ! -s "$work/stdout" ] && {
		IFS= read -r line && ! read -r _
	} <"$work/stderr" && case $line in
	*"$text"*) return ;;
	esac
	echo "not refused with '$text': $*"
	cat "$work/stderr"
	return 1
}

# Without a value it means 1: the next argument is not its value.
is_flag() {
	case $1 in
	keep | slab | slab[-_]stacks) ;;
	*) return 1 ;;
	esac
}

# The one applet that has an option.
only_of() {
	case $1 in
	by | min | fail) echo diff ;;
	esac
}
# in_every_applet OPTION VALUE TEXT: it is refused there.
in_every_applet() {
	refused "$3" "$memstrack" trace "--$1=$2" &&
		refused "$3" "$memstrack" "--$1=$2" &&
		refused "$3" "$memstrack" record "$work/trace" "--$1=$2" &&
		refused "$3" "$memstrack" replay "$work/none" "--$1=$2"
}
# Such an option, with a good and with a bad value: all others refuse it, and it
# says why; its applet tells a bad value.
only_way() {
	good=0
	[ "$option" != by ] || good=now
	for value in "$good" "$1"; do
		only="memstrack: --$option=$value: only $of has this option"
		in_every_applet "$option" "$value" "$only" &&
			refused "$only" "$memstrack" kmemtrace "$work/none" \
				"--$option=$value" &&
			refused "memstrack: --$option: only $of has" \
				"$memstrack" trace "--$option" "$value" ||
			return 1
	done
	refused "memstrack: --$option=$good: only $of has this option" \
		"$memstrack" report "--$option=$good"
}

# All that can be wrong with one option, in both forms, for all who take it.
every_way() {
	option=$1
	shift
	of=$(only_of "$option")
	none="memstrack: --$option: needs a value: "
	if [ "$of" ]; then
		only_way "$1" || return 1
		set -- "$@" ''
		for value; do
			said="memstrack: --$option: $value: "
			[ "$value" ] || said=$none
			refused "$said" "$memstrack" "$of" "$work/none" \
				"$work/none" "--$option=$value" || return 1
		done
		refused "memstrack: --$option: $1: " "$memstrack" "$of" \
			"$work/none" "$work/none" "--$option" "$1"
		return
	fi
	for value; do
		said="--$option: $value: "
		in_every_applet "$option" "$value" "$said" &&
			{ is_flag "$option" || refused "memstrack: $said" \
				"$memstrack" trace "--$option" "$value"; } ||
			return 1
	done
	refused "$none" "$memstrack" trace "--$option=" &&
		{ is_flag "$option" ||
			refused "$none" "$memstrack" "--$option"; }
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
# shellcheck disable=SC2086 # words
{
	bad level 4 $number ' 1' '1 ' 01x
	bad frames 0 65 $number
	bad wait 61 $number
	bad output "$long"
	bad out "$long"
	bad format xml TEXT 'text,' json,text or
	bad report nonsense module_summary, task_top:top=0 :
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
	bad mem 0 255K 1025M 2G 1T 1KK K $number 512k5
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
is "nothing was traced, nothing written" "$(files)" "ok.out stderr stdout"

# shellcheck disable=SC2016 # the inner shell's
ok "--help" sh -c '"$1" --help >"$2" 2>"$3"' - "$memstrack" "$work/help" \
	"$work/stderr"
ok "--help: on standard output alone" is_empty "$work/stderr"
is "each option of --help was tried" "$(echo "$tested" | sed 1d | sort)" \
	"$(sed -n 's/^  --\([a-z-]*[= ].*\)/\1/p' "$work/help" |
		sed -n 's/[= ].*(or --\(.*\))/\n\1/; s/[= ].*//; p' | sort)"
for applet in trace record replay report; do
	"$memstrack" $applet --help >"$work/stdout" 2>&1
	ok "$applet --help: the same" cmp "$work/stdout" "$work/help"
done
is "--version" "$("$memstrack" --version; echo $?)" \
	"memstrack $(sed -n 's/^#define MEMSTRACK_VERSION "\(.*\)"/\1/p' \
	"$top/applet/limits.h")
0"

for option in --no-such --no-such=1 --levels=1 --leve=1 -level=1 -x --init=/x \
	--LEVEL=1 --; do
	ok "$option: no such option" refused "$option: no such option" \
		"$memstrack" trace "$option"
done
ok "an unknown option after good ones" refused "--no-such: no such option" \
	"$memstrack" trace --level=2 --out="$work/never" --no-such
ok "boot: takes none" refused "memstrack: --level=1: no such option" \
	"$memstrack" boot --level=1
ok "an argument too many" refused "extra: one argument too many" \
	"$memstrack" trace --level=2 extra
ok "no such applet" refused "trac: no such applet" "$memstrack" trac
ok "report: an unknown option" refused --no-such \
	"$memstrack" report --no-such
ok "record without a file" refused "record: FILE is missing" \
	"$memstrack" record
ok "record with an option for its file" refused "record: FILE is missing" \
	"$memstrack" record --level=1
ok "--level=0" refused "memstrack: --level: 0 traces nothing" \
	"$memstrack" trace --level=0
is "nothing was traced, nothing written here either" \
	"$(files)" "help ok.out stderr stdout"

start --level=1 --level 3 --format text --format=json --stacks=1K --tasks 99 \
	--tasks=100 --modules=0020 --pages=64K --ring 64K --notui --keep=0 \
	--heartbeat=0 --lines=100000 --oom=line --throttle=100 --backend=perf \
	--mem=8M --slab=512K --slab-stacks --slab_stacks=0
sh -c 'ls / >/dev/null'
stop TERM
ok "good values, the last of each wins: traces" report grows seen
for expected in stacks_rows=1024 tasks_rows=100 modules_rows=20 \
	pages_bytes=65536 ring_bytes=65536; do
	is "${expected%=*}" "$(report print own "${expected%=*}")" \
		"${expected#*=}"
done
is "level" "$(report print head level)" 3
is "slab" "$(report print slab_balance faults_full)" 0

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
