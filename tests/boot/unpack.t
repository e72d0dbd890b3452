#!/bin/sh
# SPDX-License-Identifier: MIT
# An initramfs that cannot be unpacked to its end. memstrack stands first in the
# image, so it is there, and tells: what the kernel said; how much rootfs holds,
# and that this is all it may hold, by the kernel's rule half of the memory that
# is not reserved; how large the image was; and below which size of memory it
# will fail again. It tells so before the real init starts, because that may die
# at once: here by a panic. A broken image is told too; a whole one is not
# (any-image.t).
. "$(dirname "$0")/lib.sh"

# To the log where rootfs has no room for a file.
record() { cat "$facts" "$console" | grep '"type":"unpack"' | tail -n 1; }
field() { record | sed -n "s/.*\"$1\":\([0-9a-z]*\)[,}].*/\1/p"; }
log() { sed -n "s/.*$1.*/\1/p" "$console" | head -n 1; }

# The parts of an image: ours, the base, /init, a file that is too large.
to_guest /init <<'INIT'
mounts
facts
rows 'unpack|advice'
stat -f / | sed -n 's/^Blocks: Total: \([0-9]*\) .*/total=\1/p' >&3
exec 3>&-
stty -F /dev/ttyS1 echo
INIT
mkdir "$work/base" "$work/large"
"$top/initramfs/busybox-tree" "$work/base"
"$top/initramfs/overlay" "$BOOT" "$work/overlay"
# A whole file with four names, before and behind the one that is cut.
mkdir "$work/base/a" "$work/base/z"
head -c 700000 /dev/urandom >"$work/base/a/1"
for name in a/2 z/1 z/2; do
	ln "$work/base/a/1" "$work/base/$name"
done
head -c 80000000 /dev/urandom >"$work/large/large"
for part in base guest large; do
	archive "$work/$part" >"$work/$part.cpio"
done
rm -rf "$work/base" "$work/large"
image() { (cd "$work" && cat "$@" >initrd); }
kib() { # in whole pages
	up=$(($(wc -c <"$1") + 4095))
	echo $(((up - up % 4096) / 1024))
}
# The init exits, so the kernel panics.
image overlay base.cpio guest.cpio large.cpio
start "rd.memstrack=1 $json" -m 208
told='memstrack: initramfs unpacking failed: write error'
ok 'too large: the kernel said so, and we' \
	seen 'Initramfs unpacking failed: write error' "$told; rootfs is full"
ok 'before the init ran and the kernel panicked' comes_before "$told" \
	'Attempted to kill init'
reserved=$(log '[^0-9]\([0-9]*\)K reserved')
ram=$(log 'Memory: [0-9]*K\/\([0-9]*\)K')
limit=$(field limit_kib) held=$(field unpacked_kib)
lacks=$(field file_lacks_kib)
ok 'rootfs may hold half of what is not reserved' \
	is_between $((limit - (ram - reserved) / 2)) 0 64
ok 'as rootfs itself says' same "$limit" $(($(value total) * 4))
ok 'it is full' same "$(field rootfs_full)" 1
ok 'it holds that' is_between "$held" $((limit - 8)) "$limit"
ok 'the size of the image' same "$(field initrd_kib)" "$(kib "$work/initrd")"
ok 'in no less memory than what is reserved and twice that' \
	same "$(field more_than_kib)" $((2 * (held + lacks) + reserved))
# All parts but /init: it replaces the one of the base.
whole=80000000 bytes=$(wc -c <"$work/overlay")
ok 'the file that was being written lacks the rest' is_between \
	$(((whole / 1024 - lacks + $(kib "$work/base.cpio") + bytes / 1024) -
	held)) 0 1024
ok 'the advice is a bound' seen '"type":"advice".*"at_least":1'

# Nothing but us: the report follows, because nobody else can tell.
image overlay large.cpio
start 'rd.memstrack=1' -m 208 -u 'end of report'
ok 'no init at all: it is told, and that there is none' \
	seen "$told; rootfs is full" 'memstrack: no init could be executed'
ok 'the report comes by itself, with that and what was unpacked' \
	seen 'report .*, reason: SIGUSR1' "state   ${told#*: }; rootfs is full" \
	' Cached (initramfs) 4[0-9]\.[0-9]M'
ok 'no init that is not there is named' unseen 'exec /'
ok 'no panic: PID 1 does not exit' unseen 'Kernel panic'

# A compressed part that lacks its end.
mkdir "$work/text"
seq 3000000 >"$work/text/text"
archive "$work/text" | gzip -1 | head -c 3000000 >"$work/text.gz"
image overlay base.cpio guest.cpio text.gz
start "rd.memstrack=1 $json" -m 160
words=$(log '\] Initramfs unpacking failed: \(.*\)')
ok "broken: $words" same "$(record | sed 's/.*"error":"\([^"]*\)".*/\1/')" \
	"$words"
ok 'broken: in a line' \
	seen "memstrack: initramfs unpacking failed: $words; rootfs holds"
ok 'broken: before the init died' comes_before 'memstrack: initramfs unp' \
	'Attempted to kill init'
ok 'broken: rootfs is not full' same "$(field rootfs_full)" 0
ok 'broken: the file' eval "record | grep '\"file\":\"/text\"'"
ok 'broken: the image' same "$(field initrd_kib)" "$(kib "$work/initrd")"
ok 'broken: what it holds' is_between "$(field unpacked_kib)" 1024 \
	$(($(field limit_kib) - 1024))
ok 'broken: no memory would do' same "$(field more_than_kib)" null
finish
