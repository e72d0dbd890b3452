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
# all files takes a fifth of what a run for each does.
scripts >"$work/scripts"
ok "there are $(wc -l <"$work/scripts") of them" \
	is_between "$(wc -l <"$work/scripts")" 100 1000
# shellcheck disable=SC2046 # a word a file
ok 'all pass' shellcheck -x -e SC2317 $(cat "$work/scripts")
is 'all tests can be run' "$(find tests -name '*.t' ! -perm -100)" ''
finish
