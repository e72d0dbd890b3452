#!/bin/sh
# SPDX-License-Identifier: MIT
# Every parser of tests/fuzz: its corpus is replayed, by the native program. With
# FUZZ_SECONDS a search of so many starts from there, by libFuzzer; an input that
# breaks a parser is left in BUILD/fuzz-found.
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$(dirname "$0")/../tap.sh"
replay=$BUILD/native/fuzz/replay
search=$BUILD/fuzz/fuzz/search
found=$BUILD/fuzz-found
export ASAN_OPTIONS=handle_abort=1:detect_leaks=0

# What matters of a report: what broke, where in our code, on which input.
clear() {
	"$@" >"$work/log" 2>&1 || {
		grep -E 'ERROR|SUMMARY|applet/|tests/fuzz/|written to' \
			"$work/log" | head -n 20
		false
	}
}

search() {
	mkdir -p "$found" "$work/$1"
	FUZZ_TARGET=$1 clear "$search" -max_total_time="$FUZZ_SECONDS" \
		-timeout=300 -artifact_prefix="$found/$1-" "$work/$1" \
		"$here/corpus/$1"
}

[ -x "$replay" ] || bail "no $replay"
for target in $("$replay"); do
	ok "$target: its corpus" clear "$replay" "$target" \
		"$here/corpus/$target"
	[ "${FUZZ_SECONDS:-0}" = 0 ] ||
		ok "$target: $FUZZ_SECONDS s of search" search "$target"
done
finish
