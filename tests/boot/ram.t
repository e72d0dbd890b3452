#!/bin/sh
# SPDX-License-Identifier: MIT
# Where all of RAM is: the rows add up to the size of the machine, and what is
# unknown is little. Each row that can be is compared with something else: page
# structs with their number, the kernel's image with /proc/iomem, what was
# reserved for a crash kernel, bounce buffers and the log with the command line,
# per-CPU areas with the number of CPUs, hash tables with the kernel's log.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/boot/ram.sh
. "$here/ram.sh"

to_guest /init <<'INIT'
mounts
facts
memstrack report
grep '"type":"ram"' /report.json >&3
sed 's/^ */iomem=/' /proc/iomem >&3
dmesg | sed 's/^\[ *[0-9.]*\] //' >/log
grep -E 'hash table entries: |percpu: |TLB: mapped|log buffer data' /log |
	sed 's/^/log=/' >&3
sed -n 's|^Memory: [0-9]*K/\([0-9]*\)K .*|ram=\1|p' /log >&3
sed -n 's/^Freeing unused decrypted memory: \([0-9]*\)K/decrypted=\1/p' /log >&3
sed -n 's/^MemTotal: *\([0-9]*\) kB/total=\1/p' /proc/meminfo >&3
off
INIT

# Each table of the log that tells its order or its bytes alone, in whole pages.
hash_tables() {
	sed -n 's/^log=\(.* hash table\) entries: [^,]*, \([0-9]*\) bytes.*/\2 \1/p' \
		"$facts"
}
all_hash_tables() {
	hash_tables >"$work/tables"
	[ "$(wc -l <"$work/tables")" -ge 8 ] || return 1
	while read -r bytes name; do
		pages=$(((bytes + 4095) / 4096))
		kib=$((pages * 4))
		found=$(row '\(reserved\|before\)' "$name")
		echo "$name: ${found:-nothing} of $kib"
		[ "$found" = "$kib" ] || return 1
	done <"$work/tables"
}

# adds_up "name" MIB CPUS: what holds of every machine.
adds_up() {
	mib=$2 cpus=$3
	little_unknown "$1" "$mib"
	ok "$1: what the kernel was given is as it says" same \
		$((mib * 1024 - $(rows firmware))) "$(value ram)"
	ok "$1: what it keeps is what no page allocator got" same \
		"$(rows 'kernel|reserved')" \
		$(($(value ram) - $(value total)))
	# A section of 128 MiB has all of its page structs.
	sections=$(((mib + 127) / 128))
	ok "$1: page structs, 64 bytes each" is_between \
		"$(row reserved 'page structs')" $(($(value ram) / 64)) \
		$((sections * 2048))
	for part in code rodata data; do
		ok "$1: kernel $part as in iomem" same "$(row kernel $part)" \
			"$(of_iomem $part)"
	done
	bss=$(of_iomem bss)
	ok "$1: kernel bss, less what was freed of it" is_between \
		"$(row kernel bss)" $((bss - $(value decrypted) - 1)) \
		$((bss - $(value decrypted)))
	embedded=$(log 'percpu: Embedded \([0-9]*\) pages.*')
	ok "$1: per-CPU areas of $cpus CPUs" same \
		"$(row reserved 'per-CPU areas')" $((embedded * 4 * cpus))
	ok "$1: hash tables by name" all_hash_tables
}

json='rd.memstrack=1 rd.memstrack.format=json rd.memstrack.out=/report.json'
boot "$json" -m 256
adds_up 'one CPU' 256 1
ok 'one CPU: no bounce buffers' no_row reserved swiotlb
ok 'one CPU: the log is in the bss' no_row reserved 'log buffer'

# RAM above 4 GiB, behind the firmware's ROM: with bounce buffers.
boot 'crashkernel=32M log_buf_len=1M rd.memstrack=1
	rd.memstrack.out=auto,/report.json' -m 4608 -c 4
adds_up 'above 4 GiB' 4608 4
ok 'above 4 GiB: 32 MiB for a crash kernel' \
	same "$(row reserved crashkernel)" 32768
ok 'above 4 GiB: 64 MiB of bounce buffers' \
	same "$(row reserved swiotlb)" 65536
ok 'above 4 GiB: as the log says' \
	same "$(log '.*mapped .* (\([0-9]*MB\))')" 64MB
# With what describes the text, if the kernel tells that.
described=$(log '.*log buffer data + meta data: .* = \([0-9]*\) bytes.*')
ok 'above 4 GiB: a log of 1 MiB' same "$(row reserved 'log buffer')" \
	$((${described:-1048576} / 1024))
ours >"$work/text"
ok 'above 4 GiB: installed is what the machine has, in text' \
	grep '^ram  *4608.0M installed, unknown .* (0\.[0-9]%)$' "$work/text"
ok 'above 4 GiB: the bounce buffers, in text' \
	grep '^ .* swiotlb 64\.0M' "$work/text"
finish
