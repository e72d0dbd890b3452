#!/bin/sh
# SPDX-License-Identifier: MIT
# Exact to the page: workloads of ours, with known numbers of pages, are charged
# exactly what they hold, with the peak of one instant.
# shellcheck source=tests/live/tracer.sh
. "$(dirname -- "$0")/tracer.sh"

build touch
# Rings for a busy machine: a lost event is no fault here.
new_out
begin record "$work/trace" --level=3 --format=json --mem=128M --ring=64M \
	--out="$out"
"$memstrack" report
workloads() {
	taskset -c "$(a_cpu)" "$work/touch" "$memstrack" report \
		>"$work/expected"
}
ok "the workloads go through" workloads
ok "the tracer ends well" stop TERM
python3 -B "$here/exact.py" "$out" "$work/trace" "$work/expected" \
	>"$work/results" || bail "no results"
# The lines of what is wrong follow theirs.
while IFS= read -r line; do
	case $line in
	'#'*) echo "$line" ;;
	*) ok "${line#*ok }" test "${line%%ok *}" = '' ;;
	esac
done <"$work/results"
ok "there are results" test -s "$work/results"
grep -q 'huge pages' "$work/results" ||
	skip "huge pages" "this kernel gives none now"
finish
