# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# TAP for tests in shell: each .t sources this file first, or through lib.sh,
# tracer.sh or driver.sh, and ends with `finish`.
#
# It sets top (the project's directory), here (the test's), work (a temporary
# directory, removed at the end), and where the environment does not set them
# BUILD, and the program as a host has it (MEMSTRACK), for an image (BOOT) and
# with sanitizers (NATIVE).
#
# Python is always /usr/bin/python3, Debian's: another before it in PATH may lack
# the modules, or be a wrapper that takes ten times as long to start.
# shellcheck disable=SC2034 # for the tests
set -u

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 1
top=$(CDPATH='' cd -- "$here/../.." && pwd) || exit 1
BUILD=${BUILD:-$top/build}
MEMSTRACK=${MEMSTRACK:-$BUILD/memstrack}
BOOT=${BOOT:-$BUILD/boot/memstrack}
NATIVE=${NATIVE:-$BUILD/native/memstrack}
export BUILD MEMSTRACK BOOT NATIVE

# The whole file cannot run here.
skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}
# The file cannot go on. (TAP's own word for it would end the whole run.)
bail() {
	echo "not ok - cannot go on: $1"
	exit 1
}
# The rest of the file is not for make quick; is for make check-all.
quick_ends_here() { [ -z "${QUICK-}" ] || finish; }
only_in_check_all() {
	[ "${MATRIX-}" = all ] || skip_all 'only in make check-all'
}

work=$(mktemp -d) || bail 'no temporary directory'
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
test_number=0
failed=0

# ok NAME COMMAND...: passes if the command succeeds. Otherwise what the command
# printed follows, and what on_failure prints, a function of the test's.
ok() {
	test_number=$((test_number + 1))
	what=$1
	shift
	if "$@" >"$work/ok.out" 2>&1; then
		echo "ok $test_number - $what"
		return
	fi
	echo "not ok $test_number - $what"
	failed=$((failed + 1))
	{
		cat "$work/ok.out"
		! command -v on_failure >/dev/null || on_failure
	} | sed 's/^/# /'
}

skip() {
	test_number=$((test_number + 1))
	echo "ok $test_number - $1 # SKIP $2"
}

# is NAME GOT WANTED: the same text; of nothing, too.
is() { ok "$1" equal "$2" "$3"; }
equal() {
	echo "'$1', must be '$2'"
	[ "$1" = "$2" ]
}

finish() {
	echo "1..$test_number"
	exit $((failed > 0))
}

# --- commands for ok -----------------------------------------------------

fails() { ! "$@"; }
# Two texts or numbers are equal; nothing is equal to nothing.
same() {
	echo "'$1', must be '$2'"
	[ "$1" ] && [ "$1" = "$2" ]
}
is_between() {
	echo "${1:-nothing}, must be between $2 and $3"
	[ "$1" ] && [ "$1" -ge "$2" ] && [ "$1" -le "$3" ]
}
is_empty() {
	cat "$1"
	[ ! -s "$1" ]
}
# One line, with this text in it.
one_line() {
	cat "$1"
	[ "$(wc -l <"$1")" = 1 ] && grep -qF -- "$2" "$1"
}
# Its files, each with its mode.
files_of() { (cd "$1" && find . -type f -exec stat -c '%a %n' {} + | sort); }
# A program that needs no interpreter and no library.
is_static() {
	readelf -l -d "$1" >"$work/elf" && grep -q LOAD "$work/elf" &&
		! grep -e INTERP -e NEEDED "$work/elf"
}
# The file has this line; this text in some line.
has() { grep -qxF -- "$2" "$1" || { cat "$1"; false; }; }
holds() { grep -qF -- "$2" "$1" || { cat "$1"; false; }; }
# A report in text, without prefixes, from stdin: its last line counts the
# lines before it.
whole_report() {
	awk '/^memstrack [0-9.]*: .*([,;] [0-9]* lost.*|; sampled)$/ { first = NR }
		/: end of report, [0-9]+ lines$/ { last = NR; lines = $(NF - 1) }
		END {
			print "lines " first " to " last ", " lines " counted"
			exit !(first && last - first == lines)
		}'
}
