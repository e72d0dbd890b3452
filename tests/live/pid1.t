#!/bin/sh
# SPDX-License-Identifier: MIT
# The first process of a pid namespace, as in a container, does what its
# arguments say: it is not the machine's init, and executes no init. It runs in
# a root of its own, where an init would be found. (For the machine's PID 1 see
# tests/boot.)
. "$(dirname "$0")/tracer.sh"

root=$work/root
new_tmpfs root
mkdir "$root/proc" "$root/sys" "$root/sbin" "$root/bin" "$root/dev"
cp "$memstrack" "$root/memstrack"
ln -s memstrack "$root/report"
echo 'int puts(const char *); int main(void) { puts("an init"); return 99; }' \
	>"$work/init.c"
"${CC:-musl-gcc}" -static -o "$root/init" "$work/init.c" ||
	bail "init.c does not build"
cp "$root/init" "$root/sbin/init"
cp "$root/init" "$root/bin/sh"

# As a container has it: a /proc of its own, the machine's /sys. With CHILD, its
# process 2 is of a process group that is unknown there, as kthreadd's is in the
# machine's own.
cat >"$work/first" <<'END'
[ "${CHILD-}" ] && sleep 1000000 &
mount -t proc none "$1/proc" && mount --rbind /sys "$1/sys" || exit 98
root=$1
shift
exec chroot "$root" "$@"
END
first() {
	unshare --pid --fork --mount --kill-child \
		sh "$work/first" "$root" "$@"
}
# is_done NAME STATUS WANTED TEXT: so it ended, with this in what it printed.
is_done() {
	is "$1: exit status" "$2" "$3"
	ok "$1: is done" holds "$work/line" "$4"
}
# does NAME STATUS TEXT COMMAND...
does() {
	name=$1 wanted=$2 text=$3
	shift 3
	first "$@" >"$work/line" 2>&1
	is_done "$name" $? "$wanted" "$text"
}
# traces NAME TEXT COMMAND...: until SIGTERM.
traces() {
	name=$1 text=$2
	shift 2
	first "$@" >"$work/line" 2>&1 &
	helper=$!
	until_true "$memstrack" report
	kill -TERM "$(pid_of_tracer)"
	wait $helper
	is_done "$name" $? 0 "$text"
	helper=
}

does --help 0 "memstrack report" /memstrack --help
does --version 0 "memstrack 0" /memstrack --version
does report 1 "no tracer runs" /memstrack report
does "report by its name" 1 "no tracer runs" /report
does "an unknown applet" 2 "no such applet" /memstrack nonesuch
does switch_root 2 "usage: switch_root" /memstrack switch_root
traces "no argument" "reason: SIGTERM" /memstrack
traces "an option" '"reason":"SIGTERM"' /memstrack --format=json
traces record "reason: SIGTERM" /memstrack record /trace
does replay 0 "reason: SIGTERM" /memstrack replay /trace
CHILD=1
export CHILD
does "--help beside a child" 0 "memstrack report" /memstrack --help
traces "no argument, beside a child" "reason: SIGTERM" /memstrack

# This is how it is known from an init that such a one would have been executed.
does "an init" 99 "an init" /init
finish
