#!/bin/sh
# SPDX-License-Identifier: MIT
# Switching the root by our switch_root and by klibc's run-init (by busybox's:
# hooks.t): the report is written at that moment, once, and the init of the real
# root runs. Our switch_root waits for the report, but not for ever. Files beside
# it: the log has the text, a file on /run the same account as JSON, whole at
# any time, also of a tracer that runs on behind the switch. An image within the
# image, as dracut's squashfs, is no switch. MATRIX=all: a root that switches off
# at once where the kernel shows its log.
. "$(dirname "$0")/lib.sh"

to_guest /init <<'INIT'
if [ "$(cat /how)" = run-init ] && [ ! -e /etc/initrd-release ]; then
	mkdir /inner
	mount -t tmpfs tmpfs /inner
	cp -a /bin /lib /init /how /root-init /memstrack /inner/
	mkdir /inner/etc /inner/dev /inner/proc /inner/sys /inner/run
	echo >/inner/etc/initrd-release
	exec chroot /inner /init
fi
mounts
[ ! -e /etc/initrd-release ] || /memstrack mark inner
mount -t tmpfs tmpfs /run
facts
new_root
cp /how /sysroot/how
# Not PID 1: refused, and nothing is harmed.
memstrack switch_root /sysroot /sbin/init
echo "refused=$?" >/dev/ttyS1
exec 3>&-
umount /sys
umount /proc
move dev run
# The real init will look at what is left here, through this descriptor.
exec 9</
case $(cat /how) in
memstrack | at-once)
	exec memstrack switch_root /sysroot /sbin/init one two ;;
run-init)
	exec run-init /sysroot /sbin/init one two </sysroot/dev/console ;;
esac
INIT
to_guest /root-init <<'INIT'
if [ "$(cat /how)" = at-once ]; then
	echo "the real root is here"
	poweroff -f
fi
echo 'the real root begins' >/dev/kmsg
mount -t proc proc /proc
mount -t sysfs sysfs /sys
facts
say "pid=$$ arguments=$*"
say "root=$(ls -d /root-init 2>/dev/null)"
say "left=$(find /proc/self/fd/9/ -xdev -type f | wc -l)"
if grep -q keep=1 /proc/cmdline; then
	# Nobody waits for the report of a switch by another program.
	until [ -e /run/m.json ]; do
		usleep 50000
	done
	say "switched=$(head -n 1 /run/m.json)"
	memstrack report
	say "report=$?"
	say "again=$(head -n 1 /run/m.json)"
	say "end=$(tail -n 1 /run/m.json)"
	say "lines=$(wc -l </run/m.json)"
	say "files=$(echo /run/m*)"
	say "modes=$(stat -c %a /run/m.* | tr '\n' ' ')"
	say "$(grep '^memstrack_memory_free_lowest_bytes' /run/m.prom)"
	off
fi
# It notices by itself, and leaves.
wait_for_tracers
say "tracers=$(count_tracers)"
dmesg | sed -n 's/^[^]]*] /log=/p' >&3
off
INIT
mkdir -p "$guest/bin" "$guest/lib"
cp /usr/lib/klibc/bin/run-init "$guest/bin/"
cp /lib/klibc-*.so "$guest/lib/"

reports() { grep -c 'report  level [12], .*reason: switch-root' "$console"; }
switched() {
	ok "$how: the real init runs as PID 1 with its arguments" \
		fact 'pid=1 arguments=one two'
	ok "$how: in the new root, and the old is empty" fact root= left=0
	is "$how: reports at switch-root" "$(reports)" 1
	ok "$how: not PID 1 is refused" grep -q 'refused=[1-9]' "$facts"
}

how=run-init
echo $how >"$guest/how"
# The program with a host's tools writes their formats in an image, too.
image_program=$BOOT
boots_program "$MEMSTRACK"
boot 'rd.memstrack=1 rd.memstrack.keep=1
	rd.memstrack.out=kmsg,/run/m.json,/run/m.prom'
boots_program "$image_program"
switched
ok "$how: an image within the image is not the root yet" \
	comes_before 'phases .*inner' 'reason: request'
ok "$how: keep=1: the tracer goes on" fact 'report=0'
ok 'a file beside it has JSON, of the switch and of the next report' \
	fact 'switched={"type":"head".*"reason":"switch-root".*' \
	'again={"type":"head".*"reason":"request".*' 'end={"type":"end".*'
ok 'as many lines as it says' same "$(value lines)" \
	"$(value end | number records | awk '{ print $1 + 1 }')"
ok 'nothing else is left; the one for node_exporter is for all' \
	fact 'files=/run/m.json /run/m.prom' 'modes=600 644 ' \
	'memstrack_memory_free_lowest_bytes [0-9]\{8,\}'

# The root's first line comes behind the report's last, on the console or, where
# that shows it, in the log; and a root that switches off cuts nothing.
echo at-once >"$guest/how"
for quiet in ${MATRIX:+loglevel=7} quiet; do
	boot "$quiet rd.memstrack=2 rd.memstrack.wait=60" -m 256
	ok "$quiet: behind the report's end, the real root" \
		comes_before 'end of report' 'the real root is here'
done

# Some four seconds of a serial line. PID 1 does not wait so long: in the kernel
# log, whose stamps have the guest's time, its first line stands in the report.
how=memstrack
echo $how >"$guest/how"
logged() { sed -n 's/^log=//p' "$facts" | grep -n -m 1 -e "$1" | cut -d: -f1; }
in_order() {
	at=0
	for text; do
		next=$(logged "$text")
		echo "${next:-never}: $text"
		[ "${next:-0}" -gt "$at" ] || return
		at=$next
	done
}
boot_serial 2880 'quiet rd.memstrack=2 rd.memstrack.wait=2 log_buf_len=4M'
switched
ok "$how: the tracer leaves" fact tracers=0
ok 'it waits, says that it goes on, and does so in the report' \
	in_order 'switch_root goes on without' 'the real root begins' \
	'end of report'
finish
