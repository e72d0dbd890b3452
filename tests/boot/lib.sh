# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Functions that the boot tests share: boot a guest, then check what was seen.
#
# A test writes files into $guest (an initramfs of its own, with /init) and
# calls `boot`. Then it reads $console (the guest's console) and $facts (what
# the guest wrote to its second serial port, apart from the console). The image
# is a base with busybox, then $guest, then memstrack's own overlay, appended as
# a user would do it.
#
# BUILD: where memstrack.cpio and the kernels are. SUITE: another kernel.
# BACKEND: the source of events, where a test does not choose.
# shellcheck disable=SC2034,SC2154 # for the tests; of tap.sh

# shellcheck source-path=SCRIPTDIR/.. source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
boots=0
shown=none

[ "$(uname -m)" = x86_64 ] || skip_all "the guest is an x86-64 machine"
"$top/tests/need" qemu-system-x86 busybox-static cpio klibc-utils python3 \
	>&2 || skip_all "packages are missing"
kernel=$("$top/initramfs/kernel" ${SUITE:+"$SUITE"}) ||
	skip_all "no kernel to boot"

guest=$work/guest
console=$work/console
facts=$work/facts
mkdir -p "$guest"

# cpio of everything in directory $1.
archive() {
	(cd "$1" && find . | cpio --quiet -o -H newc -R 0:0)
}

# Start anew with an empty guest; "bare": without busybox below it.
base=busybox
new_guest() {
	base=${1:-busybox}
	rm -rf "$guest"
	mkdir -p "$guest"
}

# A script for the guest, from stdin: to_guest /init
to_guest() {
	mkdir -p "$guest$(dirname "$1")"
	cat "$here/guest.sh" - >"$guest$1"
	chmod +x "$guest$1"
}

initrd() {
	[ -e "$work/busybox.cpio" ] || {
		"$top/initramfs/busybox-tree" "$work/busybox"
		archive "$work/busybox" >"$work/busybox.cpio"
	}
	"$top/initramfs/overlay" "$MEMSTRACK" "$work/overlay"
	{
		[ "$base" = bare ] || cat "$work/busybox.cpio"
		archive "$guest"
		cat "$work/overlay"
	} >"$work/initrd"
}

# The kernel of each check is started unpacked, others as a boot loader does.
kernel_image() {
	case $kernel in
	*/kernel/bookworm) "$top/tests/images/vmlinux" "$kernel" ;;
	*) echo "$kernel/vmlinuz" ;;
	esac
}

# boot "parameters" [options of initramfs/qemu]
boot() {
	initrd
	start "$@"
}

# The same with $work/initrd as it is; $run_as is what makes us PID 1, $serial
# the speed of the console's line, if it has one.
run_as=rdinit=/memstrack
backend=${BACKEND:+rd.memstrack.backend=$BACKEND}
serial=''
start() {
	parameters=$(echo "$run_as $backend $1" | tr -s '\t\n' '  ')
	shift
	boots=$((boots + 1))
	: >"$facts.raw"
	set -- "$top/initramfs/qemu" -s "$facts.raw" "$@" "$(kernel_image)" \
		"$work/initrd" "$parameters"
	[ -z "$serial" ] ||
		set -- python3 -B "$here/serial.py" "$serial" "$@"
	"$@" >"$console.raw" 2>"$work/qemu.err"
	boot_status=$?
	tr -d '\r' <"$console.raw" >"$console"
	tr -d '\r' <"$facts.raw" >"$facts"
	[ "$boot_status" = 0 ] ||
		echo "# QEMU ended with $boot_status: $(cat "$work/qemu.err")"
}

# The same over a serial line of so many bytes a second:
# boot_serial BYTES "parameters" [options of initramfs/qemu]
boot_serial() {
	serial=$1
	shift
	boot "$@"
	serial=''
}

# A guest that hangs is stopped with the test, by who runs it.
trap 'tail -n 20 "$console.raw" 2>/dev/null | sed "s/^/# /"; exit 1' TERM

# The first test that fails after a boot shows what was seen.
on_failure() {
	[ "$shown" != "$boots" ] || return
	shown=$boots
	echo '--- console'
	tail -n 40 "$console"
	echo '--- facts'
	tail -n 20 "$facts"
}

# On the console; among the facts; a fact NAME=VALUE, its value.
seen() { grep -q -e "$1" "$console"; }
fact() { grep -q -x -e "$1" "$facts"; }
value() { sed -n "s/^$1=//p" "$facts" | tail -n 1; }
# Not on the console, of a guest that ended by itself or was stopped (-u).
unseen() { [ "$boot_status" = 0 ] && ! grep -e "$1" "$console"; }
# Not on the console, not among the facts, of a guest that came to the end of its
# script (guest.sh): of one that did not, nothing is known.
never_seen() { fact off=1 && ! grep -e "$1" "$console"; }
never_told() { fact off=1 && ! grep -e "$1" "$facts"; }

# Of lines of JSON from stdin, a number.
number() { sed -n "s/.*\"$1\":\(-\{0,1\}[0-9]*\)[,}].*/\1/p"; }
# Among the facts a report in JSON, of which: a number of the first row of a
# type that has a text behind it, of TYPE NAME [TEXT]; a note with that text.
of() { grep "\"type\":\"$1\".*${3-}" "$facts" | number "$2" | head -n 1; }
note() { grep '"type":"note"' "$facts" | grep -e "$1"; }
# What makes such a report, which the guest then tells.
json_report='rd.memstrack=3 rd.memstrack.format=json
	rd.memstrack.out=/report.json'

# The kernel's log as the console shows it, without stamps; of this, our lines.
console_log() { sed 's/^\[ *[0-9.]*\] //' "$console"; }
ours() { console_log | sed -n 's/^memstrack: //p'; }
# The line of the console where a text stands first; does one come before
# another?
line_of() { grep -n -m 1 -e "$1" "$console" | cut -d: -f1; }
comes_before() {
	first=$(line_of "$1") second=$(line_of "$2")
	echo "$1: ${first:-never}; $2: ${second:-never}"
	[ "$first" ] && [ "$second" ] && [ "$first" -lt "$second" ]
}
# A report with a reason, an ERE, is whole before the first line with a text.
report_before() {
	sed "/$2/q" "$console" | sed -n -E "/ reason: ($1)/,\$p" |
		grep -e 'end of report'
}

# From stdin, without prefixes: the whole reports with a reason, an ERE.
report_of() {
	awk -v reason=" reason: ($1)" '
		/^memstrack [0-9.]*: .*([,;] [0-9]* lost|; sampled$)/ { text = wanted = "" }
		{ text = text $0 "\n" }
		$0 ~ reason { wanted = 1 }
		/: end of report, / {
			if (wanted)
				printf "%s", text
			text = wanted = ""
		}'
}
