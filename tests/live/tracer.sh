# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced first by the tests that run memstrack on this kernel. It skips a test
# if the kernel lacks something; it runs the test in a mount namespace, so that
# no mount remains; and it has functions for a tracer and for TAP. Tests run one
# at a time, because one tracer runs in a kernel.

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$here/tap.sh"
starts=0
tracer=

bail() {
	echo "Bail out! $1"
	exit 1
}

# check NAME COMMAND...: ok if it succeeds, else what it printed as well.
check() {
	checked=$1
	shift
	"$@" >"$work/said" 2>&1
	set -- $?
	ok "$1" "$checked"
	[ "$1" = 0 ] || sed 's/^/# /' "$work/said"
}

# is NAME GOT WANTED
is() {
	[ "$2" = "$3" ]
	set -- $? "$@"
	ok "$1" "$2"
	[ "$1" = 0 ] || echo "# '$3' instead of '$4'"
}

# one_line FILE TEXT: nothing but one line, with this text in it.
# Nothing in it.
is_empty() {
	cat "$1"
	[ ! -s "$1" ]
}

one_line() {
	cat "$1"
	[ "$(wc -l <"$1")" = 1 ] && grep -qF -- "$2" "$1"
}

skip() {
	count=$((count + 1))
	echo "ok $count # SKIP $1"
}

[ "$(id -u)" = 0 ] || skip_all "needs root, to trace"
unshare --mount true 2>/dev/null ||
	skip_all "unshare cannot make mount namespaces"
if [ "${IN_NAMESPACES_OF-}" != $$ ]; then
	IN_NAMESPACES_OF=$$
	export IN_NAMESPACES_OF
	exec unshare --mount sh "$0" "$@"
fi

events=/sys/kernel/tracing/events/kmem
[ -d $events ] || mount -t tracefs none /sys/kernel/tracing 2>/dev/null
[ -d $events/mm_page_alloc ] || skip_all "no page events: tracefs is missing"
[ -e /proc/sys/kernel/perf_event_paranoid ] ||
	skip_all "this kernel has no perf events"

memstrack=${MEMSTRACK:-$here/../../build/memstrack}
[ -x "$memstrack" ] || bail "$memstrack is not there"

work=$(mktemp -d) || exit 1
clean_up() {
	# shellcheck disable=SC2086 # one word a pid
	kill -KILL $tracer ${helper-} 2>/dev/null
	umount -q "$work"/* 2>/dev/null
	rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 1' HUP INT TERM

# build NAME: a helper program beside the tests, into the work folder.
build() {
	"${CC:-musl-gcc}" -std=gnu11 -D_GNU_SOURCE= -O1 -Wall -Wextra -static \
		-pthread -o "$work/$1" "$here/$1.c" ||
		bail "$1.c does not build"
}

# until_true COMMAND...: waits for it. What never comes ends the test.
until_true() {
	tries=0
	until "$@" 2>/dev/null; do
		tries=$((tries + 1))
		[ $tries -lt 400 ] || bail "this never came: $*"
		sleep 0.05
	done
}

# hold PAGES: $holder takes so many and keeps them until descriptor 9 is closed;
# then $helper ends.
hold() {
	rm -f "$work/holds"	# where the last one said its pid
	mkfifo "$work/fifo"
	"$work/churn" hold "$1" <"$work/fifo" >"$work/holds" &
	helper=$!
	exec 9>"$work/fifo"
	until_true grep -q held "$work/holds"
	# shellcheck disable=SC2034 # for the tests
	read -r holder _ <"$work/holds"
}

# start OPTION...: a tracer, its pid in $tracer, its reports in $out. It has
# answered: its sources are open, it catches signals; the first report is in.
start() {
	starts=$((starts + 1))
	out=$work/report.$starts
	"$memstrack" trace --out="$out" "$@" 2>"$work/stderr" &
	tracer=$!
	until_true answers
}

answers() {
	kill -0 "$tracer" 2>/dev/null || {
		sed 's/^/# /' "$work/stderr"
		bail "the tracer does not run"
	}
	"$memstrack" report
}

# The tracer hears signals: it blocks them, to read them from a descriptor,
# when all is open, and none is lost from then on. HUP, INT, USR1, USR2, PIPE
# and TERM are 1, 2, 10, 12, 13 and 15.
catches_signals() {
	grep -q '^SigBlk:.*5a03$' "/proc/$tracer/status"
}

# stop SIGNAL: its end, and its exit status.
stop() {
	kill -s "$1" "$tracer"
	wait "$tracer"
	set -- $?
	tracer=
	return "$1"
}

# reports_are NUMBER [FILE]: so many have ended.
reports_are() {
	[ "$(grep -c '^{"type":"end"' "${2:-$out}")" = "$1" ]
}

# report CHECK [ARG...]: of the reports in $out; see report.py.
report() {
	python3 -B "$here/report.py" "$out" "$@"
}
