#!/bin/sh
# SPDX-License-Identifier: MIT
# PID 1: whatever the tracer does, the right real init runs, with everything
# that the kernel gave. Errors are reported in the kernel log.
# shellcheck source-path=SCRIPTDIR source=driver.sh
. "$(dirname -- "$0")/driver.sh"

root=$work/root
# A fresh root with the inits named, each a program of its own; /dev/kmsg is a
# fifo that is held open, so that all that was said is read afterwards.
fresh() {
	exec 8>&-
	rm -rf "$root"
	mkdir -p "$root/dev" "$root/cwd" "$root/sbin" "$root/etc" "$root/bin"
	cp "$work/driver" "$root/driver"
	for init; do
		cp "$work/driver" "$root$init"
	done
	mkfifo "$root/dev/kmsg"
	exec 8<>"$root/dev/kmsg"
}

# run [NAME=VALUE…] MODE [ARGS…]: what it says is in $work/said.
run() {
	set -- "$@"
	named=
	while case $1 in *=*) ;; *) false ;; esac do
		named="$named $1"
		shift
	done
	# shellcheck disable=SC2086 # words
	env -i PATH="$PATH" A=1 "B=x  y" $named unshare --pid --fork --mount \
		--kill-child $around chroot "$root" /driver "$@" \
		7</dev/null 2>"$work/stderr"
	said kmsg
}
around=

said() {
	dd if="$root/dev/$1" iflag=nonblock of="$work/said" 2>/dev/null
}

# ran NAME INIT: this init was executed.
ran() { ok "$1" has "$root/init-ran" "$2"; }
init_sees() { ok "$1" has "$root/init-ran" "$2"; }
child_sees() { ok "$1" has "$root/child" "$2"; }
says() { ok "and it is said: $1" holds "$work/said" "$1"; }
says_line() { ok "and it is said: $1" has "$work/said" "$1"; }
silent() { ok "$1" is_empty "$work/said"; }
unchanged() { ok "$1" cmp "$root/before" "$root/after"; }

# --- a tracer that does its part

fresh /init /sbin/init
run ready one 'two  words' '' --
ran "ready: /init is executed" /init
unchanged "arguments, environment, descriptors, signals, directory, session: \
unchanged"
ok "a blocked signal stays so" holds "$root/after" "(SIGUSR2) is blocked"
ok "an argument stays one" has "$root/after" "arg 3 is 'two  words'"
silent "and nothing is said"
child_sees "the tracer leads its own session" "leads its session: 1"
child_sees "no SIGPIPE ends the tracer" "SIGPIPE blocked: 1"
child_sees "nor SIGUSR1, by which PID 1 asks, however late the tracer is" \
	"SIGUSR1 blocked: 1"
child_sees "it is called memstrack" "comm memstrack"

fresh /init
run ready <&- >&-
ran "no console: /init is executed" /init
unchanged "and gets no descriptor of ours"
child_sees "the pipe does not pass for a console" "ready_fd above 2: 1"

# --- a tracer that does not

# ends MODE NAME: nothing of the tracer remains, and init runs.
ends() {
	fresh /init
	run "$1"
	ran "$2: /init is executed" /init
	init_sees "and nothing remains of the tracer" "child 0"
}
ends leave "no tracing"
silent "and nothing is said"
ends crash "crash"
says_line "<3>memstrack: the tracer died of signal 9: this boot is not traced"
unchanged "and signals are as before"
ends close "one that closes the pipe and stays"
ok "after one look, at most" grep -qx "waited [05] ms" "$root/init-ran"

# late MODE NAME TEXT: init runs after the time promised.
late() {
	fresh /init
	run "$1"
	ran "$2: /init is executed" /init
	init_sees "at the end of the time promised" "waited 1800 ms"
	says "$3 after 1800 ms"
	init_sees "and init has the tracer to reap" "child 1"
}
late hang "one that hangs" "not ready"
late slow-exit "one whose exit takes long" "not ended"

fresh /init /bin/na
run cut
ran "a path that is cut off: the next is executed" /init

fresh /init
run garbage
ran "garbage in the pipe: /init is executed" /init

fresh /init
run no-fork
ran "no fork: /init is executed" /init
says_line "<3>memstrack: no tracer: Resource temporarily unavailable:\
 this boot is not traced"

fresh /init
run no-pipe
ran "no pipe: /init is executed" /init
ok "and it is said where that is possible" holds "$work/stderr" \
	"memstrack: no tracer: Too many open files: "

# --- which init

for mode in ready leave crash hang; do
	fresh /init /bin/named
	run NAMED=/bin/named $mode
	ran "rd.memstrack.init= is executed: $mode" /bin/named
done

set -- /init /sbin/init /etc/init /bin/init /bin/sh
fresh "$@"
while [ $# -gt 0 ]; do
	run ready
	ran "$1 is executed if it is the first" "$1"
	silent "absent ones are not worth a word"
	rm -f "$root$1" "$root/init-ran"
	shift
done
run asked
ok "no init: comes back with the errno" has "$root/returned" 2 # ENOENT
says "no init could be executed"
ok "and the tracer is asked for a report" [ -e "$root/asked" ]

fresh /sbin/init
run NAMED=/no/such ready
ran "a named init that is absent: the next is executed" /sbin/init
says_line "<3>memstrack: exec /no/such: No such file or directory"

fresh /sbin/init
cp "$work/driver" "$root/cwd/relative"
run NAMED=relative ready
ran "a named init that is no absolute path: the next is executed" /sbin/init

fresh /init /sbin/init
run NAMED="/$(printf '%0300d' 0)" ready
ran "a path too long: the next is executed" /init

fresh /init /sbin/init
chmod 644 "$root/init"
run ready
ran "/init that is not executable: the next is executed" /sbin/init
says_line "<3>memstrack: exec /init: Permission denied"

fresh /sbin/init
echo '#!/no/shell' >"$root/init"
chmod 755 "$root/init"
run ready
ran "/init without its interpreter: the next is executed" /sbin/init
says "exec /init: No such file or directory (it is there"

fresh /sbin/init
ln "$root/driver" "$root/init"
run ready
ran "/init that is memstrack itself: the next is executed" /sbin/init
silent "and nothing is said"

fresh /sbin/init
run NAMED=/driver ready
ran "rd.memstrack.init= that is memstrack itself: the next one" /sbin/init
says_line "<3>memstrack: exec /driver: this is memstrack itself"

# --- where it is said

fresh
rm -r "${root:?}/dev"
run NAMED="/no/such-$$" ready
if dmesg >"$work/said" 2>/dev/null; then
	ok "without /dev/kmsg, the kernel log all the same" \
		holds "$work/said" "memstrack: exec /no/such-$$"
else
	skip "without /dev/kmsg" "the kernel log cannot be read"
fi
find "$root" -name '.memstrack*' >"$work/nodes"
ok "and the node for it is gone" is_empty "$work/nodes"

if setpriv --bounding-set -mknod true 2>/dev/null; then
	around="setpriv --bounding-set -mknod"
	line="memstrack: exec /no/such: No such file or directory"
	fresh
	mv "$root/dev/kmsg" "$root/dev/console"
	run NAMED=/no/such ready
	said console
	ok "no kernel log: the console, without the level" \
		has "$work/said" "$line"
	rm "$root/dev/console"
	run NAMED=/no/such ready
	ok "no console: standard error" has "$work/stderr" "$line"
	around=
else
	skip "no kernel log" "setpriv cannot drop a capability"
	skip "no console" "setpriv cannot drop a capability"
fi

# --- the tracer's own root

mkdir -p "$work/tmpfs"
# shellcheck disable=SC2016 # the inner shell's
unshare --pid --fork --mount --kill-child sh -c '
	mount -t tmpfs none "$1/tmpfs" &&
	cp "$1/driver" "$1/tmpfs/driver" && cp "$1/driver" "$1/tmpfs/init" &&
	mkdir "$1/tmpfs/cwd" || exit
	for file in child init-ran; do
		: >"$1/$file" && : >"$1/tmpfs/$file" &&
		mount --bind "$1/$file" "$1/tmpfs/$file" || exit
	done
	exec "$1/tmpfs/driver" enter "$1/tmpfs" /driver mounts' sh "$work"
format=/sys/kernel/tracing/events/kmem/mm_page_alloc/format
grep -qw tracefs /proc/filesystems || format=
for path in /proc/self/stat /proc/1/root/driver /sys/kernel /dev/kmsg \
	/dev/console /dev/null $format; do
	ok "own root: has $path" has "$work/child" "$path: yes"
done
ok "own root: is not PID 1's" has "$work/child" "/driver: no"
ok "and nothing of it in PID 1's" has "$work/init-ran" "made in our root 000"
ok "and that is no failure" has "$work/child" "mounts_private 0"

exec 8>&-
finish
