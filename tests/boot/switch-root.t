#!/bin/sh
# Switching root by us, by busybox's switch_root and by klibc's run-init: the
# report is written at that moment, once, and the real root's init runs.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"

to_guest /init <<'INIT'
mounts
mkdir /sysroot
mount -t tmpfs -o size=16M tmpfs /sysroot
mkdir /sysroot/dev /sysroot/proc /sysroot/sys /sysroot/sbin
cp -r /bin /sysroot/bin
cp /memstrack /sysroot/bin/
cp /how /sysroot/how
cp /root-init /sysroot/sbin/init
# Not PID 1: refused, and nothing is harmed.
memstrack switch_root /sysroot /sbin/init
echo "refused=$?" >/dev/ttyS1
umount /sys
umount /proc
mount -o move /dev /sysroot/dev
# The real init will look at what is left here, through this descriptor.
exec 9</
case $(cat /how) in
memstrack | keep)
	exec memstrack switch_root /sysroot /sbin/init one two ;;
busybox)
	exec busybox switch_root /sysroot /sbin/init one two ;;
run-init)
	exec run-init /sysroot /sbin/init one two </sysroot/dev/console ;;
esac
INIT
to_guest /root-init <<'INIT'
mounts
facts
say "pid=$$ arguments=$*"
say "root=$(ls -d /root-init 2>/dev/null)"
say "left=$(find /proc/self/fd/9/ -xdev -type f | wc -l)"
if [ "$(cat /how)" = keep ]; then
	memstrack report
	say "report=$?"
	off
fi
# It notices by itself, and leaves.
while [ "$(count_tracers)" != 0 ]; do
	usleep 100000
done
say "tracers=$(count_tracers)"
off
INIT
mkdir -p "$guest/bin" "$guest/lib"
cp /usr/lib/klibc/bin/run-init "$guest/bin/"
cp /lib/klibc-*.so "$guest/lib/"

reports() { grep -c 'memstrack 0.*: level 1, .*reason: switch-root' "$console"; }

for how in memstrack busybox run-init; do
	echo "$how" >"$guest/how"
	boot 'rd.memstrack=1'
	ok "$how: the real init runs as PID 1 with its arguments" \
		fact 'pid=1 arguments=one two'
	ok "$how: in the new root" fact 'root='
	ok "$how: the initramfs was emptied" fact 'left=0'
	ok "$how: one report, at switch-root" test "$(reports)" = 1
	ok "$how: the tracer leaves" fact 'tracers=0'
	ok "$how: not PID 1 is refused" grep -q 'refused=[1-9]' "$facts"
done

echo keep >"$guest/how"
boot 'rd.memstrack=1 rd.memstrack.keep=1'
ok "keep: the real init runs" fact 'pid=1 arguments=one two'
ok "keep: one report at switch-root" test "$(reports)" = 1
ok "keep: the tracer goes on" fact 'report=0'

echo memstrack >"$guest/how"
boot ''
ok "without a tracer the root is switched all the same" \
	fact 'pid=1 arguments=one two'
finish
