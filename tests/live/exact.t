#!/bin/sh
# SPDX-License-Identifier: MIT
# Exact to the page: workloads of ours, with known numbers of pages, are charged
# exactly what they hold, with the peak of one instant.
set -u
# shellcheck source-path=SCRIPTDIR source=tracer.sh
. "$(dirname -- "$0")/tracer.sh"

build touch
mkdir "$work/tmpfs"
mount -t tmpfs -o huge=never none "$work/tmpfs" 2>/dev/null ||
	mount -t tmpfs none "$work/tmpfs" || bail "no tmpfs can be mounted"
# Rings for a busy machine: a lost event is no fault here.
start --level=3 --format=json --mem=64M --ring=16M
"$work/touch" "$work/tmpfs" "$memstrack" report >"$work/expected"
ok $? "the workloads went through"
stop TERM
ok $? "the tracer ends well"
report exact "$work/expected" >"$work/results"
ok $? "all reports are whole and balance"
[ -s "$work/results" ] || bail "no results"
while IFS= read -r line; do
	case $line in
	ok\ * | not\ ok\ *)
		case $line in not*) set -- 1 ;; *) set -- 0 ;; esac
		ok "$1" "${line#*- }"
		;;
	*) echo "$line" ;;
	esac
done <"$work/results"
grep -q 'huge pages' "$work/results" ||
	skip "huge pages: this kernel gives none now"
echo "1..$count"
