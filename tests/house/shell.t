#!/bin/sh
# SPDX-License-Identifier: MIT
# Every shell file passes shellcheck, and every test is executable.
# shellcheck source-path=SCRIPTDIR/.. source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
cd "$top" || exit 1

scripts() {
	# Whatever says so in its first line, or is sourced by name.
	find . -path ./.git -prune -o -path ./build -prune -o -type f \
		-print | sort | while read -r file; do
		case $file in
		*.sh) echo "$file" ;;
		*) head -c 64 "$file" | head -n 1 | tr -d '\0' |
			grep -q '^#!.*[/ ]\(ba\|da\)\{0,1\}sh$' && echo "$file" ;;
		esac
	done
}

# SC2317, unreachable code: functions of a test are called by name.
for file in $(scripts); do
	ok "$file" shellcheck -x -e SC2317 "$file"
done
is 'all tests can be run' "$(find tests -name '*.t' ! -perm -100)" ''
finish
