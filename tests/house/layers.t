#!/bin/sh
# SPDX-License-Identifier: MIT
# Each directory of applet/ uses only directories below it, and of these only
# the headers that are listed here. This gives the program its shape:
#
#   ledger/ and report/ get events, a session and memory, and nothing else;
#   report/ reads the books and cannot change them (ledger/apply.h);
#   boot/, which must work when all else fails, only asks the tracer;
#   source/ shows others only events, sessions and struct source, but not perf
#   and tracefs.
# shellcheck source-path=SCRIPTDIR/.. source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
cd "$top/applet" || exit 1

# The lowest first.
rooms='base config source ledger report output record diff control view tracer
	top run boot'

# What files of a room may include beside each other, as patterns.
allowed() {
	case $1 in
	base) echo 'limits.h' ;;
	config) echo 'limits.h base/number.h base/print.h' ;;
	source) echo 'limits.h base/*' ;;
	ledger) echo 'limits.h base/arena.h source/event.h source/session.h' ;;
	report) echo 'limits.h base/arena.h base/number.h base/print.h
		config/config.h config/sections.h source/event.h
		source/session.h ledger/ledger.h ledger/snapshot.h' ;;
	output) echo 'limits.h base/* config/config.h report/report.h
		report/line.h' ;;
	record) echo 'limits.h base/* config/config.h config/options.h config/cmdline.h
		source/event.h source/session.h ledger/ledger.h ledger/apply.h
		report/report.h report/symbols.h output/sink.h
		output/beside.h' ;;
	diff) echo 'limits.h base/* config/config.h config/cmdline.h
		report/line.h report/rank.h report/report.h output/sink.h
		record/replay.h record/trace.h' ;;
	view) echo 'limits.h base/* config/config.h config/options.h
		source/event.h source/session.h ledger/ledger.h ledger/apply.h
		ledger/hash.h report/* output/sink.h output/beside.h
		control/*' ;;
	control) echo 'limits.h base/* config/config.h config/sections.h
		output/sink.h' ;;
	tracer) echo 'limits.h base/* config/config.h source/event.h
		source/session.h source/source.h source/before.h source/proc/*
		ledger/ledger.h ledger/apply.h report/* output/* record/*
		control/*' ;;
	top) echo 'limits.h base/* config/value.h control/control.h
		control/ask.h control/given.h report/report.h report/line.h
		report/shown.h report/symbols.h report/names.h' ;;
	run) echo 'limits.h base/* config/* source/event.h source/session.h
		source/source.h source/proc/* ledger/ledger.h ledger/hash.h report/line.h
		output/* control/listen.h tracer/*' ;;
	boot) echo 'limits.h base/* config/* control/ask.h' ;;
	esac
}

# "FILE INCLUDED" of all files in a room, both from applet/.
includes() {
	find "$1" -name '*.[ch]' -exec grep -H '^[ 	]*#[ 	]*include[ 	]*"' {} + |
		sed 's/:.*include[ 	]*"/ /; s/".*//'
}

# Is $1 one of the patterns "$2..."?
matches() {
	name=$1
	shift
	for like; do
		# shellcheck disable=SC2254 # a pattern it is
		case $name in
		$like) return 0 ;;
		esac
	done
	return 1
}

# What room $1 includes beside its own files and "$2...".
strangers() {
	room=$1
	shift
	includes "$room" | while read -r file included; do
		matches "$included" "$room/*" "$@" ||
			echo "$file includes $included"
	done
}

# What is listed above and is no lower room's.
upside_down() {
	lower='limits.h'
	for room in $rooms; do
		for pattern in $(allowed "$room"); do
			# shellcheck disable=SC2086 # a word a pattern
			matches "$pattern" $lower ||
				echo "$room may include $pattern"
		done
		lower="$lower $room/*"
	done
}

set -f
for room in $rooms; do
	# A room that includes nothing at all was not read.
	wrong='no include found'
	# shellcheck disable=SC2046 # a word a pattern
	[ -z "$(includes "$room")" ] ||
		wrong=$(strangers "$room" $(allowed "$room"))
	is "$room/ includes only what it may" "$wrong" ''
done
is 'no room may include a later one' "$(upside_down)" ''

# Every file lies in a room, but for these.
is 'every file lies in a room' "$(find . -mindepth 1 -maxdepth 1 |
	while read -r file; do
		# shellcheck disable=SC2086 # a word a name
		matches "${file#./}" main.c limits.h memstrack.8 $rooms ||
			echo "$file"
	done)" ''

mkdir -p "$work/low/inner"
echo '#include "low/inner/a.h"' >"$work/low/good.h"
echo ' # include "high/b.h"' >"$work/low/inner/a.h"
cd "$work" || exit 1
is 'an include that is not allowed is found' "$(strangers low limits.h)" \
	'low/inner/a.h includes high/b.h'
is 'one that is allowed is not' "$(strangers low 'high/*')" ''
rooms='ledger base'
is 'a list upside down is found' "$(upside_down | head -n 1)" \
	'ledger may include base/arena.h'
finish
