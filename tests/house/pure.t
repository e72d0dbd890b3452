#!/bin/sh
# ledger/ and what of report/ makes lines do not call the system: no file, no
# clock, no memory but what they are given. Every name their objects leave
# open must be defined among themselves or be on this list. Four files of
# report/ do call it: sink.c, kmsg.c and put.c write, symbols.c reads; of
# symbols.c the others may use what works on memory.
set -u
cd "${BUILD:-$(dirname "$0")/../../build}/applet" || exit 1

allowed='arena_take memcpy memset memcmp memmove memchr strlen strnlen strcmp strncmp
	strchr strrchr
	symbols_init symbols_clear symbols_add symbols_sort symbols_set
	symbols_find'

pure() {
	for object in ledger/*.o report/*.o; do
		case $object in
		report/sink.o | report/kmsg.o | report/put.o) ;;
		report/symbols.o) ;;
		*) echo "$object" ;;
		esac
	done
}
# Names that they define.
names() {
	# shellcheck disable=SC2046 # one word an object
	nm -g "$1" $(pure) | awk 'NF >= 2 && NF <= 3 { print $NF }' | sort -u
}

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
names --defined-only >"$work/defined"
echo "$allowed" | tr -s ' \t\n' '\n' | grep . | sort -u - "$work/defined" \
	>"$work/allowed"

# What objects leave open and may not.
strangers() {
	nm -g --undefined-only "$@" | awk 'NF == 2 { print $2 }' | sort -u |
		comm -23 - "$work/allowed"
}

echo 1..3
grep -q -x ledger_apply "$work/defined" &&
	grep -q -x report_text "$work/defined" || printf 'not '
echo 'ok 1 - the objects were read'
strangers report/symbols.o | grep -q -x -e read -e pread || printf 'not '
echo 'ok 2 - one that does call the system is found out'
# shellcheck disable=SC2046 # one word an object
strangers $(pure) >"$work/wrong"
[ ! -s "$work/wrong" ] || printf 'not '
echo 'ok 3 - none of the others does'
sed 's/^/# /' "$work/wrong"
