#!/bin/sh
# SPDX-License-Identifier: MIT
# Options: a bad value is reported with its option, the exit status is 2, and
# nothing is traced. A good value has its effect.
set -u
# shellcheck source-path=SCRIPTDIR source=tracer.sh
. "$(dirname -- "$0")/tracer.sh"

# refused TEXT COMMAND...: this in the only line, nothing else done. A tracer
# that started would stay, and be ended with another status.
refused() {
	text=$1
	shift
	timeout 10 "$@" >"$work/stdout" 2>"$work/stderr"
	refused_status=$?
	if [ $refused_status != 2 ]; then
		echo "exit status $refused_status: $*"
		return 1
	fi
	one_line "$work/stderr" "$text" && is_empty "$work/stdout" && return 0
	echo "for: $*"
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
# Such an option, with a good and with a bad value: all others refuse it, and it
# says why; its applet tells a bad value.
only_way() {
	option=$1 of=$2 bad=$3 good=0
	[ "$option" != by ] || good=now
	for value in "$good" "$bad"; do
		said="memstrack: --$option=$value: only $of has this option"
		refused "$said" "$memstrack" trace "--$option=$value" &&
			refused "$said" "$memstrack" "--$option=$value" &&
			refused "$said" "$memstrack" record "$work/trace" \
				"--$option=$value" &&
			refused "$said" "$memstrack" replay "$work/none" \
				"--$option=$value" &&
			refused "$said" "$memstrack" kmemtrace "$work/none" \
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
	if [ "$of" ]; then
		only_way "$option" "$of" "$1" || return 1
		for value; do
			said="memstrack: --$option: $value: "
			refused "$said" "$memstrack" "$of" "$work/none" \
				"$work/none" "--$option=$value" &&
				refused "$said" "$memstrack" "$of" \
					"--$option" "$value" || return 1
		done
		refused "memstrack: --$option: needs a value: " "$memstrack" \
			"$of" "--$option="
		return
	fi
	for value; do
		said="memstrack: --$option: $value: "
		refused "$said" "$memstrack" trace "--$option=$value" &&
			{ is_flag "$option" || refused "$said" \
				"$memstrack" trace "--$option" "$value"; } &&
			refused "$said" "$memstrack" "--$option=$value" &&
			refused "$said" "$memstrack" record "$work/trace" \
				--level=2 "--$option=$value" &&
			refused "--$option: $value: " "$memstrack" replay \
				"$work/none" "--$option=$value" || return 1
	done
	said="memstrack: --$option: needs a value: "
	refused "$said" "$memstrack" trace "--$option=" &&
		{ is_flag "$option" ||
			refused "$said" "$memstrack" "--$option"; }
}

files() {
	(cd "$work" && echo *)
}

# bad OPTION VALUE...
tested=
bad() {
	tested="$tested
$1"
	check "--$1: $(($# - 1)) bad values, and none" every_way "$@"
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
is "nothing was traced, nothing written" "$(files)" "said stderr stdout"

"$memstrack" --help >"$work/help" 2>"$work/stderr"
is "--help: exit status" $? 0
check "--help: on standard output alone" is_empty "$work/stderr"
is "each option of --help was tried" "$(echo "$tested" | sed 1d | sort)" \
	"$(sed -n 's/^  --\([a-z-]*[= ].*\)/\1/p' "$work/help" |
		sed -n 's/[= ].*(or --\(.*\))/\n\1/; s/[= ].*//; p' | sort)"
for applet in trace record replay report; do
	"$memstrack" $applet --help 2>&1 | cmp -s - "$work/help"
	ok $? "$applet --help: the same"
done
is "--version" "$("$memstrack" --version; echo $?)" \
	"memstrack $(sed -n 's/^#define MEMSTRACK_VERSION "\(.*\)"/\1/p' \
	"$here/../../applet/limits.h")
0"

for option in --no-such --no-such=1 --levels=1 --leve=1 -level=1 -x --init=/x \
	--LEVEL=1 --; do
	check "$option: no such option" refused "$option: no such option" \
		"$memstrack" trace "$option"
done
check "an unknown option after good ones" refused "--no-such: no such option" \
	"$memstrack" trace --level=2 --out="$work/never" --no-such
check "boot: takes none" refused "memstrack: --level=1: no such option" \
	"$memstrack" boot --level=1
check "an argument too many" refused "extra: one argument too many" \
	"$memstrack" trace --level=2 extra
check "no such applet" refused "trac: no such applet" "$memstrack" trac
check "report: an unknown option" refused --no-such \
	"$memstrack" report --no-such
check "record without a file" refused "record: FILE is missing" \
	"$memstrack" record
check "record with an option for its file" refused "record: FILE is missing" \
	"$memstrack" record --level=1
check "--level=0" refused "memstrack: --level: 0 traces nothing" \
	"$memstrack" trace --level=0
is "nothing was traced, nothing written here either" \
	"$(files)" "help said stderr stdout"

start --level=1 --level 3 --format text --format=json --stacks=1K --tasks 99 \
	--tasks=100 --modules=0020 --pages=64K --ring 64K --notui --keep=0 \
	--heartbeat=0 --lines=100000 --oom=line --throttle=100 --backend=perf --mem=8M \
	--slab=512K --slab-stacks --slab_stacks=0
sh -c 'ls / >/dev/null'
stop TERM
check "good values, the last of each wins: traces" report grows seen
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
until_true beats
stop TERM
is "--heartbeat=1: none in the second of another" \
	"$(sort -nu "$work/beats" | wc -l)" "$(wc -l <"$work/beats")"
echo "1..$count"
