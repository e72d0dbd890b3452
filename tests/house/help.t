#!/bin/sh
# SPDX-License-Identifier: MIT
# The parser's table, --help and the man page have the same options, with the
# same operands, and say the same about the values that each accepts.
#
# MEMSTRACK: the program.
set -u
export LC_ALL=C

top=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd) || exit 1
man=$top/applet/memstrack.8
table=$top/applet/config/parameters.c
: "${MEMSTRACK:=$top/build/memstrack}"
count=0

# ok STATUS NAME [DETAIL]: one test, good where STATUS is 0.
ok() {
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count - $2"
	else
		echo "not ok $count - $2"
		printf '%s\n' "${3-}" | sed 's/^/# /'
	fi
}

same() {
	[ "$1" = "$2" ] && [ -n "$1" ]
	ok $? "$3" "$(printf 'one: %s\nother: %s' "$1" "$2" | tr '\n' ' ')"
}

# From `.It Fl -NAME …` to the next item, as one line of bare words.
man_entry() {
	sed -n "/^\.It Fl -$1\( .*\)\?$/,/^\.\(It\|El\)/p" "$man" |
		sed '1d; s/^\.[A-Z][a-z] //' | tr '\n' ' '
}

# The applet that has an option alone, or trace.
applet_of() {
	of=$(sed -n "s/^\t*\.name = \"$1[\"|].*\.applet = \"\([a-z]*\)\".*/\1/p" \
		"$table")
	echo "${of:-trace}"
}
# What the program says when --NAME has an empty value.
refusal() {
	"$MEMSTRACK" "$(applet_of "$1")" "--$1=" 2>&1 >/dev/null </dev/null
}

help=$("$MEMSTRACK" --help </dev/null)
ok $? "--help succeeds"

in_help=$(printf '%s\n' "$help" |
	sed -n 's/^  --\([a-z-]*=[A-Z]*\) .*/\1/p; s/^  --\([a-z-]*\)  .*/\1/p' |
	sort)
in_man=$(sed -n 's/^\.It Fl -\([a-z-]*\) Ns = Ns Ar \([A-Z]*\)$/\1=\2/p
	s/^\.It Fl -\([a-z-]*\)$/\1/p' "$man" | sort)
same "$in_help" "$in_man" "--help and man page: the same options and operands"

# A row begins with its name, and says there whether it is of the boot alone.
in_table=$(sed -n 's/^\t*\.name = "\([a-z-]*\)[|"].*/\1/p' "$table" | sort)
boot_only=$(sed -n 's/^\t*\.name = "\([a-z-]*\)".*\.boot_only = 1.*/\1/p' "$table")
in_man_boot=$(sed -n 's/^\.It Cm rd\.memstrack\.\([a-z-]*\)= Ns Ar .*/\1/p' \
	"$man" | sort)
options=$(printf '%s\n' "$in_help" | sed 's/=.*//')
same "$boot_only" "$in_man_boot" \
	"table and man page: the same parameters for the boot alone"
same "$in_table" "$(printf '%s\n' "$options" "$boot_only" | sort)" \
	"table: these, and no other"

for name in $options; do
	said=$(refusal "$name")
	status=$?
	said=${said%"; try --help"}
	why=${said#"memstrack: --$name: needs a value: "}
	[ "$status" -eq 2 ] && [ "$why" != "$said" ] && [ -n "$why" ]
	ok $? "--$name= is refused by name, with status 2" "$status: $said"
	case $(man_entry "$name") in
	"$why"[.\ ]* | *" $why"[.\ ]*) ok 0 "--$name: man page says: $why" ;;
	*) ok 1 "--$name: man page says: $why" "$(man_entry "$name")" ;;
	esac
	case $(printf '%s\n' "$help" | sed 'N; s/:\n\([^ ]\)/: \1/; P; D' |
		grep "^  --${name}[= ]") in
	*": $why" | *": $why (or --"*")") ok 0 "--$name: --help says so too" ;;
	*) ok 1 "--$name: --help says so too" ;;
	esac
done

# The second name of an option is told. (unit/cmdline.c: it means the same.)
for pair in output:out cover:throttle slab-stacks:slab_stacks; do
	printf '%s\n' "$help" | grep -q "^  --${pair%:*}[ =].* (or --${pair#*:})\$"
	ok $? "--help: --${pair#*:} is --${pair%:*}"
done
for asks in -h help 'trace --top 3 --help' 'record -h' 'replay x --help' \
	'report --help' 'boot -h' 'switch_root --help'; do
	# shellcheck disable=SC2086 # words
	[ "$("$MEMSTRACK" $asks </dev/null)" = "$help" ]
	ok $? "$asks: the same as --help"
done
for asks in --version -V 'replay -V'; do
	# shellcheck disable=SC2086 # words
	"$MEMSTRACK" $asks </dev/null | grep -q '^memstrack [0-9][0-9.]*$'
	ok $? "$asks: the version"
done
# refuses TEXT ARGUMENT...: says TEXT, and where help is, in one line.
refuses() {
	text=$1
	shift
	said=$("$MEMSTRACK" "$@" 2>&1 </dev/null)
	[ $? -eq 2 ] && [ "$said" = "memstrack: $text; try --help" ]
	ok $? "$*: $text" "$said"
}
refuses '--bogus: no such option' --bogus
refuses 'bogus: no such applet' bogus
refuses '--top: no such option' report --top
refuses 'replay: FILE is missing' replay
refuses '--top: needs a value: 1 to 10000' trace --top
refuses 'diff: two FILEs are needed' diff x
refuses '--ring: 512: not 4K to 1G: 512K?' trace --ring=512
refuses '--mem: 64: not 256K to 1G: 64M?' trace --mem=64
refuses '--ring: 0: not 4K to 1G' trace --ring=0
refuses '--ring: 3K: not 4K to 1G' trace --ring=3K
refuses '--tasks: 5: not 16 to 16M' trace --tasks=5
refuses '--keep: 2: not 0 to 1' trace --keep=2

for name in $boot_only unknown; do
	"$MEMSTRACK" trace "--$name=/x" >/dev/null 2>&1 </dev/null
	[ $? -eq 2 ]
	ok $? "--$name is no option"
done

for applet in trace report top record replay diff switch_root boot; do
	grep -q "^\.\(Op \)\?Cm $applet\$" "$man"
	ok $? "man page: synopsis of $applet"
	case $help in
	*"$applet"*) ok 0 "--help: $applet" ;;
	*) ok 1 "--help: $applet" "$help" ;;
	esac
done

if command -v groff >/dev/null; then
	warnings=$(groff -mdoc -ww -Tascii -z "$man" 2>&1)
	[ -z "$warnings" ]
	ok $? "man page: no warning of groff" "$warnings"
else
	count=$((count + 1))
	echo "ok $count - man page: no warning of groff # SKIP no groff here"
fi
echo "1..$count"
