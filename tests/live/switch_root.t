#!/bin/sh
# SPDX-License-Identifier: MIT
# switch_root: it refuses before anything is lost, asks for the report while the
# old root is whole, empties the old root and nothing else, and reaches the real
# init.
set -u
# shellcheck source-path=SCRIPTDIR source=driver.sh
. "$(dirname -- "$0")/driver.sh"

# An "initramfs" (a tmpfs that becomes the root) and a new root on a tmpfs of
# its own, in the namespaces of the shell that runs this. $1: the work
# directory; what follows is run in the middle, with the paths in $old, $new.
cat >"$work/prepare" <<'END'
old=$1/old
new=$old/new
mkdir -p "$old" && mount -t tmpfs none "$old" || exit 99
cp "$1/driver" "$old/driver"
ln "$old/driver" "$old/switch_root"
mkdir -p "$old/dir/sub" "$old/other" "$old/proc" "$old/run" "$old/dev" \
	"$old/many" "$old/sys" "$new"
mount -t tmpfs none "$new" && mount -t tmpfs none "$old/other" &&
	mount -t proc none "$old/proc" && mount -t tmpfs none "$old/run" &&
	mount -t tmpfs none "$old/dev" || exit 99
: >"$old/dir/sub/file"
: >"$old/other/keep"
: >"$old/run/mark"
: >"$old/dev/hidden"
ln -s /dev/null "$old/dir/link"
mkfifo "$old/dir/fifo"
(cd "$old/many" && seq -f 'a-name-of-some-length-%g' 700 | xargs touch)
mkdir -p "$old/many/$(printf 'd/%.0s' $(seq 40))"
mkdir -p "$new/proc" "$new/run" "$new/bin" "$new/sbin" "$new/plain/mount"
cp "$1/driver" "$new/bin/init"
ln -s /bin/init "$new/sbin/init"
: >"$new/bin/not-executable"
: >"$new/console"
END

# switch MIDDLE ARGS…: exit status of `switch_root ARGS…` as PID 1.
switch() {
	middle=$1
	shift
	# shellcheck disable=SC2016 # the inner shell's
	timeout 60 unshare --pid --fork --mount --net --kill-child sh -c '
		work=$1 middle=$2
		shift 2
		set -- "$work" "$@"
		. "$work/prepare"
		eval "$middle"
		shift
		exec "$old/driver" enter "$old" /switch_root "$@"' \
		sh "$work" "$middle" "$@" >"$work/out" 2>"$work/err"
}

# lacks FILE TEXT NAME
lacks() {
	if grep -qF -- "$2" "$1"; then
		ok 1 "$3"
		grep -F -- "$2" "$1" | head -n 20 | sed 's/^/# /'
	else
		ok 0 "$3"
	fi
}

# refuses STATUS TEXT NAME: what the last switch did.
refuses() {
	status=$?
	[ $status = "$1" ]
	ok $? "$3: exit status $status"
	holds "$work/err" "$2" "and why is said"
	has "$work/out" "old/dir/sub/file" "and nothing is deleted"
}

# --- the way it should go

switch : /new /sbin/init one 'two  words' --three -c four
ok $? "init is reached, with its exit status"
has "$work/out" "init /sbin/init" "by the name given, an absolute link"
has "$work/out" "arg two  words" "with its arguments"
has "$work/out" "arg -c" "of which none is taken for ours"
has "$work/out" "cwd /" "in the new root"
lacks "$work/out" "left open" "with no descriptor of ours"
has "$work/out" "end" "(the old root was looked at)"
lacks "$work/out" "old/dir" "the old root is emptied"
lacks "$work/out" "old/many" "of many files and deep directories too"
lacks "$work/out" "old/driver" "and of ourselves"
has "$work/out" "old/other/keep" "another filesystem is not touched"
has "$work/out" "proc yes" "/proc goes along"
has "$work/out" "run yes" "/run goes along"
lacks "$work/out" "old/dev" "/dev, with no place to go to, is detached"
ok "$(wc -c <"$work/err")" "and nothing is said"

# shellcheck disable=SC2016 # evaluated in switch
switch 'export TRACED="at once"' /new /sbin/init
has "$work/out" "tracer asked s, root is whole" \
	"the report is asked for while the old root is whole"
has "$work/out" "end" "and then init is reached"

# The second part of the answer, the log of this test alone.
# shellcheck disable=SC2016
log=': >"$work/kmsg"; : >"$old/dev/kmsg"
	mount --bind "$work/kmsg" "$old/dev/kmsg"'
goes_on='memstrack: switch_root goes on without the report:'
first() { grep -n -m 1 -- "$1" "$work/out" | cut -d: -f1; }
switch "$log; export TRACED=done" /new /sbin/init
[ "$(first 'tracer done')" -lt "$(first 'init /sbin/init')" ]
ok $? "until the report is written it waits"
has "$work/out" "end" "and then init is reached"
ok "$(wc -c <"$work/kmsg")" "and nothing is said"
switch "$log; export TRACED=dies" /new /sbin/init
has "$work/out" "end" "where the tracer dies meanwhile, init is reached"
holds "$work/kmsg" "$goes_on Connection reset by peer" "and it is said"
switch "$log; export TRACED=stuck" /new /sbin/init
has "$work/out" "end" "where it takes longer than it was told, init is reached"
lacks "$work/out" "tracer stuck" "before that"
holds "$work/kmsg" "$goes_on it takes too long" "and it is said"

# shellcheck disable=SC2016
switch 'mkdir -p "$old/many/$(printf "d/%.0s" $(seq 100))"' /new /sbin/init
has "$work/out" "end" "deeper than it goes: init is reached all the same"
lacks "$work/out" "old/dir" "and the rest is emptied"

# shellcheck disable=SC2016
switch 'mount -t tmpfs none "$new/run"' /new /sbin/init
has "$work/out" "run no" "what the new root has mounted stays in place"
lacks "$work/out" "old/run" "and the old one is detached"

# shellcheck disable=SC2016
switch ': >"$work/console"; mount --bind "$work/console" "$new/console"' \
	-c /console /new /sbin/init
has "$work/console" "init /sbin/init" "-c CONSOLE: init talks there"
switch : -c /absent /new /sbin/init
has "$work/out" "init /sbin/init" "-c that cannot be opened: init is reached"
holds "$work/err" "switch_root: open /absent: No such file or directory" \
	"and it is said"

switch : new sbin/init
has "$work/out" "init sbin/init" "relative paths are found"

# --- refusals

switch : /new
refuses 2 "usage: switch_root" "no INIT"
switch : -x /new /sbin/init
refuses 2 "usage: switch_root" "an unknown option"
switch : -c
refuses 2 "usage: switch_root" "-c alone"
switch : /absent /sbin/init
refuses 1 "switch_root: enter /absent: No such file" "NEWROOT absent"
switch : /dir /sbin/init
refuses 1 "not where another filesystem is mounted" "NEWROOT in the old root"
switch : /new/plain /mount
refuses 1 "not where another filesystem is mounted" "NEWROOT below a mount"
switch : /new /bin/absent
refuses 1 "switch_root: execute /bin/absent: No such file" "INIT absent"
switch : /new /driver
refuses 1 "switch_root: execute /driver: No such file" \
	"INIT in the old root only"
switch : /new /bin/not-executable
refuses 1 "switch_root: execute /bin/not-executable: Permission denied" \
	"INIT not executable"
switch : /new /bin
refuses 1 "switch_root: execute /bin: Permission denied" "INIT a directory"

# One process further down, it is not PID 1.
# shellcheck disable=SC2016
timeout 60 unshare --pid --fork --mount --net --kill-child sh -c '
	. "$1/prepare"
	"$old/driver" enter "$old" /switch_root /new /sbin/init
	exit $?' sh "$work" >"$work/out" 2>"$work/err"
refuses 1 "switch_root: not PID 1" "not PID 1"

# A root on whatever else there is.
disk=
for dir in "$work" "$here"; do
	case $(stat -f -c %T "$dir") in
	tmpfs | ramfs) ;;
	*) disk=$(mktemp -d "$dir/.root.XXXXXX") && break ;;
	esac
done
if [ -z "$disk" ]; then
	ok 0 "/ on a disk # SKIP there is none here"
else
	trap 'rm -rf "$work" "$disk"' EXIT
	mkdir -p "$disk/new" "$disk/dir/sub"
	: >"$disk/dir/sub/file"
	cp "$work/driver" "$disk/switch_root"
	# shellcheck disable=SC2016
	timeout 60 unshare --pid --fork --mount --net --kill-child sh -c '
		mount -t tmpfs none "$1/new" &&
		cp "$1/switch_root" "$1/new/init" &&
		exec chroot "$1" /switch_root /new /init' sh "$disk" \
		>"$work/out" 2>"$work/err"
	(cd "$disk" && find dir | sed 's,^,old/,' >>"$work/out"; exit 1)
	refuses 1 "/ is not a ramfs or tmpfs" "/ on a disk"
fi

echo "1..$count"
