#!/bin/sh
# SPDX-License-Identifier: MIT
# Kinds of memory beside the kernel's own figures of the same instant: how much
# Shmem, Cached, AnonPages, PageTables and KernelStack of /proc/meminfo have
# grown since tracing began, against what the table `kind` holds.
#
# They cannot be the same to the page. The kernel counts a page when it is
# mapped or put into a cache, the tracer when it is allocated; and of pages from
# before tracing, some are freed meanwhile, which only the kernel's figure shows.
# So each bound is the figure from before and a part for pages on their way.
# MATRIX=all: pages of a balloon, too.
. "$(dirname "$0")/loadable.sh"
"$top/tests/need" e2fsprogs >&2 || skip_all "packages are missing"

loadable virtio_pci virtio_blk ext4
mkdir -p "$work/disk"
head -c 12M /dev/urandom >"$work/disk/file"
truncate -s 32M "$work/ext4"
mkfs.ext4 -q -F -d "$work/disk" "$work/ext4"

guest_runs <<'INIT'
load_modules
# The tracer reads the names of functions beside this, on the other CPU, with
# most of its time: until it takes less than a quarter of a second in one.
spent() { awk '{ print $14 + $15 }' "/proc/$(tracers)/stat"; }
until
	before=$(spent)
	sleep 1
	[ $(($(spent) - before)) -lt 25 ]
do :; done
mkdir -p /tmp /disk
mount -t tmpfs tmpfs /tmp
mount -t ext4 -o ro /dev/vda /disk
dd if=/dev/zero of=/tmp/kept bs=1M count=20
dd if=/dev/zero of=/tmp/removed bs=1M count=9
rm /tmp/removed
cat /disk/file >/dev/null
# How many processes wait in a function of the kernel.
waiting() { grep -l "$1" /proc/[0-9]*/wchan 2>/dev/null | wc -l; }
# Anonymous memory: dd's buffer, while nobody reads what it writes.
mkfifo /pipe
dd if=/dev/zero bs=24M count=1 >/pipe &
sleep 1000 </pipe &
# Stacks and page tables.
for _ in $(seq 60); do
	sleep 1000 &
done
until [ "$(waiting pipe_write)" = 1 ] && [ "$(waiting nanosleep)" -ge 61 ]; do
	usleep 50000
done
meminfo() {
	sed -n "s/^\([A-Za-z]*\): *\([0-9]*\) kB/$1.\1=\2/p" /proc/meminfo
}
meminfo before >/run/before
memstrack report
meminfo after >/run/after
cat /run/before /run/after >&3
cat /run/report >&3
INIT

boot "rd.memstrack=3 rd.memstrack.format=json rd.memstrack.out=/run/report
	$roomy" -d "$work/ext4" -m 256 -c 2
# KiB that a kind holds; one that never held a page has no row.
kind() {
	pages=$(of kind now_pages "\"name\":\"$1\"")
	echo $((${pages:-0} * 4))
}
# agrees FIGURE BEFORE KIB SLACK [UNCOUNTED]: what it has grown by since tracing
# began; the kernel may leave out so much.
agrees() {
	was=$(of baseline kib "\"name\":\"$2\"")
	low=$(value "before.$1") high=$(value "after.$1")
	[ "$low" -le "$high" ] || { low=$high; high=$(value "before.$1"); }
	echo "# $1: $was KiB before, $low to $high now; kinds: $3 KiB" >&4
	[ "$3" -ge $((low - was - $4)) ] &&
		[ $(($3 - ${5:-0})) -le $((high - was + $4)) ]
}
exec 4>&1
ok 'the guest ends by itself' [ "$boot_status" = 0 ]
ok 'nothing was lost' same "$(of head lost)" 0
ok 'tmpfs is what Shmem has grown by' agrees Shmem Shmem "$(kind tmpfs)" 128
ok 'tmpfs and page cache, what Cached has' agrees Cached 'Cached (initramfs)' \
	$(($(kind tmpfs) + $(kind 'page cache') + $(kind loop/squashfs))) 512
ok 'anonymous is AnonPages' agrees AnonPages AnonPages "$(kind anonymous)" 768
# 6.1 and 6.12 count only the two lowest levels.
upper=$(grep '"type":"stack","owner":"module:.*"\(pgd\|__p[u4]d\)_alloc+' \
	"$facts" | number now_pages | awk '{ sum += $1 } END { print sum * 4 }')
ok 'page tables, what PageTables has' agrees PageTables PageTables \
	"$(kind 'page tables')" 128 "$upper"
ok 'kernel stacks, what KernelStack has' agrees KernelStack KernelStack \
	"$(kind 'kernel stacks')" 256
# The removed file counts: only who knew the functions in time can tell.
tmpfs() { of kind "$1" '"name":"tmpfs"'; }
peak_known() {
	peak=$(tmpfs peak_pages)
	echo "peak $peak, at most $(tmpfs peak_at_most_pages) pages"
	[ "$peak" = "$(tmpfs peak_at_most_pages)" ] &&
		[ "$peak" -ge $((29 * 256)) ] &&
		[ "$peak" -le $((29 * 256 + 32)) ]
}
ok 'the peak of tmpfs is known' peak_known
# Of what was taken in all, in KiB.
other_share() {
	taken=$(grep '"type":"kind"' "$facts" | number now_pages |
		awk '{ sum += $1 } END { print sum * 4 }')
	echo "# other: $(kind other) of $taken KiB" >&4
	[ $(($(kind other) * 20)) -lt "$taken" ]
}
ok 'what no rule knows is less than a 20th' other_share

# What the host takes back by a balloon is needed, and is the balloon's module's.
# QEMU is asked before the guest has a driver.
if [ "${MATRIX-}" = all ]; then
new_guest
loadable virtio_pci virtio_balloon
guest_runs <<'INIT'
until_traced
load_modules
until [ "$(sed -n 's/^balloon_inflate //p' /proc/vmstat)" -ge 25600 ]; do
	usleep 50000
done
memstrack report
cat /report.json >&3
INIT
mkfifo "$work/host.in" "$work/host.out"
cat "$work/host.out" >"$work/said" &
echo '{"execute":"qmp_capabilities"}
{"execute":"balloon","arguments":{"value":163577856}}' >"$work/host.in" &
boot "rd.memstrack=2 $json $roomy" -m 256 -o "-device virtio-balloon-pci
	-chardev pipe,id=host,path=$work/host
	-mon chardev=host,mode=control"
held=$(of module now_pages '"name":"virtio_balloon"')
ok "balloon: its module holds 100 MiB, $held pages" \
	is_between "$held" 25600 25700
ok 'balloon: it is the culprit' is_between \
	"$(grep -c '"type":"verdict".*"module":"virtio_balloon"' "$facts")" 1 1
ok 'balloon: and needed' test "$(of advice need_kib)" -ge 140000
fi
finish
