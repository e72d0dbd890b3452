#!/bin/sh
# SPDX-License-Identifier: MIT
# Every shell file passes shellcheck, and every test is executable.
#
# A file is read without those that it sources, which takes a third of the time.
# A name is no fault then if a sourced file assigns what this one reads, or reads
# what it assigns. MATRIX=all: with those that it sources, for what is only wrong
# in both together: a name of a file that is not sourced, or one like it; what one
# changes in a subshell and the other reads; a function that gets no arguments.
# `make quick` reads those that changed since the last commit but one.
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
# many files takes a fifth of what a run for each does.
check() { xargs -r shellcheck -e SC2317 "$@"; }
# Of the scripts, those to read.
chosen() {
	if ! [ "${QUICK-}" ] || ! git diff --name-only HEAD~1; then
		cat "$work/scripts"
	else
		git ls-files -o --exclude-standard
	fi >"$work/changed" 2>"$work/no-git"
	sed 's,^\(\./\)*,./,' "$work/changed" |
		grep -x -F -f - "$work/scripts"
}

# Of what shellcheck found: each file that it names and did not read; and those
# that are not there.
followed() {
	sed -n 's,^\(.*/\)[^/:]*:.* Not following: \(.*\) was not specified .*,\1 \2,p' \
		"$1" | sort -u | while read -r at path; do
			[ -e "$at$path" ] || at=''
			echo "$at$path"
		done | sort -u
}
missing() {
	while read -r path; do
		[ -e "$path" ] || echo "$path is not there"
	done <"$1"
}
# The names that a file assigns, and those that it reads, a line each.
names() {
	awk '
	function all(what, name,   line, word) {
		for (line = $0; match(line, name); ) {
			word = substr(line, RSTART, RLENGTH)
			line = substr(line, RSTART + RLENGTH)
			gsub(/[^A-Za-z_0-9]/, "", word)
			print what, word
		}
	}
	!/^[\t ]*#/ {
		all("reads", "[$][{]?[A-Za-z_][A-Za-z_0-9]*")
		all("assigns", "(^|[\t (;{])[A-Za-z_][A-Za-z_0-9]*=")
	}
	match($0, /(^|[\t ])(for|read -r) [a-z_0-9 ]+/) {
		n = split(substr($0, RSTART, RLENGTH), words)
		while (n)
			print "assigns", words[n--]
	}'
}
# What was found and is no name of theirs.
faults() {
	awk 'FNR == NR { names[$0]; next }
		/SC1091/ && / was not specified / { next }
		/SC2154/ && "assigns " $3 in names { next }
		/SC2034/ && "reads " $3 in names { next }
		{ print }' "$1" "$2"
}

pass() {
	if [ "${MATRIX-}" = all ]; then
		check -x <"$work/scripts"
		return
	fi
	# No shell runs what is only sourced: these are read together.
	xargs awk 'FNR == 1 { if (!/^#!/) print FILENAME; nextfile }' \
		<"$work/scripts" >"$work/sourced"
	chosen >"$work/chosen"
	grep -x -F -f "$work/sourced" "$work/chosen" |
		check -f gcc >"$work/found" 2>&1
	grep -v -x -F -f "$work/sourced" "$work/chosen" |
		check -f gcc >>"$work/found" 2>&1
	followed "$work/found" >"$work/followed"
	sort -u "$work/sourced" "$work/followed" | xargs cat | names \
		>"$work/names"
	faults "$work/names" "$work/found" >"$work/faults"
	missing "$work/followed" >>"$work/faults"
	[ "${QUICK-}" ] || [ -s "$work/followed" ] || return
	is_empty "$work/faults"
}
# What has passed is not read again.
pass_once() {
	cmp -s "$work/these" "$BUILD/shellcheck.passed" || pass || return
	[ "${QUICK-}" ] || cp "$work/these" "$BUILD/shellcheck.passed"
}

scripts >"$work/scripts"
ok "there are $(wc -l <"$work/scripts") of them" \
	is_between "$(wc -l <"$work/scripts")" 100 1000
{
	echo "${MATRIX-}"
	shellcheck --version
	xargs sha256sum <"$work/scripts"
} >"$work/these"
ok 'all pass' pass_once
is 'all tests can be run' "$(find tests -name '*.t' ! -perm -100)" ''
finish
