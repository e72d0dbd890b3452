#!/bin/sh
# SPDX-License-Identifier: MIT
# The parser's table, --help and the man pages have the same options, with the
# same operands, and say the same about the values that each accepts.
#
# MEMSTRACK: the program.
# shellcheck source-path=SCRIPTDIR/.. source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
export LC_ALL=C
man=$work/man
cat "$top/applet/memstrack.8" "$top/applet/memstrack-tools.8" >"$man"
table=$top/applet/config/parameters.c

# From `.It Fl -NAME …` to the next item, as one line of bare words.
man_entry() {
	sed -n "/^\.It Fl -$1\( .*\)\?$/,/^\.\(It\|El\)/p" "$man" |
		sed '1d; s/^\.[A-Z][a-z] //' | tr '\n' ' '
}

# The first applet whose own help has an option.
applet_of() {
	for applet in trace report diff top estimate; do
		if "$MEMSTRACK" "$applet" --help | grep -q "^  --$1[= ]"; then
			echo "$applet"
			return
		fi
	done
}
# What the program says when --NAME has an empty value.
refusal() {
	"$MEMSTRACK" "$(applet_of "$1")" "--$1=" 2>&1 >/dev/null </dev/null
}

"$MEMSTRACK" --help </dev/null >"$work/help"
is '--help succeeds' $? 0
help=$(cat "$work/help")
in_help=$(sed -n 's/^  --\([a-z-]*=[A-Z]*\) .*/\1/p; s/^  --\([a-z-]*\)  .*/\1/p' \
	"$work/help" | sort)
in_man=$(sed -n 's/^\.It Fl -\([a-z-]*\) Ns = Ns Ar \([A-Z]*\)$/\1=\2/p
	s/^\.It Fl -\([a-z-]*\)$/\1/p' "$man" | sort)
ok '--help and man pages: the same options and operands, each once' same "$in_help" "$in_man"

# A row begins with its name, and says there whether it is of the boot alone.
in_table=$(sed -n 's/^\t{ \.name = "\([a-z-]*\)[|"].*/\1/p' "$table" | sort -u)
boot_only=$(sed -n 's/^\t{ \.name = "\([a-z-]*\)".*\.of = OF_BOOT,.*/\1/p' "$table")
in_man_boot=$(sed -n 's/^\.It Cm rd\.memstrack\.\([a-z-]*\)= Ns Ar .*/\1/p' \
	"$man" | sort)
options=$(echo "$in_help" | sed 's/=.*//')
ok 'table and man pages: the same parameters for the boot alone' \
	same "$boot_only" "$in_man_boot"
ok 'table: these, and no other' \
	same "$in_table" "$(printf '%s\n' "$options" "$boot_only" | sort)"

# asks STATUS ARGUMENT...: the last word of ours, when it ends with that status.
asks() {
	wanted=$1
	shift
	said=$("$MEMSTRACK" "$@" 2>&1 </dev/null)
	status=$?
	echo "status $status: $said"
	[ "$status" = "$wanted" ]
}
# An empty value is refused with what the option accepts.
refused() {
	asks 2 "$(applet_of "$1")" "--$1=" || return
	said=${said%"; try --help"}
	why=${said#"memstrack: --$1: needs a value: "}
	[ "$why" != "$said" ] && [ "$why" ]
}
in_the_man_page() {
	man_entry "$1"
	case $(man_entry "$1") in
	"$why"[.\ ]* | *" $why"[.\ ]*) ;;
	*) false ;;
	esac
}
in_the_help() {
	case $(sed 'N; s/:\n\([^ ]\)/: \1/; P; D' "$work/help" |
		grep "^  --$1[= ]") in
	*": $why" | *": $why (or --"*")") ;;
	*) false ;;
	esac
}
for name in $options; do
	ok "--$name= is refused by name, with status 2" refused "$name"
	ok "--$name: man page says: $why" in_the_man_page "$name"
	ok "--$name: --help says so too" in_the_help "$name"
done

# The second name of an option is told. (unit/cmdline.c: it means the same.)
for pair in output:out cover:throttle; do
	ok "--help: --${pair#*:} is --${pair%:*}" grep \
		"^  --${pair%:*}[ =].* (or --${pair#*:})\$" "$work/help"
done
helps() { asks 0 "$@" && same "$said" "$help"; }
for line in -h help; do
	# shellcheck disable=SC2086 # words
	ok "$line: the same as --help" helps $line
done
# Each applet that takes options has exactly those that its own help lists.
has() {
	asks 2 "$1" "--$2=" && case $said in
	"memstrack: --$2: needs a value: "*) [ "$3" ] ;;
	"memstrack: --$2=: no such option of $1; try --help") [ ! "$3" ] ;;
	*) false ;;
	esac
}
has_its_own() {
	asks 0 "$1" --help || return
	own=$said
	for name in $options; do
		case $own in
		*"
  --$name"[=\ ]*) has "$1" "$name" listed || return ;;
		*) has "$1" "$name" '' || return ;;
		esac
	done
}
for applet in trace record replay kmemtrace view report diff run top estimate; do
	ok "$applet has the options that $applet --help lists, and no other" \
		has_its_own $applet
done
for line in 'trace --top 3 --help' 'record -h' 'replay x --help' 'boot -h' \
	'switch_root --help'; do
	applet=${line%% *}
	# shellcheck disable=SC2086 # words
	ok "$line: help of it" eval "asks 0 $line >/dev/null &&
		echo \"\$said\" | grep '^memstrack .*$applet'"
done
for line in --version -V 'replay -V'; do
	# shellcheck disable=SC2086 # words
	ok "$line: the version" eval \
		"asks 0 $line | grep -x 'status 0: memstrack [0-9][0-9.]*'"
done
# refuses TEXT ARGUMENT...: says TEXT, and where help is, in one line. (Bad values,
# and what is missing: live/options.t, replay/options.t, replay/diff.t.)
says() {
	text=$1
	shift
	asks 2 "$@" && same "$said" "memstrack: $text; try --help"
}
refuses() {
	text=$1
	shift
	ok "$*: $text" says "$text" "$@"
}
refuses '--bogus: no such option of memstrack' --bogus
refuses 'bogus: no such applet' bogus
refuses '--once: no such option of report' report --once

for applet in trace report top record replay diff run view estimate kmemtrace \
	switch_root boot; do
	ok "man pages: synopsis of $applet" \
		grep -q "^\.\(Op \)\?Cm $applet\$" "$man"
	ok "--help: $applet" holds "$work/help" "$applet"
done

if command -v groff >/dev/null; then
	is 'man pages: no warning of groff' \
		"$(groff -mdoc -ww -Tascii -z "$top"/applet/*.[78] 2>&1)" ''
else
	skip 'man pages: no warning of groff' 'no groff here'
fi
finish
