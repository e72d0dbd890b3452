#!/bin/sh
# SPDX-License-Identifier: MIT
# PID 1: whatever the tracer does, the right real init runs, with everything
# that the kernel gave. Errors are reported in the kernel log.
set -u
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

# run [NAME=VALUE…] MODE [ARGS…]
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
	said
}
around=

said() {
	dd if="$root/dev/kmsg" iflag=nonblock of="$work/said" 2>/dev/null
}

# ran INIT NAME: this init was executed.
ran() {
	touch "$root/init-ran"
	has "$root/init-ran" "$1" "$2"
}

silent() {
	ok "$(wc -c <"$work/said")" "$1"
}

# --- a tracer that does its part

fresh /init /sbin/init
run ready one 'two  words' '' --
ran /init "ready: /init is executed"
sed -n '/^arg/d;p' "$root/before" >"$work/before"
sed -n '/^arg/d;p' "$root/after" >"$work/after"
cmp -s "$work/before" "$work/after"
ok $? "environment, descriptors, signals, directory, session: unchanged"
holds "$root/after" "(SIGUSR2) is blocked" "a blocked signal stays so"
has "$root/after" "arg 3 is 'two  words'" "arguments are unchanged"
cmp -s "$root/before" "$root/after"
ok $? "all of them"
silent "and nothing is said"
has "$root/child" "leads its session: 1" "the tracer leads its own session"
has "$root/child" "SIGPIPE blocked: 1" "no SIGPIPE ends the tracer"
has "$root/child" "SIGUSR1 blocked: 1" \
	"nor SIGUSR1, by which PID 1 asks, however late the tracer is"
has "$root/child" "comm memstrack" "it is called memstrack"

fresh /init
run ready <&- >&-
ran /init "no console: /init is executed"
cmp -s "$root/before" "$root/after"
ok $? "and gets no descriptor of ours"
has "$root/child" "ready_fd above 2: 1" "the pipe does not pass for a console"

# --- a tracer that does not

fresh /init
run leave
ran /init "no tracing: /init is executed"
has "$root/init-ran" "child 0" "and nothing remains of the tracer"
silent "and nothing is said"

fresh /init
run crash
ran /init "crash: /init is executed"
has "$root/init-ran" "child 0" "and nothing remains of the tracer"
has "$work/said" \
	"<3>memstrack: the tracer died of signal 9: this boot is not traced" \
	"and it is said"
cmp -s "$root/before" "$root/after"
ok $? "and signals are as before"

fresh /init
run hang
ran /init "hang: /init is executed"
has "$root/init-ran" "bounded 1" "within the time promised"
holds "$work/said" "not ready after 1800 ms" "and it is said"

fresh /init
run close
ran /init "one that closes the pipe and stays: /init is executed"
has "$root/init-ran" "bounded 1" "within the time promised"
has "$root/init-ran" "child 0" "and nothing remains of the tracer"

fresh /init
run slow-exit
ran /init "one whose exit takes long: /init is executed"
has "$root/init-ran" "bounded 1" "within the time promised"
has "$root/init-ran" "child 1" "which will reap it"
holds "$work/said" "not ended after 1800 ms" "and it is said"

fresh /init /bin/na
run cut
ran /init "a path that is cut off: the next is executed"

fresh /init
run garbage
ran /init "garbage in the pipe: /init is executed"

fresh /init
run no-fork
ran /init "no fork: /init is executed"
has "$work/said" "<3>memstrack: no tracer: Resource temporarily unavailable:\
 this boot is not traced" "and it is said"

fresh /init
run no-pipe
ran /init "no pipe: /init is executed"
holds "$work/stderr" "memstrack: no tracer: Too many open files: " "and it is said where that is possible"

# --- which init

for mode in ready leave crash hang; do
	fresh /init /bin/named
	run NAMED=/bin/named $mode
	ran /bin/named "rd.memstrack.init= is executed: $mode"
done

set -- /init /sbin/init /etc/init /bin/init /bin/sh
fresh "$@"
while [ $# -gt 0 ]; do
	run ready
	ran "$1" "$1 is executed if it is the first"
	silent "absent ones are not worth a word"
	rm -f "$root$1" "$root/init-ran"
	shift
done
run ready
[ "$(cat "$root/returned")" = 2 ] # ENOENT
ok $? "no init: comes back with the errno"
holds "$work/said" "no init could be executed" "and it is said"
run asked
[ -e "$root/asked" ]
ok $? "and the tracer is asked for a report"

fresh /sbin/init
run NAMED=/no/such ready
ran /sbin/init "a named init that is absent: the next is executed"
has "$work/said" "<3>memstrack: exec /no/such: No such file or directory" \
	"and it is said"

fresh /sbin/init
cp "$work/driver" "$root/cwd/relative"
run NAMED=relative ready
ran /sbin/init "a named init that is no absolute path: the next is executed"

fresh /init /sbin/init
long=/$(printf '%0300d' 0)
run NAMED="$long" ready
ran /init "a path too long: the next is executed"

fresh /init /sbin/init
chmod 644 "$root/init"
run ready
ran /sbin/init "/init that is not executable: the next is executed"
has "$work/said" "<3>memstrack: exec /init: Permission denied" "and it is said"

fresh /sbin/init
echo '#!/no/shell' >"$root/init"
chmod 755 "$root/init"
run ready
ran /sbin/init "/init without its interpreter: the next is executed"
holds "$work/said" "exec /init: No such file or directory (it is there" \
	"and it is said what lacks"

fresh /sbin/init
ln "$root/driver" "$root/init"
run ready
ran /sbin/init "/init that is memstrack itself: the next is executed"
silent "and nothing is said"

fresh /sbin/init
run NAMED=/driver ready
ran /sbin/init "rd.memstrack.init= that is memstrack itself: the next one"
has "$work/said" "<3>memstrack: exec /driver: this is memstrack itself" \
	"and it is said"

# --- where it is said

fresh
rm -r "${root:?}/dev"
run NAMED="/no/such-$$" ready
if dmesg >"$work/dmesg" 2>/dev/null; then
	holds "$work/dmesg" "memstrack: exec /no/such-$$" \
		"without /dev/kmsg, the kernel log all the same"
else
	ok 0 "without /dev/kmsg # SKIP the kernel log cannot be read"
fi
find "$root" -name '.memstrack*' | grep -q .
ok $((! $?)) "and the node for it is gone"

if setpriv --bounding-set -mknod true 2>/dev/null; then
	around="setpriv --bounding-set -mknod"
	fresh
	mv "$root/dev/kmsg" "$root/dev/console"
	run NAMED=/no/such ready
	dd if="$root/dev/console" iflag=nonblock of="$work/said" 2>/dev/null
	has "$work/said" "memstrack: exec /no/such: No such file or directory" \
		"no kernel log: the console, without the level"
	rm "$root/dev/console"
	run NAMED=/no/such ready
	has "$work/stderr" \
		"memstrack: exec /no/such: No such file or directory" \
		"no console: standard error"
	around=
else
	ok 0 "no kernel log # SKIP setpriv cannot drop a capability"
	ok 0 "no console # SKIP setpriv cannot drop a capability"
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
for line in "/proc/self/stat: yes" "/proc/1/root/driver: yes" \
	"/sys/kernel: yes" "/dev/kmsg: yes" "/dev/console: yes" \
	"/dev/null: yes" "/driver: no"; do
	has "$work/child" "$line" "own root: $line"
done
has "$work/init-ran" "made in our root 000" "and nothing of it in PID 1's"
has "$work/child" "mounts_private 0" "and that is no failure"
if grep -qw tracefs /proc/filesystems; then
	has "$work/child" \
		"/sys/kernel/tracing/events/kmem/mm_page_alloc/format: yes" \
		"tracefs is there"
else
	ok 0 "tracefs is there # SKIP this kernel has none"
fi

exec 8>&-
echo "1..$count"
