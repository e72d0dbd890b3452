#!/bin/sh
# SPDX-License-Identifier: MIT
# What pstore keeps of a panic: memory runs out in a guest whose kernel panics
# then; the next boot reads the end of the kernel's log, and who held the memory
# is there, whole.
#
# pstore keeps the last bytes of the log. Behind our report the kernel tells of
# the memory that ran out and of its panic: how much follows is told, and each
# place for it has the size that it usually has:
#   ERST of the firmware	10 KB, compressed, in several records
#   ramoops			one record of 4 KiB, compressed; a larger one if asked
. "$(dirname "$0")/lib.sh"
[ "${MATRIX-}" = all ] || skip_all 'MATRIX=all tries it'
. "$here/planted.sh"

by_module='load finit /lib/eater.ko eat=1'
by_task='tail /dev/zero'

# guest_of "COMMAND that takes all memory" [PARAMETERS of ramoops]: 1 MiB at 160
# MiB, between the kernel and the initramfs, is not the kernel's.
guest_of() {
	ramoops=${2:+mem_address=0xa000000 mem_size=0x100000}
	[ "${2-own}" = own ] || ramoops="$ramoops $2"
	starving_guest "${ramoops:+load_modules $ramoops}
mkdir -p /pstore
mount -t pstore pstore /pstore
if ls /pstore/dmesg-* >/dev/null; then
	cat \$(ls -r /pstore/dmesg-*) >&3
	say kept=\$(cat /pstore/dmesg-* | wc -c)
	say records=\$(ls /pstore/dmesg-* | wc -l)
	off
fi
$1"
	[ -z "$ramoops" ] || loadable ramoops
}

# panics NAME "parameters" [options of QEMU]: the guest boots twice.
panics() {
	name=$1 more=$2
	shift 2
	boot "rd.memstrack=1 memmap=1M\$160M sysctl.vm.panic_on_oom=1 $more" \
		-m 192 -r "$@"
	sed -n 's/^<[0-9]*>\(\[ *[0-9.]*\] \)\{0,1\}//p' "$facts" >"$work/kept"
	ok "$name: the kernel panics" seen 'Kernel panic.*panic_on_oom'
	ok "$name: and boots again, and reads what was kept" fact 'kept=[0-9]*'
	echo "# $name: $(value kept) bytes kept in $(value records) records," \
		"$(grep -c '^memstrack: ' "$work/kept") lines of ours;" \
		"our first line and what follows: $(from_ours) bytes"
}
# So many bytes of the log stand from our first line on.
from_ours() { sed -n '/memstrack: /,/^kept=/p' "$facts" | wc -c; }
kept() { grep -e "$1" "$work/kept"; }
kept_whole() {
	sed -n 's/^memstrack: //p' "$work/kept" | report_of 'memory is low' |
		whole_report
}
is_report() {
	ok "$1: whole" kept_whole
	ok "$1: names the module" kept 'culprit module eater '
}
is_line() {
	ok "$1: who, what and how much" \
		kept "memory is low at .* | culprit $2[[ ].* | advice at least .*"
	ok "$1: alone" same "$(grep -c '^memstrack: ' "$work/kept")" 1
}

guest_of "$by_module" record_size=0x20000
panics "the report" ''
is_report "the report"
panics "one line" rd.memstrack.format=line
is_line "one line" "module eater"

guest_of "$by_module" record_size=0x2000
panics "one line in 8 KiB" rd.memstrack.format=line
is_line "one line in 8 KiB" "module eater"

# Without the list of all tasks, without time stamps, and where slab is no reason
# for a table of its own, less than 9 KB follow.
guest_of "$by_task" own
panics "one line in ramoops' own 4 KiB" \
	'rd.memstrack.format=line sysctl.vm.oom_dump_tasks=0 printk.time=0'
is_line "one line in ramoops' own 4 KiB" "task tail"

if qemu-system-x86_64 -device help | grep -q acpi-erst; then
	guest_of "$by_module"
	panics "the report in ERST's 10 KB" '' -e "$work/errors"
	is_report "the report in ERST's 10 KB"
	rm -f "$work/errors"
	panics "one line in ERST's 10 KB" rd.memstrack.format=line \
		-e "$work/errors"
	is_line "one line in ERST's 10 KB" "module eater"
else
	skip "ERST's 10 KB" "this QEMU has no acpi-erst"
fi
finish
