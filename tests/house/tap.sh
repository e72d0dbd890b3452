# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced by tests that run in the top directory: gives them TAP and a temporary
# directory.

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

number=0
# ok NAME COMMAND...: good if it succeeds, else what it printed as well.
ok() {
	number=$((number + 1))
	what=$1
	shift
	if "$@" >"$work/out" 2>&1; then
		echo "ok $number - $what"
	else
		echo "not ok $number - $what"
		sed 's/^/# /' "$work/out"
	fi
}
# is NAME GOT WANTED
is() {
	number=$((number + 1))
	[ "$2" = "$3" ] || printf 'not '
	echo "ok $number - $1"
	[ "$2" = "$3" ] || echo "# '$2' instead of '$3'"
}
