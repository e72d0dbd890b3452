#!/bin/sh
# SPDX-License-Identifier: MIT
# PID 1: whatever the tracer does, the right real init runs, with everything
# that the kernel gave. Errors are reported in the kernel log. (Without a pipe
# or a fork: faults.t. In tests/boot, the tracer's own root, and nothing of it in
# PID 1's: levels.t, embedded.t; no init at all: embedded.t; without a log, without
# a console: worlds.t.)
. "$(dirname "$0")/driver.sh"

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
	env -i PATH="$PATH" A=1 "B=x  y" $named ${ready:+READY=$ready} unshare --pid --fork --mount \
		--kill-child chroot "$root" /driver "$@" \
		7</dev/null 2>"$work/stderr"
	dd if="$root/dev/kmsg" iflag=nonblock of="$work/said" 2>/dev/null
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

# late MODE NAME TEXT [MS]: init runs after the time promised.
late() {
	fresh /init
	boots "$2" /init '' "$1"
	init_sees "at the end of the time promised" "waited ${4-1800} ms"
	says "$3 after ${4-1800} ms"
	init_sees "and init has the tracer to reap" "child 1"
}
late hang "one that hangs" "not ready"
late slow-exit "one whose exit takes long" "not ended"
ready=1
late hang "one that hangs, rd.memstrack.ready=1" "not ready" 800
ready=30
late hang "one that hangs, rd.memstrack.ready=30" "not ready" 29800
late slow-exit "the same, whose exit takes long" "not ended" 29800
ready=

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

exec 8>&-
finish
