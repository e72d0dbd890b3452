#!/bin/sh
# SPDX-License-Identifier: MIT
# Every shell file passes shellcheck, and every test is executable.
# shellcheck source-path=SCRIPTDIR/.. source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
cd "$top" || exit 1

# Whatever says so in its first line, or is sourced by name.
scripts() {
	find . -path ./.git -prune -o -path ./build -prune -o -type f \
		-exec awk 'FILENAME ~ /\.sh$/ || \
			/^#!.*[\/ ](ba|da)?sh$/ { print FILENAME } { nextfile }' \
		{} + | sort
}

# SC2317, unreachable code: functions of a test are called by name. One run for
# all files takes a fifth of what a run for each does, and is not made again for
# what has passed.
scripts >"$work/scripts"
ok "there are $(wc -l <"$work/scripts") of them" \
	is_between "$(wc -l <"$work/scripts")" 100 1000
{ shellcheck --version; xargs sha256sum <"$work/scripts"; } >"$work/these"
pass() {
	cmp -s "$work/these" "$BUILD/shellcheck.passed" ||
		xargs shellcheck -x -e SC2317 <"$work/scripts" || return
	cp "$work/these" "$BUILD/shellcheck.passed"
}
ok 'all pass' pass
is 'all tests can be run' "$(find tests -name '*.t' ! -perm -100)" ''
finish
