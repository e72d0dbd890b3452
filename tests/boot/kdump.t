#!/bin/sh
# SPDX-License-Identifier: MIT
# kdump from end to end. A kernel crashes; the capture kernel that it had
# loaded boots with memstrack as its first process, dumps to a disk and
# reboots. The report covers the dump, and is on the console and beside the
# dump. It says where all of RAM is: the memory that was kept for this kernel,
# and a part of the first MiB. A tracer that does not see elfcorehdr=, which only
# x86 has on the command line, knows the capture kernel too.
#
# MATRIX=all: in a second crash, the advised crashkernel= is enough (else that
# is shown of machines: advised.t), and the report is in the
# kernel log. If a dump fills the memory of the capture kernel, the report says
# who filled it.
. "$(dirname "$0")/again.sh"
. "$here/kdump.sh"
. "$here/ram.sh"

# Decimals, compared: at_least 17.4 15.2
at_least() {
	echo "${1:-nothing}, at least ${2:-nothing}?"
	[ -n "$1" ] && [ -n "$2" ] &&
		awk -v a="$1" -v b="$2" 'BEGIN { exit !(a >= b) }'
}

# A size of a report, in KiB.
kib() {
	echo "$1" | awk '{
		unit = index("KMG", substr($1, length($1)))
		print $1 * (unit == 3 ? 1048576 : unit == 2 ? 1024 : 1)
	}'
}
# shown LINE TEXT: the size or number that follows the text, in that line.
shown() { sed -n "s/^$1  *.*$2\([0-9.]*[KMG]\{0,1\}\).*/\1/p" "$work/report"; }
dumper() { grep -m 1 "^makedumpfile\[" "$work/report"; }

# Each line of it, however it got there.
on_console() {
	sed 's/^\[ *[0-9.]*\] memstrack: //' "$console" >"$work/lines"
	! grep -v -x -F -f "$work/lines" "$work/report" && [ -s "$work/report" ]
}

# Of 256 MiB that the system kernel had, most were free or of the initramfs.
plausible() {
	[ "$(head -c 8 "$work/vmcore")" = 'KDUMP   ' ] &&
		at_least "$(wc -c <"$work/vmcore")" 4194304 &&
		at_least 134217728 "$(wc -c <"$work/vmcore")"
}

# The figures of the advice, of this many MiB. (How it follows from them, and how
# the text rounds it: replay/cases/kdump.py, ram.t.)
advice() {
	total=$(of advice ram_kib) lowest=$(of advice lowest_free_kib)
	advised=$(shown advice 'crashkernel=')
	sampled=$(shown memstrack 'lowest free ') peak=$(shown peak 'free ')
	grep -e '^advice' -e '^used' "$work/report"
}
# The lower of the lowest sample and of what was free at the peak; and the pages
# on per-CPU lists, less than 1 MiB here.
from_lowest() {
	advice || return 1
	echo "lowest sample $sampled, at the peak $peak"
	lower=$(kib "$sampled")
	at_least "$(kib "$peak")" "$lower" || lower=$(kib "$peak")
	is_between "$lowest" $((${lower%.*} - 52)) $((${lower%.*} + 1024)) &&
		is_between "$total" $((($1 - 1) * 1024)) $((($1 + 1) * 1024))
}
# dumped "name" MIB: what holds of a crash after which all went well.
dumped() {
	ok "$1: $2 MiB are kept for the capture kernel" fact "reserved=$2"
	ok "$1: which is loaded" fact kexec=0
	ok "$1: and runs" fact "capture=$release 1"
	ok "$1: makedumpfile is well" fact dump=0
	ok "$1: the dump has what was said last" token_in_dump
	ok "$1: the dump has the format, and a size to be believed" plausible
	ok "$1: and all of it can be read" read_again -l
	ok "$1: memstrack report is well" fact report=0
	ok "$1: the report beside the dump is whole" whole_of request
	ok "$1: and on the console" on_console
	ok "$1: traced from before the dump" at_least "$(value begin)" \
		"$(sed -n 's/^report .* traced +\([0-9.]*\) s to .*/\1/p' \
		"$work/report")"
	ok "$1: to its end" at_least "$(sed -n \
		's/^report .* to +\([0-9.]*\) s, .*/\1/p' "$work/report")" \
		"$(value end)"
	ok "$1: the peak is after its beginning" at_least \
		"$(shown peak 'at +')" "$(value begin)"
	ok "$1: makedumpfile comes first" sh -c "grep -A 1 '^task  ' \
		'$work/report' | grep '^makedumpfile\['"
	# It wrote them through the page cache.
	ok "$1: with the dump's pages" at_least \
		"$(kib "$(dumper | awk '{ print $3 }')")" \
		$(($(wc -c <"$work/vmcore") / 1024))
	ok "$1: advice from the lowest free memory" from_lowest "$2"
	ok "$1: crashkernel=${advised:-?} is what JSON has" same \
		"$((${advised%M} * 1024))" "$(of advice advice_kib)"
	ok "$1: it reboots" seen 'reboot: Restarting system'
	ok "$1: and QEMU ends" test "$boot_status" = 0
}
accounts_for_ram() {
	ok "$1: installed: what it was given, and the firmware's pages" \
		is_between "$(row all installed)" "$(system_ram)" $(($(system_ram) + 256))
	given=$(log 'Memory: [0-9]*K.\([0-9]*\)K .*')
	ok "$1: what it was given is as the kernel says" same \
		$(($(row all installed) - $(rows firmware))) "$given"
	adds_up "$1"
	ok "$1: unknown are $(row unknown unknown) KiB, of 2 %" is_between \
		"$(row unknown unknown)" -320 $(($(row all installed) / 50))
	keeps_rest "$1" "$given" "$(value total)"
	ok "$1: nothing is kept for another crash kernel" \
		no_row reserved crashkernel
	as_in_iomem "$1" code rodata data
}

dump() {
	empty_disk
	crash "$1" "nr_cpus=1 reset_devices rdinit=/memstrack $2"
	fetch /vmcore vmcore
	fetch /report all
	# Without one before it, of memory that was low.
	report_of request <"$work/all" >"$work/report"
}

# To a file of the dump target, by the command line; then to the console.
capture /dev/vda '-l -d 31' <<'INIT'
memstrack report
say "report=$?"
figures
cat /var/crash/report >/dev/console
umount /var/crash
kill_tracers
cmdline='rd.memstrack=1 rd.memstrack.format=json rd.memstrack.out=/hidden' \
	hide=none /hide boot
wait_for_report
sed -n 's/.*"type":"advice","of":"\([a-z]*\)".*/hidden=\1/p' /hidden >&3
again
INIT
dump 192 'rd.memstrack=2 rd.memstrack.out=/var/crash/report,/report.json'
dumped 'to a file' 192
accounts_for_ram 'to a file'
ok 'without elfcorehdr= it is a capture kernel' fact hidden=crashkernel
[ "${MATRIX-}" = all ] || finish

# To the kernel log, which is kept beside the dump.
capture /dev/vda '-l -d 31' <<'INIT'
memstrack report
say "report=$?"
figures
dmesg | sed -n 's/^\[ *[0-9.]*\] memstrack: //p' >/var/crash/report
umount /var/crash
again
INIT
size=${advised%M}
dump "${size:-192}" 'rd.memstrack=1 rd.memstrack.out=kmsg,/report.json'
dumped "with what it advised" "${size:-192}"

# Nothing is mounted where the dump goes: it fills memory. A kernel with root=
# unpacks its initramfs to a ramfs, which takes all there is.
capture '' '-E -d 0' <<'INIT'
again
INIT
dump 128 'rd.memstrack=1 root=/dev/vda'
# The first report when memory ran out, as far as it came before the kill.
killed='Out of memory: Killed process [0-9]* (makedumpfile)'
sed "/$killed/q" "$console" | sed -n 's/^\[ *[0-9.]*\] memstrack: //p' |
	report_of 'memory is low' >"$work/report"
# Of its table $1, the first row.
first() { sed -n "/^$1  /{n;p;q}" "$work/report"; }
nearly_all() {
	at_least "$(kib "$(first task | awk '{ print $2 }')")" \
		"$(kib "$(awk '$1 == "traced" { print $2 }' "$work/report")" |
			awk '{ print $1 * 0.9 }')"
}
ok 'no target: the dump fails' fact 'dump=137'
ok 'no target: makedumpfile is killed' seen "$killed"
ok 'no target: a whole report before that' whole_of 'memory is low'
ok 'no target: makedumpfile comes first' sh -c \
	"grep -A 1 '^task  ' '$work/report' | grep '^makedumpfile\['"
ok 'no target: with nearly all that is traced' nearly_all
ok 'no target: by writing a file' grep 'generic_perform_write+' "$work/report"
ok 'no target: the kill is told' \
	seen 'memstrack: .* OOM kill of makedumpfile\[[0-9]*\]: '
ok 'no target: QEMU ends' test "$boot_status" = 0
finish
