#!/bin/sh
# SPDX-License-Identifier: MIT
# Every shell file passes shellcheck, and every test is executable.
set -u
cd "$(dirname "$0")/../.." || exit 1

number=0
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
	number=$((number + 1))
	if out=$(shellcheck -x -e SC2317 "$file" 2>&1); then
		echo "ok $number - $file"
	else
		echo "not ok $number - $file"
		echo "$out" | sed 's/^/# /'
	fi
done

number=$((number + 1))
stray=$(find tests -name '*.t' ! -perm -100)
[ -z "$stray" ] || printf 'not '
echo "ok $number - all tests can be run $stray"
echo "1..$number"
