#!/bin/sh
# SPDX-License-Identifier: MIT
# ledger/, report/ and config/ do not call the system: they use no file, no
# clock, and only the memory that they are given. Every undefined name in their
# objects must be defined in another one of these objects or be on this list.
# shellcheck source-path=SCRIPTDIR/.. source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
cd "$BUILD/applet" || exit 1

allowed='arena_take parse_u64 parse_size print_to memcpy
	memset memcmp memmove memchr strlen strnlen strcmp strncmp
	meminfo_sampled kept_names'

# Of the sources that are there: a build may hold objects of some that went.
pure() {
	(cd "$top/applet" && find ledger report config -name '*.c') |
		sed 's/c$/o/'
}
# Names that they define.
names() {
	# shellcheck disable=SC2046 # one word an object
	nm -g "$1" $(pure) | awk 'NF >= 2 && NF <= 3 { print $NF }' | sort -u
}
names --defined-only >"$work/defined"
echo "$allowed" | tr -s ' \t\n' '\n' | grep . | sort -u - "$work/defined" \
	>"$work/allowed"

# What objects leave open and may not.
strangers() {
	nm -g --undefined-only "$@" | awk 'NF == 2 { print $2 }' | sort -u |
		comm -23 - "$work/allowed"
}

for name in ledger_apply report_sections options_parse; do
	ok "the object with $name was read" has "$work/defined" $name
done
ok 'one that does call the system is found out' \
	eval 'strangers output/put.o | grep -q -x write'
# shellcheck disable=SC2046 # one word an object
is 'none of the others does' "$(strangers $(pure))" ''
finish
