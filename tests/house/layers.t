#!/bin/sh
# Data flows one way: source/ -> ledger/ -> report/ -> output/. No room includes
# a later one, and boot/, which must work when all else fails, includes none of
# them but the client's side of the control socket.
set -u
cd "$(dirname "$0")/../../applet" || exit 1

# What files of a room may include, as patterns.
allowed() {
	case $1 in
	base) echo 'limits.h base/*' ;;
	config) echo 'limits.h base/* config/*' ;;
	boot) echo 'limits.h base/* boot/* control/control.h' ;;
	source) echo 'limits.h base/* source/*' ;;
	ledger) echo 'limits.h base/arena.h source/event.h source/session.h
		ledger/*' ;;
	report) echo 'limits.h base/print.h base/number.h base/arena.h
		config/* source/event.h source/session.h ledger/* report/*' ;;
	output) echo 'limits.h base/* config/* report/report.h report/line.h
		output/*' ;;
	control) echo 'limits.h base/* config/* output/* control/*' ;;
	record) echo 'limits.h base/* config/* source/event.h source/session.h
		ledger/* report/* output/* record/*' ;;
	tracer) echo 'limits.h base/* config/* source/* ledger/* report/*
		output/* control/* record/* tracer/*' ;;
	esac
}
rooms='base config boot source ledger report output control record tracer'

# "FILE INCLUDED" of all files in a room, both from applet/.
includes() {
	find "$1" -name '*.[ch]' -exec grep -H '^[ 	]*#[ 	]*include[ 	]*"' {} + |
		sed 's/:.*include[ 	]*"/ /; s/".*//'
}

# Is $1 one of the patterns "$2..."?
matches() {
	name=$1
	shift
	for pattern; do
		# shellcheck disable=SC2254 # a pattern it is
		case $name in
		$pattern) return 0 ;;
		esac
	done
	return 1
}

set -f
number=0
for room in $rooms; do
	number=$((number + 1))
	set +f
	list=$(includes "$room")
	set -f
	wrong=$(echo "$list" | while read -r file name; do
		# shellcheck disable=SC2046 # a pattern a word
		matches "$name" $(allowed "$room") ||
			echo "# $file includes $name"
	done)
	# A room that includes nothing at all was not read.
	if [ -n "$list" ] && [ -z "$wrong" ]; then
		echo "ok $number - $room/"
	else
		echo "not ok $number - $room/"
		echo "${wrong:-# no include found}"
	fi
done

# Every file lies in a room, but for these.
number=$((number + 1))
set +f
loose=$(for file in *; do
	case " $rooms main.c limits.h memstrack.8 " in
	*" $file "*) ;;
	*) echo "$file" ;;
	esac
done)
[ -z "$loose" ] || printf 'not '
echo "ok $number - every file lies in a room $loose"
echo "1..$number"
