#!/bin/sh
# SPDX-License-Identifier: MIT
# switch_root: it refuses before anything is lost, asks for the report while the
# old root is whole, empties the old root and nothing else, and reaches the real
# init. (How long it waits for the report: tests/boot/switch-root.t.)
. "$(dirname "$0")/driver.sh"

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
: >"$new/bin/text"
: >"$new/console"
END

# switch MIDDLE ARGS…: exit status of `switch_root ARGS…` as PID 1.
switch() {
	middle=$1
	shift
	unshare --pid --fork --mount --net --kill-child sh -c '
		work=$1 middle=$2
		shift 2
		set -- "$work" "$@"
		. "$work/prepare"
		eval "$middle"
		shift
		exec "$old/driver" enter "$old" /switch_root "$@"' \
		sh "$work" "$middle" "$@" >"$work/out" 2>"$work/err"
}

# shows NAME LINE, lacks NAME TEXT: in what the last switch printed.
shows() { ok "$1" has "$work/out" "$2"; }
lacks() { ok "$1" holds_no "$work/out" "$2"; }
holds_no() { ! grep -F -- "$2" "$1"; }

# refuses NAME STATUS TEXT COMMAND...: it ends so, and nothing is deleted.
refuses() {
	name=$1 wanted=$2 text=$3
	shift 3
	"$@"
	is "$name: exit status" $? "$wanted"
	ok "and why is said: $text" holds "$work/err" "$text"
	shows "and nothing is deleted" "old/dir/sub/file"
}

# --- the way it should go

ok "init is reached, with its exit status" \
	switch : /new /sbin/init one 'two  words' --three -c four
shows "by the name given, an absolute link" "init /sbin/init"
shows "with its arguments" "arg two  words"
shows "of which none is taken for ours" "arg -c"
shows "in the new root" "cwd /"
lacks "with no descriptor of ours" "left open"
shows "(the old root was looked at)" "end"
lacks "the old root is emptied" "old/dir"
lacks "of many files and deep directories too" "old/many"
lacks "and of ourselves" "old/driver"
shows "another filesystem is not touched" "old/other/keep"
shows "/proc goes along" "proc yes"
shows "/run goes along" "run yes"
lacks "/dev, with no place to go to, is detached" "old/dev"
ok "and nothing is said" is_empty "$work/err"

switch 'export TRACED=1' /new /sbin/init
shows "the report is asked for while the old root is whole" \
	"tracer asked s, root is whole"
shows "and then init is reached" "end"

switch 'mkdir -p "$old/many/$(printf "d/%.0s" $(seq 100))" \
	$(seq -f "$old/e%g/e" 500); ulimit -n 400' /new /sbin/init
shows "deeper than it goes: init is reached all the same" "end"
lacks "and the rest is emptied" "old/dir"
lacks "of more directories than a process may have open" "old/e"

switch 'mount -t tmpfs none "$new/run"' /new /sbin/init
shows "what the new root has mounted stays in place" "run no"
lacks "and the old one is detached" "old/run"

switch ': >"$work/console"; mount --bind "$work/console" "$new/console"' \
	-c /console /new /sbin/init
ok "-c CONSOLE: init talks there" has "$work/console" "init /sbin/init"
switch : -c /absent /new /sbin/init
shows "-c that cannot be opened: init is reached" "init /sbin/init"
ok "and it is said" holds "$work/err" \
	"switch_root: open /absent: No such file or directory"

switch : new sbin/init
shows "relative paths are found" "init sbin/init"

# --- refusals

while IFS='|' read -r name wanted text args; do
	# shellcheck disable=SC2086 # words
	refuses "$name" "$wanted" "$text" switch : $args
done <<'END'
no INIT|2|usage: switch_root|/new
an unknown option|2|usage: switch_root|-x /new /sbin/init
-c alone|2|usage: switch_root|-c
NEWROOT absent|1|enter /absent: No such file|/absent /sbin/init
NEWROOT in the old root|1|not a mount point|/dir /sbin/init
NEWROOT below a mount|1|not a mount point|/new/plain /mount
INIT absent|1|execute /bin/absent: No such file|/new /bin/absent
INIT in the old root only|1|execute /driver: No such file|/new /driver
INIT not executable|1|execute /bin/text: Permission denied|/new /bin/text
INIT a directory|1|execute /bin: Permission denied|/new /bin
END

# One process further down.
refuses "not PID 1" 1 "switch_root: not PID 1" switch \
	'"$old/driver" enter "$old" /switch_root /new /sbin/init; exit $?'

# A root on whatever else there is.
disk=
for dir in "$work" "$here"; do
	case $(stat -f -c %T "$dir") in
	tmpfs | ramfs) ;;
	*) disk=$(mktemp -d "$dir/.root.XXXXXX") && break ;;
	esac
done
on_disk() {
	unshare --pid --fork --mount --net --kill-child sh -c '
		mount -t tmpfs none "$1/new" &&
		cp "$1/switch_root" "$1/new/init" &&
		exec chroot "$1" /switch_root /new /init' sh "$disk" \
		>"$work/out" 2>"$work/err"
	set -- $?
	(cd "$disk" && find dir) | sed 's,^,old/,' >>"$work/out"
	return "$1"
}
if [ -z "$disk" ]; then
	skip "/ on a disk" "there is none here"
else
	trap 'rm -rf "$work" "$disk"' EXIT
	mkdir -p "$disk/new" "$disk/dir/sub"
	: >"$disk/dir/sub/file"
	cp "$work/driver" "$disk/switch_root"
	refuses "/ on a disk" 1 "/ is not a ramfs or tmpfs" on_disk
fi
finish
