#!/bin/sh
# SPDX-License-Identifier: MIT
# Where all of RAM is in a kernel that dumps another one: it has the memory that
# was kept for it and a part of the first MiB, with bounce buffers in it; the
# rows add up to that, and little is unknown. Only in make check-all: ram.t has
# all of this, in a kernel that was not loaded by another one.
. "$(dirname "$0")/kdump.sh"
. "$here/ram.sh"
only_in_check_all

guest_runs <<'INIT'
rows ram
sed 's/^ */iomem=/' /proc/iomem >&3
dmesg | sed 's/^\[ *[0-9.]*\] /log=/' | grep -E 'Memory: |percpu: ' >&3
sed -n 's/^MemTotal: *\([0-9]*\) kB/total=\1/p' /proc/meminfo >&3
say "capture=$(grep -c elfcorehdr= /proc/cmdline)"
INIT
initrd
mv "$work/initrd" "$work/capture"
empty_disk
crash 160 "nr_cpus=1 reset_devices swiotlb=16384,force rdinit=/memstrack
rd.memstrack=1 $json"

# RAM and what the firmware kept beside it, in KiB.
ranges() {
	sed -n "s/^iomem=\([0-9a-f]*\)-\([0-9a-f]*\) : System RAM\$/\1 \2/p" \
		"$facts" | while read -r first last; do
		echo $(((0x$last + 1 - 0x$first) / 1024))
	done | sum
}
given=$(log 'Memory: [0-9]*K.\([0-9]*\)K .*')
ok 'the capture kernel reports' fact capture=1
ok "installed: what it was given, $(ranges) KiB, and the firmware's pages" \
	is_between "$(row all installed)" "$(ranges)" $(($(ranges) + 256))
ok 'what it was given is as the kernel says' same \
	$(($(row all installed) - $(rows firmware))) "$given"
ok 'the rows add up' same "$(rows \
	'firmware|kernel|reserved|before|traced|free|unknown')" \
	"$(row all installed)"
ok "unknown are $(row unknown unknown) KiB, of 2 %" is_between \
	"$(row unknown unknown)" -320 $(($(row all installed) / 50))
keeps_rest kdump "$given" "$(value total)"
ok '16384 bounce buffers of 2 KiB' same "$(row reserved swiotlb)" 32768
ok 'nothing is kept for another crash kernel' no_row reserved crashkernel
as_in_iomem kdump code rodata data
finish
