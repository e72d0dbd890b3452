#!/bin/sh
# Another machine: memstrack is built for arm64 with musl, with only CC= and
# STRIP= set, and booted there as the first process. Only with MATRIX=all.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"

[ "${MATRIX-}" = all ] || skip_all 'MATRIX=all boots it'
"$top/tests/need" qemu-system-arm gcc-aarch64-linux-gnu >&2 ||
	skip_all "packages are missing"
tree=$("$top/tests/images/foreign" arm64) || skip_all "no packages of arm64"

# musl-gcc as that machine's package has it, found where it was unpacked.
specs=usr/lib/aarch64-linux-musl/musl-gcc.specs
sed "s,/usr/\(include\|lib\)/,$tree&,g" "$tree/$specs" >"$work/specs"
cat >"$work/cc" <<CC
#!/bin/sh
exec aarch64-linux-gnu-gcc "\$@" -specs "$work/specs" \
	-idirafter "$tree/usr/include" \
	-idirafter "$tree/usr/include/aarch64-linux-gnu"
CC
chmod +x "$work/cc"
unset MAKEFLAGS MAKELEVEL	# of a make that runs the tests
ok "it is built, without a warning" make -s -C "$top" BUILD="$work/build" \
	CC="$work/cc" STRIP=aarch64-linux-gnu-strip
MEMSTRACK=$work/build/memstrack
echo "# $(wc -c <"$MEMSTRACK") bytes"

mkdir -p "$guest/bin" "$guest/root"
cp "$tree/bin/busybox" "$guest/bin/"
for name in sh cat cut cp dmesg grep mkdir mount poweroff sed seq sleep stty wc; do
	ln -s busybox "$guest/bin/$name"
done
find "$tree/lib/modules" -name loop.ko -exec cp {} "$guest/loop.ko" \;
# Its one other serial line is PCI's, and the console is named otherwise.
for script in init root/init; do
	sed -e 's,/dev/ttyS1,/dev/ttyS0,' -e '/-echoe/d' "$here/guest.sh" \
		>"$guest/$script"
	chmod +x "$guest/$script"
done
cat >>"$guest/init" <<'INIT'
mounts
busybox insmod /loop.ko
mkdir /sysroot
mount -t tmpfs -o size=32M tmpfs /sysroot
mkdir /sysroot/proc /sysroot/dev /sysroot/sys
cp -r /bin /sysroot/bin
cp /root/init /sysroot/init
busybox dd if=/dev/zero of=/sysroot/zeros bs=1M count=8
mount -o move /dev /sysroot/dev
exec busybox switch_root /sysroot /init
INIT
cat >>"$guest/root/init" <<'INIT'
mounts
facts
say "pid=$$"
wait_for_tracers
log_of_tracers
off
INIT
base=bare
initrd
timeout -k 5 120 qemu-system-aarch64 -M virt -cpu cortex-a57 -m 256 -smp 2 \
	-nodefaults -display none -no-reboot -serial stdio \
	-chardev "file,id=facts,path=$facts.raw" \
	-device pci-serial,chardev=facts \
	-kernel "$tree/boot/vmlinuz-$(cat "$tree/release")" \
	-initrd "$work/initrd" \
	-append "console=ttyAMA0 panic=-1 rdinit=/memstrack rd.memstrack=2" \
	</dev/null 2>&1 | tr -d '\r' >"$console"
tr -d '\r' <"$facts.raw" >"$facts"
boots=1

explained() {
	share=$(sed -n 's/^memstrack: fall .*, \([0-9]*\)\.[0-9]% expl.*/\1/p' \
		"$facts")
	echo "$share %"
	[ "$share" ] && [ "$share" -ge 95 ]
}
held() {
	mib=$(sed -n "s/^memstrack: $1 *\([0-9]*\)\.[0-9]M .*/\1/p" "$facts" |
		head -n 1)
	echo "$mib MiB"
	[ "$mib" ] && [ "$mib" -ge "$2" ]
}
ok "the real root is reached" fact pid=1
ok "a report, of the switch of the root" \
	fact 'memstrack: .*level 2, .*reason: switch-root'
ok "it is whole" fact 'memstrack: memstrack .*: end of report, .*'
ok "nothing was lost" fact 'memstrack: traced .* 0 lost'
ok "the fall of free memory is explained" explained
ok "the file is charged to who wrote it" held 'busybox\[[0-9]*\]' 8
ok "a module has its row" fact 'memstrack: loop .*'
ok "and a stack that its function called" fact 'memstrack: .*\[loop\].*'
finish
