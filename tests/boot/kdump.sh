# SPDX-License-Identifier: MIT
# Functions that the kdump tests share: a system kernel that loads a capture
# kernel with kexec(8) and crashes; the capture kernel, with memstrack as the
# first process, which dumps to a disk; and the content of that disk at the end.
#
# Both kernels are the same image. kexec and makedumpfile are Debian's, each
# with its libraries (tests/images/root). The facts of both kernels are in one
# file, because the second serial port outlives a kexec.
# shellcheck disable=SC2034 # for the tests
[ "${boots-}" ] || . "$(dirname "$0")/lib.sh"

"$top/tests/need" e2fsprogs >&2 || skip_all 'packages are missing'
# makedumpfile follows the kernel: for later ones, the latest.
suite=${SUITE:-bookworm}
[ "$suite" = bookworm ] || suite=sid
root=$("$top/tests/images/root" "$suite") ||
	skip_all 'kexec-tools and makedumpfile are not to be had'
release=$(cat "$kernel/release")
disk=$work/disk
tools=$work/tools
[ "$(id -u)" = 0 ] || skip_all 'chroot(1) is for root'

# As a boot loader starts it: kexec takes the map of RAM from there.
kernel_image() { echo "$kernel/vmlinuz"; }

# tool PROGRAM: from that root, with its libraries, to $tools and the guest.
tool() {
	for file in "$1" $(chroot "$root" ldd "$1" |
		sed -n 's,^[^/]*\(/[^ ]*\) (.*,\1,p'); do
		for into in "$tools" "$guest"; do
			mkdir -p "$into${file%/*}"
			cp -L "$root$file" "$into$file"
		done
	done
}
# run PROGRAM ARGUMENT...: a tool, here.
run() {
	program=$tools$1
	shift
	loader=$(echo "$tools"/lib64/ld-linux*)
	libraries=lib/x86_64-linux-gnu
	"$loader" --library-path "$tools/$libraries:$tools/usr/$libraries" \
		"$program" "$@"
}

# capture TARGET "options of makedumpfile": the initramfs of the capture kernel.
# It mounts TARGET, a device, or nothing, and dumps; then the script on stdin,
# as what a distribution runs behind a dump.
capture() {
	new_guest
	tool /usr/bin/makedumpfile
	[ ! -e "$work/hide" ] || cp "$work/hide" "$guest/"
	loadable virtio_pci virtio_blk ext4
	{ sed "s,@TARGET@,$1,; s,@OPTIONS@,$2," <<'INIT'; cat; } | guest_runs
uptime() { cut -d ' ' -f 1 /proc/uptime; }
load_modules
mkdir -p /var/crash
target=@TARGET@
[ -z "$target" ] || mount -t ext4 "$target" /var/crash
say "capture=$(uname -r) $(grep -c elfcorehdr= /proc/cmdline)"
say "begin=$(uptime)"
/usr/bin/makedumpfile @OPTIONS@ --message-level 4 /proc/vmcore \
	/var/crash/vmcore >&3 2>&3
say "dump=$?"
say "end=$(uptime)"
# What the advice and the rows of RAM of a report beside are made of.
figures() {
	grep '"type":"\(advice\|ram\)"' /report.json >&3
	sed 's/^ */iomem=/' /proc/iomem >&3
	dmesg | sed -n 's/^\[ *[0-9.]*\] \(Memory: \)/log=\1/p' >&3
	sed -n 's/^MemTotal: *\([0-9]*\) kB/total=\1/p' /proc/meminfo >&3
}
# As off(), which switches off.
again() {
	exec 3>&-
	stty -F /dev/ttyS1 echo
	stty -F /dev/ttyS0 -echoe
	reboot -f
}
INIT
	initrd
	mv "$work/initrd" "$work/capture"
}

# crash MIB "parameters of the capture kernel": the system kernel keeps so much
# for it, loads it and dies. What it says last is to be found in the dump. The
# disk is as it was left; empty_disk for a new one.
crash() {
	new_guest
	tool /sbin/kexec
	cp "$kernel/vmlinuz" "$work/capture" "$guest/"
	token=$(od -An -N 8 -t x8 /dev/urandom | tr -d ' ')
	guest_runs <<INIT
say "reserved=\$((\$(cat /sys/kernel/kexec_crash_size) >> 20))"
/sbin/kexec -p /vmlinuz --initrd=/capture --command-line="console=ttyS0 \
panic=-1 $2" >&3 2>&3
say "kexec=\$?"
say "loaded=\$(cat /sys/kernel/kexec_crash_loaded)"
echo "token $token" >/dev/kmsg
echo 1 >/proc/sys/kernel/sysrq
echo c >/proc/sysrq-trigger
INIT
	# With much less, where KASLR put the kernel leaves no room in one piece.
	boot "quiet crashkernel=$1M" -m $(($1 + 512)) -w "$disk"
	# debugfs would not look into the journal.
	e2fsck -p -E journal_only "$disk" >/dev/null 2>&1
}

empty_disk() {
	rm -f "$disk"
	truncate -s 256M "$disk"
	mkfs.ext4 -q -F "$disk" || exit 1
}
# fetch FILE NAME: of the disk, as $work/NAME; empty where it is not there.
fetch() {
	rm -f "$work/$2"
	debugfs -R "dump $1 $work/$2" "$disk" 2>/dev/null
	: >>"$work/$2"
}

# What all dumps are to show. The token is in them; and a dump can be filtered
# once more, or it was not written to its end.
token_in_dump() {
	rm -f "$work/dmesg"
	run /usr/bin/makedumpfile --dump-dmesg "$work/vmcore" "$work/dmesg" &&
		grep "token $token" "$work/dmesg" &&
		grep 'sysrq: Trigger a crash' "$work/dmesg"
}
# read_again [OPTION]: with that compression.
read_again() {
	rm -f "$work/again"
	run /usr/bin/makedumpfile "${1--c}" -d 31 "$work/vmcore" "$work/again" &&
		[ "$(wc -c <"$work/again")" = "$(wc -c <"$work/vmcore")" ]
}
# whole_of MARK: one report, with that mark, from its first line to its last.
whole_of() {
	same "$(grep -c "^report .* reason: $1\$" "$work/report")" 1 &&
		whole_report <"$work/report"
}
