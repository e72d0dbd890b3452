#!/bin/sh
# SPDX-License-Identifier: MIT
# The advice holds: a machine of the advised size boots. This is shown for three
# kinds of advice: for the peak; for the unpacking of the initramfs, whose
# compressed form stands beside its content; and for a rootfs that holds at most
# half of memory. A machine with somewhat less than the memory that the advice
# says is used does not boot. MATRIX=all: nor does one with less than another limit
# of rootfs needs; a limit that is no part of memory; with what is advised for
# many files none is missing; and for a machine of 16 GiB that uses little of it,
# the advice does not include its page structs.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"

# A report, of which the names take as long as half a boot, unless it is only
# asked whether the machine boots.
asked='
asked() {
	grep -q test.boots /proc/cmdline && return 1
	rm -f /report.json
	memstrack report
}'
init() { { echo "$asked"; cat; } | to_guest /init; }

# All of it in one compressed archive; its init tells the advice.
compressed() {
	init <<'INIT'
mounts
facts
asked && grep '"type":"advice"\|"rootfs limit"\|"reserved","kib"' \
	/report.json >&3
say "rootfs=$(stat -f -c %b /)"
say booted=1
kill_tracers
off
INIT
	initrd
	gzip -1 "$work/initrd"
	mv "$work/initrd.gz" "$work/initrd"
}
# In MiB; 0 where nothing was told.
mib() {
	kib=$(of advice "$1")
	echo $((${kib:-0} / 1024))
}
boots_with() {
	start "quiet rd.memstrack=1 rd.memstrack.format=json
		rd.memstrack.out=/report.json ${2:-}" -m "$1"
}
advised_for() { ok "$1: the advice is for that" grep "\"for\":\"$2\"" "$facts"; }

# advised NAME FOR FAILURE [PARAMETERS]: of 256 MiB, of what is advised, and of
# less than is needed: 640 KiB to 1 MiB are no RAM.
advised() {
	boots_with 256 "${4:-}"
	ok "$1: it boots" fact booted=1
	advised_for "$1" "$2"
	advice=$(mib advice_kib)
	need=$(mib need_kib)
	echo "# $1: $need MiB are needed, $advice MiB advised"
	ok "$1: the advice is a twentieth more, in steps of 4 MiB" test \
		$((advice % 4 == 0 && advice * 20 >= need * 21 &&
		(advice - 6) * 20 <= need * 21)) = 1
	boots_with "$advice" "test.boots ${4:-}"
	ok "$1: it boots with $advice MiB" fact booted=1
	boots_with $((need - 8)) "test.boots ${4:-}"
	ok "$1: it does not with $((need - 8)) MiB" fails fact booted=1
	ok "$1: for that reason" seen "$3"
}

# 40 MB that cannot be compressed.
head -c 40000000 /dev/urandom >"$guest/random"
compressed
# A kernel that is given a root unpacks to a ramfs.
advised 'unpacking' unpacking 'deadlocked on memory' root=/dev/vda
advised 'rootfs' rootfs 'Initramfs unpacking failed: write error'

# Another limit of rootfs than half of memory. Its inodes are limited too: the
# last files are those that are missing.
if grep -q initramfs_options "$("$top/tests/images/vmlinux" "$kernel")"; then
	boots_with 256 initramfs_options=size=90%
	ok '90 %: it boots' fact booted=1
	# In pages. Half of the memory that the image leaves would be less.
	ok '90 %: so large is rootfs' is_between "$(value rootfs)" 26000 65536
	ok '90 %: the limit is told' grep '"name":"rootfs limit"' "$facts"
	need=$(of advice rootfs_kib)
	reserved=$(of baseline kib '"name":"reserved"')
	ok "90 %: the file needs so much of the limit" is_between "$need" \
		$((40000000 * 10 / 9 / 1024 + reserved)) \
		$((43000000 * 10 / 9 / 1024 + reserved))
	[ "${MATRIX-}" != all ] || {
		boots_with $((need / 1024 - 8)) \
			"test.boots initramfs_options=size=90%"
		ok "90 %: with less it does not boot" fails fact booted=1
		boots_with 256 initramfs_options=size=150M
		ok "150 MiB: this is no part of memory" \
			grep '"type":"advice".*"rootfs_kib":null' "$facts"
	}
else
	skip 'other limits of rootfs' 'the kernel has no initramfs_options='
fi
# many FILES: empty ones, behind all else; the image of the tracer comes first.
many() {
	new_guest busybox
	init <<'INIT'
mounts
facts
asked && grep '"type":"advice"' /report.json >&3
ls -i /many | sort -n | awk 'END { print "files=" NR "\nlast=" $2 }' >&3
say "inodes=$(stat -f -c %c /)"
kill_tracers
off
INIT
	initrd
	mkdir -p "$work/files/many"
	(cd "$work/files/many" && seq -f f%g "$1" | xargs touch)
	archive "$work/files" >"$work/many.cpio"
	cat "$work/overlay" "$work/initrd" "$work/many.cpio" >"$work/both"
	mv "$work/both" "$work/initrd"
}
many 12000
boots_with 256
advised_for inodes rootfs
advice=$(mib advice_kib)
ok 'inodes: each file has a page of what rootfs may hold, and there are others' \
	is_between "$(of advice rootfs_kib)" 96000 156000
[ "${MATRIX-}" != all ] || {
	boots_with "$advice" test.boots
	ok "inodes: no file is missing with $advice MiB" fact files=12000
}
# With less than the files need.
boots_with 104
ok 'inodes: files are missing' is_between "$(value files)" 1 11999
# No file can be made for the report: it is in the log.
ok 'inodes: that is told, with how many there are, and the last file' grep \
	"no inode was left.*\"file\":\"/many/$(value last)\".*\"inodes\":$(
	value inodes)," "$console"
ok 'inodes: nothing is advised' grep \
	'"type":"advice".*"advice_kib":null.*"reason":"nobody knows' "$console"

# advice.t has the figures of a small machine.
if [ "${MATRIX-}" != all ]; then
	skip '16 GiB' 'MATRIX=all boots it'
elif [ "$(awk '/^MemTotal:/ { print $2 }' /proc/meminfo)" -gt 17825792 ]; then
	new_guest busybox
	compressed
	boots_with 16384
	advised_for '16 GiB' peak
	ok '16 GiB: page structs are 64 bytes in 4096' is_between \
		"$(of advice scaled_kib)" 1 $((16384 * 1024 / 64))
	ok '16 GiB: which are most of what is used' is_between \
		"$(mib used_kib)" 1 $(($(mib scaled_kib) * 2))
	ok '16 GiB: a small machine is advised' is_between \
		"$(of advice advice_kib)" 1 262144
	advice=$(mib advice_kib)
	boots_with "$advice"
	ok "16 GiB: it boots with $advice MiB" fact booted=1
	# For devices that cannot reach beyond 4 GiB; 32 MiB at most of ours.
	ok '16 GiB: there an IO TLB and larger tables of ours were used, no more' \
		is_between "$advice" 1 $(($(mib advice_kib) + 64 + 32 + 16))
else
	skip '16 GiB' 'there is not as much here'
fi
finish
