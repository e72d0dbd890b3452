#!/bin/sh
# SPDX-License-Identifier: MIT
# The hook of mkinitcpio and the module of Yocto's initramfs-framework, run as
# these tools run them: by PID 1, which is ash, before udev and modules. The
# guest is a small one of our own, because Debian packages neither tool. Without
# rd.memstrack they do nothing, nor do dracut's hook and initramfs-tools' script.
. "$(dirname "$0")/lib.sh"

cp -r "$top/initramfs/mkinitcpio/hooks" "$guest/hooks"
mkdir "$guest/init.d"
cp "$top/initramfs/yocto/memstrack" "$guest/init.d/00-memstrack"
cp "$top/dracut-module/memstrack-boot.sh" "$guest/"
make -s -C "$top" initramfs-tools-install BUILD="$BUILD" DESTDIR="$work/made" \
	PREFIX=/usr
cp -r "$work/made/usr/share/initramfs-tools/scripts" "$guest/scripts"
mkdir -p "$guest/usr/bin"
ln -s /memstrack "$guest/usr/bin/memstrack"

# Both end alike: what is mounted is moved, and nothing inherited.
to_guest /init <<'INIT'
mounts
facts
mkinitcpio() {
	. /hooks/memstrack
	run_earlyhook
}
yocto() {
	for word in $(cat /proc/cmdline); do
		case $word in
		rd.memstrack=*) bootparam_rd_memstrack=${word#*=} ;;
		esac
	done
	. /init.d/00-memstrack
	memstrack_enabled && memstrack_run
}
dracut() {
	getarg() { grep -q "$1=" /proc/cmdline; }
	. /memstrack-boot.sh
}
tools() { sh /scripts/init-top/memstrack; }
marks() {
	for directory in local-top init-bottom; do
		sh /scripts/$directory/00memstrack || return
	done
}
for hook in $(cat /how); do
	$hook
	say "$hook=$?"
done
say "hooked=$(count_tracers)"
memstrack boot
say "again=$?"
say "tracers=$(count_tracers)"
new_root
move dev proc sys
exec 3>&-
exec env -i TERM=linux /bin/busybox switch_root /sysroot /sbin/init
INIT
to_guest /root-init <<'INIT'
facts
say "pid=$$"
if grep -q keep=1 /proc/cmdline; then
	until dmesg | grep -q 'end of report'; do
		sleep 0.1
	done
	log_of_tracers
	say "name=$(head -c 1 "/proc/$(tracers)/cmdline")"
	memstrack report
	say "report=$?"
	off
fi
wait_for_tracers
log_of_tracers
off
INIT

reports() { [ "$(grep -c "^memstrack: $1" "$facts")" = "$2" ]; }

for hook in mkinitcpio yocto; do
	echo "$hook marks" >"$guest/how"
	keep=0
	[ $hook = yocto ] || keep=1
	boot "rdinit=/init rd.memstrack=2 rd.memstrack.keep=$keep"
	ok "$hook: the hook succeeds, and has traced" fact "$hook=0" hooked=1
	ok "$hook: once more is nothing: one tracer" fact again=0 tracers=1
	ok "$hook: the real init runs" fact pid=1
	ok "$hook: what initramfs-tools runs are phases" fact marks=0 \
		'memstrack: phases  local-top +[0-9.]* s, init-bottom +[0-9.]* s'
	ok "$hook: one report, of the switch of the root" \
		reports '.*level 2, .*reason: switch-root' 1
	ok "$hook: no other" reports '.*reason: ' 1
	ok "$hook: it is whole" reports 'memstrack .*: end of report, ' 1
	[ $keep = 1 ] || continue
	ok "keep=1: the tracer's name has systemd spare it" fact name=@
	ok "keep=1: it reports in the real root" fact report=0
done

echo mkinitcpio yocto dracut tools marks >"$guest/how"
boot 'rdinit=/init'
ok "without rd.memstrack: hooks succeed, one is not run" \
	fact mkinitcpio=0 yocto=1 dracut=0 tools=0 marks=0
ok "there is no tracer, and the real init runs" fact tracers=0 pid=1
ok "and not a word" reports '' 0
finish
