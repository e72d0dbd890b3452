#!/bin/sh
# SPDX-License-Identifier: MIT
# Where all of RAM is in a kernel that dumps another one: it has the memory that
# was kept for it and a part of the first MiB, with bounce buffers in it; the
# rows add up to that, and little is unknown.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/boot/kdump.sh
. "$here/kdump.sh"
# shellcheck source=tests/boot/ram.sh
. "$here/ram.sh"

to_guest /init <<'INIT'
mounts
facts
memstrack report
grep '"type":"ram"' /report.json >&3
sed 's/^ */iomem=/' /proc/iomem >&3
dmesg | sed 's/^\[ *[0-9.]*\] /log=/' | grep -E 'Memory: |percpu: ' >&3
sed -n 's/^MemTotal: *\([0-9]*\) kB/total=\1/p' /proc/meminfo >&3
say "capture=$(grep -c elfcorehdr= /proc/cmdline)"
off
INIT
initrd
mv "$work/initrd" "$work/capture"
empty_disk
crash 160 "nr_cpus=1 reset_devices swiotlb=16384,force rdinit=/memstrack
rd.memstrack=1 rd.memstrack.format=json rd.memstrack.out=/report.json"

# RAM and what the firmware kept beside it, in KiB.
ranges() {
	sed -n "s/^iomem=\([0-9a-f]*\)-\([0-9a-f]*\) : System RAM\$/\1 \2/p" \
		"$facts" | while read -r first last; do
		echo $(((0x$last + 1 - 0x$first) / 1024))
	done | awk '{ sum += $1 } END { print sum + 0 }'
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
ok 'what it keeps is what no page allocator got' same \
	"$(rows 'kernel|reserved')" $((given - $(value total)))
ok '16384 bounce buffers of 2 KiB' same "$(row reserved swiotlb)" 32768
ok 'nothing is kept for another crash kernel' no_row reserved crashkernel
for part in code rodata data; do
	ok "kernel $part as in iomem" same "$(row kernel $part)" \
		"$(of_iomem $part)"
done
finish
