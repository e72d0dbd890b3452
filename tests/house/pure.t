#!/bin/sh
# SPDX-License-Identifier: MIT
# ledger/, report/ and config/ do not call the system: they use no file, no
# clock, and only the memory that they are given. Every undefined name in their
# objects must be defined in another one of these objects or be on this list.
set -u
applet=$(cd "$(dirname "$0")/../../applet" && pwd) || exit 1
cd "${BUILD:-$applet/../build}/applet" || exit 1

allowed='arena_take parse_u64 parse_size print_to memcpy
	memset memcmp memmove memchr strlen strnlen strcmp strncmp
	meminfo_sampled'

# Of the sources that are there: a build may hold objects of some that went.
pure() {
	(cd "$applet" && find ledger report config -name '*.c') | sed 's/c$/o/'
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
	grep -q -x report_sections "$work/defined" &&
	grep -q -x options_parse "$work/defined" || printf 'not '
echo 'ok 1 - the objects were read'
strangers output/put.o | grep -q -x write || printf 'not '
echo 'ok 2 - one that does call the system is found out'
# shellcheck disable=SC2046 # one word an object
strangers $(pure) >"$work/wrong"
[ ! -s "$work/wrong" ] || printf 'not '
echo 'ok 3 - none of the others does'
sed 's/^/# /' "$work/wrong"
