#!/bin/sh
# SPDX-License-Identifier: MIT
# Where all of RAM is, on arm64: the regions that a device tree reserves are
# rows by their names, and what is given to the page allocator as contiguous
# memory counts once. Only with MATRIX=all.
. "$(dirname "$0")/ram.sh"
. "$here/foreign.sh"

[ "${MATRIX-}" = all ] || skip_all 'MATRIX=all boots it'
"$top/tests/need" device-tree-compiler >&2 || skip_all "packages are missing"
foreign arm64 || skip_all "no packages of arm64"
ok "it is built, without a warning" build_foreign

foreign_guest <<'INIT'
rows ''
sed 's/^ */iomem=/' /proc/iomem >&3
dmesg | sed -n 's/^\[ *[0-9.]*\] /log=/p' >&3
sed 's/^/meminfo=/' /proc/meminfo >&3
INIT

# 8 MiB that the kernel must not map, 4 MiB that it keeps, 16 MiB of contiguous
# memory that it places itself, and a region that is switched off.
qemu-system-aarch64 -M "virt,dumpdtb=$work/tree.dtb" -cpu cortex-a57 -m 256 \
	-smp 2 -nodefaults -display none >/dev/null 2>&1
dtc -q -I dtb -O dts -o "$work/tree.dts" "$work/tree.dtb"
cat >>"$work/tree.dts" <<'DTS'
/ {
	reserved-memory {
		#address-cells = <2>;
		#size-cells = <2>;
		ranges;
		firmware@4e000000 {
			reg = <0 0x4e000000 0 0x800000>;
			no-map;
		};
		ramoops@4d000000 {
			reg = <0 0x4d000000 0 0x300000>, <0 0x4d400000 0 0x100000>;
		};
		pool {
			compatible = "shared-dma-pool";
			reusable;
			size = <0 0x1000000>;
		};
		unused@4c000000 {
			reg = <0 0x4c000000 0 0x100000>;
			status = "disabled";
		};
	};
};
DTS
dtc -q -I dts -O dtb -o "$work/ours.dtb" "$work/tree.dts"
boot_foreign "cma=32M rd.memstrack=1 $json" -dtb "$work/ours.dtb"

# Of meminfo; what the log says of a region; the bytes of an image by iomem.
meminfo() { sed -n "s/^meminfo=$1: *\([0-9]*\) kB/\1/p" "$facts"; }
within() {
	grep "\"name\":\"$1\",.*\"part_of\":\"MemTotal\"" "$facts" | number kib
}
little_unknown arm64 256
keeps_rest arm64 $((256 * 1024)) "$(meminfo MemTotal)"
as_in_iomem arm64 code data
ok 'a region that is not mapped' same "$(row reserved firmware@4e000000)" 8192
ok 'it is no System RAM' grep '^iomem=4e000000-4e7fffff : reserved' "$facts"
ok 'both parts of a kept region' same "$(row reserved ramoops@4d000000)" 4096
ok 'no region that is switched off' no_row reserved unused@4c000000
ok 'contiguous memory of the device tree is in it' same "$(within pool)" 16384
ok 'and all of it, with that of cma=' same "$(within CMA)" $((48 * 1024))
ok 'as the kernel says' same "$(within CMA)" "$(meminfo CmaTotal)"
finish
