#!/bin/sh
# What pstore keeps of a panic: memory runs out in a guest whose kernel panics
# then; ramoops keeps the end of its log in memory that the reboot leaves alone;
# the next boot reads it, and who held the memory is there, whole.
#
# Behind our report the kernel tells of the memory that ran out and of its panic:
# more than the 9 KiB that a record of 4 KiB, ramoops' own size, holds after
# compression. So the records here have 128 KiB, and how much follows is told.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/boot/planted.sh
. "$here/planted.sh"
# shellcheck source=tests/boot/loadable.sh
. "$here/loadable.sh"

# 1 MiB at 160 MiB, between the kernel and the initramfs, is not the kernel's.
ramoops='mem_address=0xa000000 mem_size=0x100000 record_size=0x20000'
starving_guest "$load_functions
mkdir -p /pstore
mount -t pstore pstore /pstore
load_modules
load_last $ramoops
if [ -e /pstore/dmesg-ramoops-0 ]; then
	cat /pstore/dmesg-ramoops-* >&3
	say kept=\$(wc -c </pstore/dmesg-ramoops-0)
	off
fi
load finit /lib/eater.ko eat=1"
loadable ramoops

# panics NAME "parameters": the guest boots twice.
panics() {
	boot "rd.memstrack=1 memmap=1M\$160M sysctl.vm.panic_on_oom=1 $2" \
		-m 192 -r -t 240
	sed -n 's/^<[0-9]*>\[ *[0-9.]*\] //p' "$facts" >"$work/kept"
	ok "$1: the kernel panics" seen 'Kernel panic.*panic_on_oom'
	ok "$1: and boots again, and reads what was kept" fact 'kept=[0-9]*'
	echo "# $1: $(value kept) bytes kept, $(grep -c '^memstrack: ' \
		"$work/kept") lines of ours in them"
}
kept() { grep -e "$1" "$work/kept"; }
# All lines of the report: its first, as many as it says that it has, its last.
whole() {
	sed -n 's/^memstrack: //p' "$work/kept" |
		report_of 'memory is low' >"$work/report"
	written=$(sed -n 's/.* end of report, \([0-9]*\) lines$/\1/p' \
		"$work/report")
	same "$(wc -l <"$work/report")" $((${written:-0} + 1))
}

# So many bytes of the log stand from our first line on.
from_ours() { sed -n '/memstrack: /,$p' "$facts" | wc -c; }

panics "the report" ''
ok "the report: whole" whole
ok "the report: names the module" kept 'culprit module eater '
echo "# the report and what follows: $(from_ours) bytes"
panics "one line" rd.memstrack.format=line
ok "one line: who, what and how much" \
	kept 'OUT OF MEMORY .* | culprit module eater .* | advice at least .*'
ok "one line: alone" same "$(grep -c '^memstrack: ' "$work/kept")" 1
echo "# one line and what follows: $(from_ours) bytes"
finish
