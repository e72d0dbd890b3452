#!/bin/sh
# SPDX-License-Identifier: MIT
# Switching the root by our switch_root, by busybox's and by klibc's run-init:
# the report is written at that moment, once, and the init of the real root
# runs. Our switch_root waits for the report, but not for ever.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"

to_guest /init <<'INIT'
mounts
facts
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
say "switched_at=$(cut -d ' ' -f 1 /proc/uptime)"
exec 3>&-
umount /sys
umount /proc
mount -o move /dev /sysroot/dev
# The real init will look at what is left here, through this descriptor.
exec 9</
case $(cat /how) in
memstrack | keep | at-once)
	exec memstrack switch_root /sysroot /sbin/init one two ;;
busybox)
	exec busybox switch_root /sysroot /sbin/init one two ;;
run-init)
	exec run-init /sysroot /sbin/init one two </sysroot/dev/console ;;
esac
INIT
to_guest /root-init <<'INIT'
if [ "$(cat /how)" = at-once ]; then
	echo "the real root is here"
	poweroff -f
fi
mount -t proc proc /proc
mount -t sysfs sysfs /sys
facts
say "begun_at=$(cut -d ' ' -f 1 /proc/uptime)"
say "pid=$$ arguments=$*"
dmesg | sed -n 's/.*memstrack: /log=/p' >&3
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

reports() { grep -c 'report  level 1, .*reason: switch-root' "$console"; }

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

# The root's first line comes behind the report's last, on the console or, where
# that shows it, in the log; and a root that switches off cuts nothing.
first() { grep -n -m 1 -e "$1" "$console" | cut -d: -f1; }
echo at-once >"$guest/how"
for quiet in '' quiet; do
	boot "$quiet rd.memstrack=2" -m 256
	ok "${quiet:-loud}: a root that switches off at once is reached" \
		seen 'the real root is here'
	ok "${quiet:-loud}: behind the report's end" sh -c \
		"[ '$(first 'end of report')' -lt '$(first 'the real root')' ]"
done

# Some four seconds of a serial line. PID 1 does not wait so long.
echo memstrack >"$guest/how"
seconds() { value "$1" | sed 's/\..*//'; }
waited() {
	grep _at= "$facts"
	waited=$(($(seconds begun_at) - $(seconds switched_at)))
	[ "$waited" -ge "$1" ] && [ "$waited" -le "$2" ]
}
boot_serial 11520 'quiet rd.memstrack=3 rd.memstrack.wait=2'
ok 'a slow line: the real init runs as PID 1' fact 'pid=1 arguments=one two'
ok 'a slow line: after two seconds' waited 2 5
ok 'a slow line: which is said' fact 'log=switch_root goes on without.*'
ok 'a slow line: the report is whole all the same' seen 'end of report'
boot_serial 11520 'quiet rd.memstrack=3 rd.memstrack.wait=0'
ok 'wait=0: the real init runs as PID 1' fact 'pid=1 arguments=one two'
ok 'wait=0: at once' waited 0 1
ok 'wait=0: which is no news' sh -c "! grep 'switch_root goes on' '$facts'"

boot ''
ok "without a tracer the root is switched all the same" \
	fact 'pid=1 arguments=one two'
finish
