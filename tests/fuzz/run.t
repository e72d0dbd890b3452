#!/bin/sh
# SPDX-License-Identifier: MIT
# Every parser of tests/fuzz: first its corpus is replayed, then FUZZ_SECONDS of
# search start from there. An input that breaks a parser is left in
# BUILD/fuzz-found.
set -u
cd "$(dirname "$0")" || exit 1
build=${BUILD:-../../build}
found=$build/fuzz-found
seconds=${FUZZ_SECONDS:-3}

number=0
for source in *.c; do
	name=${source%.c}
	number=$((number + 1))
	new=$(mktemp -d)
	mkdir -p "$found" "corpus/$name"
	if "$build/fuzz/$name" -max_total_time="$seconds" -timeout=10 \
		-artifact_prefix="$found/$name-" "$new" "corpus/$name" \
		>"$found/$name.log" 2>&1; then
		runs=$(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' \
			"$found/$name.log")
		echo "ok $number - $name, $runs inputs"
	else
		echo "not ok $number - $name"
		grep -E 'ERROR|SUMMARY|applet/|tests/fuzz/|written to' \
			"$found/$name.log" | tail -n 9 | sed 's/^/# /'
	fi
	rm -rf "$new"
done
echo "1..$number"
