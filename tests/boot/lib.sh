# SPDX-License-Identifier: MIT
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

. "$(dirname "$0")/../tap.sh"
boots=0
shown=none

[ "$(uname -m)" = x86_64 ] || skip_all "the guest is an x86-64 machine"
"$top/tests/need" qemu-system-x86 busybox-static cpio klibc-utils python3 \
	kmod xz-utils zstd >&2 || skip_all "packages are missing"
PATH=$PATH:/usr/sbin:/sbin
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
# What stdin says, once the guest can tell; then it is switched off.
and_off() {
	printf 'mounts\nfacts\n'
	cat
	echo off
}
guest_runs() { and_off | to_guest /init; }

# Images get this program from now on.
boots_program() {
	BOOT=$1
	rm -f "$work/overlay"
}

# The program with all tools of a host, which the guest's scripts then find as
# memstrack, beside /memstrack, which is the small one.
host_program() {
	mkdir -p "$guest/bin"
	cp "$MEMSTRACK" "$guest/bin/"
}

# guest_program SOURCE [OPTION...]: in C, static, in the guest's /bin.
guest_program() {
	"$top/tests/need" musl-tools >&2 || skip_all 'musl-gcc is missing'
	mkdir -p "$guest/bin"
	musl-gcc -std=gnu11 -D_GNU_SOURCE= -Os -static \
		-o "$guest/bin/$(basename "$1" .c)" "$@" || exit 1
}

# loadable NAME...: modules of the kernel with those that they need, in the order
# of their loading, as /modules/NUMBER-NAME.ko of the guest, where load_modules
# (guest.sh) loads them; loadable_in DIRECTORY NAME...
loadable() { loadable_in "$guest" "$@"; }
loadable_in() {
	mkdir -p "$1/modules"
	to=$1/modules number=100
	shift
	for module; do
		modprobe -d "$kernel/root" -S "$(cat "$kernel/release")" \
			--show-depends "$module"
	done 2>"$work/modprobe.err" | sed -n 's,^insmod \([^ ]*\).*,\1,p' |
		awk '!seen[$0]++' | while read -r file; do
		number=$((number + 1))
		name=${file##*/}
		case $file in
		*.xz) xz -dc "$file" ;;
		*.zst) zstd -qdc "$file" ;;
		*) cat "$file" ;;
		esac >"$to/$number-${name%%.*}.ko"
	done
}

initrd() {
	[ -e "$work/busybox.cpio" ] || {
		"$top/initramfs/busybox-tree" "$work/busybox"
		archive "$work/busybox" >"$work/busybox.cpio"
	}
	[ -e "$work/overlay" ] ||
		"$top/initramfs/overlay" "$BOOT" "$work/overlay"
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
# the speed of the console's line, if it has one. The host may keep the guest
# waiting, so PID 1 waits longer for the tracer than the usual 2 s.
run_as=rdinit=/memstrack
backend=${BACKEND:+rd.memstrack.backend=$BACKEND}
serial=''
start() {
	counted=''
	case " $* " in *' -i '*) counted=test.counted ;; esac
	parameters=$(echo "$run_as $counted $backend rd.memstrack.ready=120 $1" |
		tr -s '\t\n' '  ')
	shift
	boots=$((boots + 1))
	: >"$facts.raw"
	set -- "$top/initramfs/qemu" -s "$facts.raw" "$@" "$(kernel_image)" \
		"$work/initrd" "$parameters"
	[ -z "$serial" ] ||
		set -- /usr/bin/python3 -B "$here/serial.py" "$serial" "$@"
	"$@" >"$console.raw" 2>"$work/qemu.err"
	boot_status=$?
	tr -d '\r' <"$console.raw" >"$console"
	tr -d '\r' <"$facts.raw" | sed '/^sent=/,/^sent$/d' >"$facts"
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

# All of these are on the console; are facts. Of a fact NAME=VALUE, the value.
seen() { each_of "$console" -e "$@"; }
fact() { each_of "$facts" -xe "$@"; }
each_of() {
	within=$1 by=$2
	shift 2
	for text; do
		grep -q "$by" "$text" "$within" && continue
		echo "no $text" >&2
		return 1
	done
}
value() { sed -n "s/^$1=//p" "$facts" | tail -n 1; }
# Not on the console, of a guest that ended by itself or was stopped (-u).
unseen() { [ "$boot_status" = 0 ] && ! grep -e "$1" "$console"; }
# Not on the console, not among the facts, of a guest that came to the end of
# its script (guest.sh): of one that did not, nothing is known.
never_seen() { fact off=1 && ! grep -e "$1" "$console"; }
never_told() { fact off=1 && ! grep -e "$1" "$facts"; }

# Of lines of JSON from stdin, a number; of numbers, the sum.
number() { sed -n "s/.*\"$1\":\(-\{0,1\}[0-9]*\)[,}].*/\1/p"; }
sum() { awk '{ sum += $1 } END { print sum + 0 }'; }
# Among the facts a report in JSON, of which: a number of the first row of a
# type that has a text behind it, of TYPE NAME [TEXT]; a note with that text.
of() { grep "\"type\":\"$1\".*${3-}" "$facts" | number "$2" | head -n 1; }
note() { grep '"type":"note"' "$facts" | grep -e "$1"; }
# What makes such a report, which the guest then tells; of level 3. What has
# rings that lose nothing, whatever the host's mood.
json='rd.memstrack.format=json rd.memstrack.out=/report.json'
json_report="rd.memstrack=3 $json"
roomy='rd.memstrack.ring=4M rd.memstrack.mem=6M'

# agree NAME PROGRAM [ARGUMENT...]: a program beside the test reads what the
# guest sent (send), and finds no difference.
agree() {
	what_agrees=$1 program=$2
	shift 2
	/usr/bin/python3 -B "$here/$program" "$facts.raw" "$@" >"$work/said" 2>&1
	agreed=$?
	sed 's/^/# /' "$work/said"
	ok "$what_agrees" test $agreed = 0
}

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

# From stdin, each broken line in one piece.
unbroken() { sed ':a;N;$!ba;s/\n        / /g'; }

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
