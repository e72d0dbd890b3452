#!/bin/sh
# Data flows one way: source/ -> ledger/ -> report/. No stage includes a later
# one, and boot/, which must work when all else fails, includes none of them.
# What anybody may include knows of nobody: limits.h, arena.h, deadline.h,
# number.h, print.h, system.h, and the parameters in boot/cmdline.h.
set -u
cd "$(dirname "$0")/../../applet" || exit 1

common='limits.h arena.h deadline.h number.h print.h system.h boot/cmdline.h'

# What files of a stage may include, as a pattern for each.
allowed() {
	case $1 in
	boot) echo "$common control.h boot/*" ;;
	source) echo "$common source/*" ;;
	ledger) echo 'limits.h arena.h source/event.h source/session.h ledger/*' ;;
	report) echo "$common source/event.h source/session.h ledger/*
		report/*" ;;
	esac
}

# "FILE INCLUDED" of all files in a stage, both from applet/.
includes() {
	grep -H '^[ 	]*#[ 	]*include[ 	]*"' "$1"/*.c "$1"/*.h |
		sed 's/:.*include[ 	]*"/ /; s/".*//' |
		while read -r file name; do
			case $name in
			../*) echo "$file ${name#../}" ;;
			*) echo "$file ${file%/*}/$name" ;;
			esac
		done
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
for stage in boot source ledger report; do
	number=$((number + 1))
	set +f
	list=$(includes "$stage")
	set -f
	wrong=$(echo "$list" | while read -r file name; do
		# shellcheck disable=SC2046 # a pattern a word
		matches "$name" $(allowed "$stage") ||
			echo "# $file includes $name"
	done)
	# A stage that includes nothing at all was not read.
	if [ -n "$list" ] && [ -z "$wrong" ]; then
		echo "ok $number - $stage/"
	else
		echo "not ok $number - $stage/"
		echo "${wrong:-# no include found}"
	fi
done

number=$((number + 1))
wrong=$(grep -n '^[ 	]*#[ 	]*include[ 	]*"' limits.h deadline.h \
	number.h print.h system.h boot/cmdline.h |
	grep -v '"\(\.\./\)\{0,1\}\(limits\|number\)\.h"')
[ -z "$wrong" ] || printf 'not '
echo "ok $number - what all may include, knows of nobody $wrong"
echo "1..$number"
