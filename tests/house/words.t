#!/bin/sh
# SPDX-License-Identifier: MIT
# Each word of FEATURES and APPLETS alone: the binary with it links, and has what
# the word stands for. Only in check-all.
# shellcheck source-path=SCRIPTDIR/.. source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
only_in_check_all
[ "$(id -u)" = 0 ] || skip_all 'only root can trace'
# What is mounted here ends with us.
if [ "${IN_NAMESPACE_OF-}" != $$ ]; then
	IN_NAMESPACE_OF=$$
	export IN_NAMESPACE_OF
	rm -rf "$work"
	exec unshare --mount sh "$0"
fi
events=/sys/kernel/tracing/events/kmem/mm_page_alloc
[ -d $events ] || mount -t tracefs none /sys/kernel/tracing 2>/dev/null
[ -d $events ] || skip_all 'no page events: tracefs is missing'
cd "$top" || exit 1
unset MAKEFLAGS MAKELEVEL	# of a make that runs the tests
# Behind the three bytes that tell the fuzzer of a report.
tail -c +4 tests/fuzz/corpus/report/boot >"$work/trace"

words() { sed -n "s/^ALL_$1 = //p" Makefile; }
# with WORD...: the binary that has these words.
with() {
	name=$(echo "$@" | tr ' ' +)
	make -s BUILD="$BUILD" "$BUILD/words/$name/memstrack" >"$work/log" 2>&1 ||
		{ cat "$work/log"; return 1; }
	program=$BUILD/words/$name/memstrack
}
# The program says nothing of what is "not in this build".
is_here() {
	timeout 20 "$program" "$@" >"$work/out" 2>"$work/err" </dev/null
	! grep -q 'not in this build' "$work/err" || { cat "$work/err"; false; }
}
# traces ARGUMENT...: for two seconds, and reports. (The last command of a
# subshell may take its place, and would give the lock up.)
traces() {
	(
		flock 9
		timeout -s TERM 2 "$program" "$@" 9>&-
		:
	) 9>"${TMPDIR:-/tmp}/memstrack-live.lock" >"$work/out" 2>"$work/err"
	cat "$work/err"
	grep -q . "$work/out"
}
works() {
	with "$1" || return
	"$program" --version | grep -q '^memstrack [0-9]' || return
	case $1 in
	tracefs) traces --backend=ftrace && grep -q 'by ftrace' "$work/out" ;;
	samples) traces --backend=sampled && grep -q sampled "$work/out" ;;
	slab) traces --slab && grep -q '^slab ' "$work/out" ;;
	ram) traces --level=3 && grep -q '^ram ' "$work/out" ;;
	json) traces --format=json && grep -q '^{"type":"head"' "$work/out" ;;
	sections) traces --report=module_summary && ! grep -q '^report ' "$work/out" ;;
	record) traces record "$work/made" && [ -s "$work/made" ] ;;
	before | live) traces ;;
	replay) "$program" replay "$work/trace" >"$work/out" &&
		grep -q ': end of report, ' "$work/out" ;;
	folded | prometheus | svg | chrome)
		with "$1" replay &&
			"$program" replay "$work/trace" --format="$1" \
				--out="$work/picture" && [ -s "$work/picture" ] ;;
	run) is_here run true ;;
	*) is_here "$1" /dev/null ;;
	esac
}
for word in $(words FEATURES) $(words APPLETS); do
	ok "$word: alone" works "$word"
done
ok 'a word that is not there is refused' fails is_here diff /dev/null
finish
