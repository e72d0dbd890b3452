# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced first by the tests that run memstrack on this kernel. It skips a test
# if the kernel lacks something; it runs the test in a mount namespace, so that
# no mount remains; and it has functions for a tracer. Tests run one at a time,
# because one tracer runs in a kernel.

if [ "${IN_NAMESPACE_OF-}" != $$ ] && unshare --mount true 2>/dev/null; then
	IN_NAMESPACE_OF=$$
	export IN_NAMESPACE_OF
	exec unshare --mount sh "$0" "$@"
fi
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
[ "${IN_NAMESPACE_OF-}" = $$ ] ||
	skip_all "needs root, to trace, and mount namespaces"

events=/sys/kernel/tracing/events/kmem
[ -d $events ] || mount -t tracefs none /sys/kernel/tracing 2>/dev/null
[ -d $events/mm_page_alloc ] || skip_all "no page events: tracefs is missing"
[ -e /proc/sys/kernel/perf_event_paranoid ] ||
	skip_all "this kernel has no perf events"

memstrack=$MEMSTRACK
[ -x "$memstrack" ] || bail "$memstrack is not there"
starts=0
tracer=
helper=

clean_up() {
	# shellcheck disable=SC2086 # one word a pid
	kill -KILL $tracer $helper 2>/dev/null
	umount -q "$work"/* 2>/dev/null
	rm -rf "$work"
}
trap clean_up EXIT

# build NAME: a helper program beside the tests, into the work folder.
build() {
	"${CC:-musl-gcc}" -std=gnu11 -D_GNU_SOURCE= -O1 -Wall -Wextra -static \
		-pthread -o "$work/$1" "$here/$1.c" ||
		bail "$1.c does not build"
}

# new_tmpfs NAME [OPTIONS]: one of the test's own, $work/NAME.
new_tmpfs() {
	mkdir -p "$work/$1"
	set -- "$work/$1" "${2-mode=755}"
	mount -t tmpfs -o "$2,huge=never" none "$1" 2>/dev/null ||
		mount -t tmpfs -o "$2" none "$1" || bail "no tmpfs"
}

# a_cpu: a CPU on which we may run.
a_cpu() {
	taskset -cp $$ | sed 's/.*[: ]\([0-9]*\).*/\1/'
}

# until_true COMMAND...: waits for it, however busy the machine is. A hang is
# named by the limit that the whole file has.
until_true() {
	until "$@" 2>/dev/null; do
		[ -z "$tracer" ] || kill -0 "$tracer" 2>/dev/null ||
			bail "the tracer ended: $(cat "$work/stderr")"
		sleep 0.05
	done
}

# hold PAGES: $holder takes so many and keeps them until let_go.
hold() {
	rm -f "$work/fifo" "$work/holds"
	mkfifo "$work/fifo"
	"$work/churn" hold "$1" <"$work/fifo" >"$work/holds" &
	helper="$helper $!"
	exec 9>"$work/fifo"
	until_true grep -q held "$work/holds"
	# shellcheck disable=SC2034 # for the tests
	read -r holder _ <"$work/holds"
}
# The last holder ends.
let_go() {
	exec 9>&-
	wait "${helper##* }"
	helper=${helper% *}
}

# busy COUNT: work for the tracer: processes, page cache, so often 64 KiB.
busy() {
	for n in 1 2 3; do
		sh -c "ls -R /proc/self /etc >/dev/null 2>&1; : $n"
	done
	dd if=/dev/zero of="$work/file" bs=64k count="$1" 2>/dev/null
	rm "$work/file"
}

# memory: what of the tracer's must stay as it is.
memory() {
	grep -E '^Vm(Size|Lck|RSS|HWM|Stk|Data):' "/proc/$tracer/status"
}

# losses CHECK ARG...: see losses.py.
losses() {
	/usr/bin/python3 -B "$here/losses.py" "$@"
}
# look: one report alone in $out.
look() {
	: >"$out"
	"$memstrack" report
}
# All of the machine's pages.
all_pages() {
	echo $(($(awk '/^MemTotal:/ { print $2 }' /proc/meminfo) * 1024 /
		$(getconf PAGESIZE)))
}

need_strace() {
	command -v strace >/dev/null || "$top/tests/need" strace >&2 ||
		skip_all "no strace"
}
# A tracer under this: its system calls in $work/strace, from the first on.
under=
# shellcheck disable=SC2034 # for the tests
straced="strace -D -f -o $work/strace"
strace_is_whole() {
	grep -q '+++ exited with' "$work/strace"
}

# spy CALLS: these system calls of the tracer go to $work/strace until spy_ends.
spy() {
	strace -f -y -e trace="$1" -p "$tracer" -o "$work/strace" \
		2>"$work/spy" &
	spy=$!
	until_true grep -q attached "$work/spy"
}
spy_ends() {
	kill "$spy"
	wait "$spy" 2>/dev/null
}

# nobody COMMAND...: as a user who is not root.
nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

# common_folder PROGRAM...: $common, where nobody finds these and may write.
common_folder() {
	common=$work/common
	mkdir "$common"
	cp "$@" "$common"
	chmod 755 "$work"
	chmod 1777 "$common"
}

# is_answered COMMAND...: one report is there when it returns, and nothing is
# said.
is_answered() {
	before=$(grep -c '^{"type":"end"' "$out")
	"$@" >"$work/line" 2>&1 && reports_are $((before + 1)) &&
		is_empty "$work/line"
}
ten_requests() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		is_answered "$memstrack" report || return 1
	done
}

# begin ARG...: memstrack with these arguments, its pid in $tracer. It hears
# signals: all is open then.
begin() {
	# shellcheck disable=SC2086 # words
	$under "$memstrack" "$@" 2>"$work/stderr" &
	tracer=$!
	until_true catches_signals
}

# It blocks them, to read them from a descriptor, when all is open, and none is
# lost from then on. HUP, INT, USR1, USR2, PIPE and TERM are 1, 2, 10, 12, 13
# and 15; a client of another tracer hears HUP, INT and TERM. proc: where the
# real /proc is, if another one is given to the tracer.
catches_signals() {
	grep -q '^SigBlk:.0000.*[13579bdf]$' "${proc:-/proc}/$tracer/status"
}

# The tracer's pid here, as who would trace too is told.
pid_of_tracer() {
	"$memstrack" trace 2>&1 |
		sed -n 's/.* pid \([0-9]*\) traces already$/\1/p'
}

# new_out: $out, where the next tracer's reports go.
new_out() {
	starts=$((starts + 1))
	out=$work/report.$starts
}

# start OPTION...: a tracer, its reports in $out. The first one is in.
start() {
	new_out
	begin trace --out="$out" "$@"
	until_true "$memstrack" report
}

# stop SIGNAL: its end, and its exit status.
stop() {
	kill -s "$1" "$tracer"
	ended
}
# ended: the same by a signal that was sent.
ended() {
	wait "$tracer"
	set -- $?
	tracer=
	return "$1"
}

# at_once SIGNAL...: they wait for a tracer that is stopped meanwhile.
at_once() {
	kill -STOP "$tracer"
	for each; do
		kill -s "$each" "$tracer"
	done
	kill -CONT "$tracer"
}

# reports_are NUMBER [FILE]: so many have ended.
reports_are() {
	[ "$(grep -c '^{"type":"end"' "${2:-$out}")" = "$1" ]
}

# report CHECK [ARG...]: of the reports in $out; see report.py.
report() {
	/usr/bin/python3 -B "$here/report.py" "$out" "$@"
}

# says NAME STATUS TEXT COMMAND...: it ends with this status and prints one
# line, with this text in it, to standard error, and nothing else.
says() {
	says_what=$1
	shift
	ok "$says_what" ends_saying "$@"
}
ends_saying() {
	wanted=$1 text=$2
	shift 2
	echo "of: $*"
	"$@" >"$work/stdout" 2>"$work/line"
	same $? "$wanted" && one_line "$work/line" "$text" &&
		is_empty "$work/stdout"
}

# A kernel log of this test alone.
own_kernel_log() {
	: >"$work/kmsg"
	mount --bind "$work/kmsg" /dev/kmsg ||
		skip_all "no /dev/kmsg that another can be mounted on"
}
