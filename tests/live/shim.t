#!/bin/sh
# SPDX-License-Identifier: MIT
# PID 1: whatever the tracer does, the right real init runs, with everything
# that the kernel gave. Errors are reported in the kernel log. (Without a pipe
# or a fork: faults.t.)
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

# run NAMED MODE [ARGS…]: what it says is in $work/said. NAMED is the path of
# rd.memstrack.init=, or empty.
run() {
	named=${1:+NAMED=$1}
	shift
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

# boots NAME INIT NAMED MODE [ARGS…]: this init is executed.
boots() {
	name=$1 init=$2
	shift 2
	run "$@"
	init_sees "$name: $init is executed" "$init"
}
init_sees() { ok "$1" has "$root/init-ran" "$2"; }
child_sees() { ok "$1" has "$root/child" "$2"; }
says() { ok "and it is said: $1" holds "$work/said" "$1"; }
says_line() { ok "and it is said: $1" has "$work/said" "$1"; }
silent() { ok "and nothing is said" is_empty "$work/said"; }
unchanged() { ok "$1" cmp "$root/before" "$root/after"; }

# --- a tracer that does its part

fresh /init /sbin/init
boots ready /init '' ready one 'two  words' '' --
unchanged "arguments, environment, descriptors, signals, directory, session: \
unchanged"
ok "a blocked signal stays so" has "$root/after" "signal 12 is blocked"
ok "an argument stays one" has "$root/after" "arg 3 is 'two  words'"
silent
child_sees "the tracer leads its own session" "leads its session: 1"
child_sees "no SIGPIPE ends the tracer" "SIGPIPE blocked: 1"
child_sees "nor SIGUSR1, by which PID 1 asks, however late the tracer is" \
	"SIGUSR1 blocked: 1"
child_sees "it is called memstrack" "comm memstrack"

fresh /init
run '' ready <&- >&-
init_sees "no console: /init is executed" /init
unchanged "and gets no descriptor of ours"
child_sees "the pipe does not pass for a console" "ready_fd above 2: 1"

# --- a tracer that does not

# ends MODE NAME: nothing of the tracer remains, and init runs.
ends() {
	fresh /init
	boots "$2" /init '' "$1"
	init_sees "and nothing remains of the tracer" "child 0"
}
ends leave "no tracing"
silent
ends crash "crash"
says_line "<3>memstrack: the tracer died of signal 9: this boot is not traced"
unchanged "and signals are as before"
ends close "one that closes the pipe and stays"
ok "after one look, at most" grep -qx "waited [05] ms" "$root/init-ran"

# late MODE NAME TEXT: init runs after the time promised.
late() {
	fresh /init
	boots "$2" /init '' "$1"
	init_sees "at the end of the time promised" "waited 1800 ms"
	says "$3 after 1800 ms"
	init_sees "and init has the tracer to reap" "child 1"
}
late hang "one that hangs" "not ready"
late slow-exit "one whose exit takes long" "not ended"

fresh /init /bin/na
boots "a path that is cut off" /init '' cut
fresh /init
boots "garbage in the pipe" /init '' garbage

# --- which init

for mode in ready leave crash hang; do
	fresh /init /bin/named
	boots "rd.memstrack.init=, $mode" /bin/named /bin/named $mode
done

set -- /init /sbin/init /etc/init /bin/init /bin/sh
fresh "$@"
for init; do
	boots "the first that is there" "$init" '' ready
	silent
	rm -f "$root$init" "$root/init-ran"
done
run '' asked
ok "no init: comes back with the errno" has "$root/returned" 2 # ENOENT
says "no init could be executed"
ok "and the tracer is asked for a report" [ -e "$root/asked" ]

fresh /sbin/init
boots "a named init that is absent" /sbin/init /no/such ready
says_line "<3>memstrack: exec /no/such: No such file or directory"

cp "$work/driver" "$root/cwd/relative"
boots "a named init that is no absolute path" /sbin/init relative ready
boots "a path too long" /sbin/init "/$(printf '%0300d' 0)" ready

fresh /init /sbin/init
chmod 644 "$root/init"
boots "/init that is not executable" /sbin/init '' ready
says_line "<3>memstrack: exec /init: Permission denied"

fresh /sbin/init
echo '#!/no/shell' >"$root/init"
chmod 755 "$root/init"
boots "/init without its interpreter" /sbin/init '' ready
says "exec /init: No such file or directory (it is there"

fresh /sbin/init
ln "$root/driver" "$root/init"
boots "/init that is memstrack itself" /sbin/init '' ready
silent
boots "rd.memstrack.init= that is memstrack itself" /sbin/init /driver ready
says_line "<3>memstrack: exec /driver: this is memstrack itself"

# --- where it is said

fresh
rm -r "${root:?}/dev"
run "/no/such-$$" ready
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
	run /no/such ready
	said console
	ok "no kernel log: the console, without the level" \
		has "$work/said" "$line"
	rm "$root/dev/console"
	run /no/such ready
	ok "no console: standard error" has "$work/stderr" "$line"
	around=
else
	skip "no kernel log, no console" "setpriv cannot drop a capability"
fi

# --- the tracer's own root

mkdir -p "$work/tmpfs"
format=/sys/kernel/tracing/events/kmem/mm_page_alloc/format
grep -qw tracefs /proc/filesystems || format=
has="/proc/self/stat /proc/1/root/driver /sys/kernel /dev/kmsg /dev/console
	/dev/null $format"
# shellcheck disable=SC2016,SC2086 # the inner shell's; words
unshare --pid --fork --mount --kill-child sh -c '
	mount -t tmpfs none "$1/tmpfs" &&
	cp "$1/driver" "$1/tmpfs/driver" && cp "$1/driver" "$1/tmpfs/init" &&
	mkdir "$1/tmpfs/cwd" || exit
	for file in child init-ran; do
		: >"$1/$file" && : >"$1/tmpfs/$file" &&
		mount --bind "$1/$file" "$1/tmpfs/$file" || exit
	done
	root=$1/tmpfs
	shift
	exec "$root/driver" enter "$root" /driver mounts "$@"' sh "$work" \
	$has /driver
for path in $has; do
	ok "own root: has $path" has "$work/child" "$path: yes"
done
ok "own root: is not PID 1's" has "$work/child" "/driver: no"
ok "and nothing of it in PID 1's" has "$work/init-ran" "made in our root 000"
ok "and that is no failure" has "$work/child" "mounts_private 0"

exec 8>&-
finish
