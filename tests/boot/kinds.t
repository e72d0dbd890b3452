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
# Huge pages are the kernel's own figure, to the page: asked for by sysctl they
# are a kind, with the task that asked; used and unused ones are told apart.
# MATRIX=all: with hugepages=, and sampled; buffers of a GPU. (A balloon: memory.t.)
. "$(dirname "$0")/lib.sh"
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
	was=$(of baseline size_kib "\"name\":\"$2\"")
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

# huge "name" "parameters": 90 are asked for, if they are not there yet; a file
# takes 15 of them.
new_guest
guest_runs <<'INIT'
[ "$(cat /proc/sys/vm/nr_hugepages)" = 90 ] ||
	sysctl -w vm.nr_hugepages=90 >/dev/null
mkdir /huge
mount -t hugetlbfs hugetlbfs /huge
fallocate -l 30M /huge/file
sed -n 's/^HugePages_\([A-Za-z]*\): *\([0-9]*\)$/\1=\2/p' /proc/meminfo >&3
rows ''
INIT
huge() {
	name=$1
	boot "rd.memstrack=2 $json $roomy $2" -m 384
	ok "$name: there are 90, a file has 15" \
		fact Total=90 Free=75 Rsvd=0 Surp=0
	is "$name: JSON has them, in pages" "$(of huge_pages used_pages) $(of \
		huge_pages unused_pages) $(of huge_pages other_sizes_pages)" \
		"$((15 * 512)) $((75 * 512)) 0"
}
is_kind() {
	is "$name: all are a kind" "$(of kind now_pages \
		'"name":"huge pages"')" $((90 * 512))
	ok "$name: what no rule knows is less than $1 KiB" \
		is_between "$(kind other)" 0 "$1"
}
huge sysctl ''
is_kind 1024
ok 'sysctl: who asked for them is the culprit' \
	grep '"type":"verdict".*"task":"sysctl"' "$facts"
if [ "${MATRIX-}" = all ]; then
	huge hugepages= hugepages=90
	ok 'hugepages=: they are no kind: they were there before' test -z \
		"$(of kind now_pages '"name":"huge pages"')"
	huge sampled rd.memstrack.backend=sampled
	is_kind 16384
fi

# A program with more memory than there is, half of which compresses, and zram for
# swap: what zram keeps of it is a kind of its own, and the program's, not kswapd's.
new_guest
loadable lzo-rle zram
guest_program "$here/actor.c"
guest_runs <<'INIT'
load_modules
echo lzo-rle >/sys/block/zram0/comp_algorithm
echo 192M >/sys/block/zram0/disksize
mkswap /dev/zram0
swapon /dev/zram0
sleep 1000 &
# The most is used at the end, when less is kept free than before.
echo 16384 >/proc/sys/vm/min_free_kbytes
cp /bin/actor /bin/fill
fill fill 150 256 &
hog=$!
until grep -q pause "/proc/$hog/wchan" || [ ! -e "/proc/$hog" ]; do
	usleep 50000
done
echo 1024 >/proc/sys/vm/min_free_kbytes
fill fill 12
zspages() { sed -n "s/^nr_zspages /$1=/p" /proc/vmstat >&3; }
zspages before
rows 'verdict|save|kind|module|task|head'
zspages after
sed -n 's/^pgmigrate_success /moved=/p' /proc/vmstat >&3
say "zram=$(awk '{ print int($3 / 4096) }' /sys/block/zram0/mm_stat)"
sed -n "s/^VmSwap:[^0-9]*\([0-9]*\) kB/swapped=\1/p
	s/^RssAnon:[^0-9]*\([0-9]*\) kB/anon=\1/p" "/proc/$hog/status" >&3
INIT
boot "rd.memstrack=2 $json $roomy" -m 192
zram=$(value zram) compressed=$(of kind now_pages '"name":"compressed"')
before=$(value before) after=$(value after) moved=$(value moved)
echo "# zram has $before to $after pages (then $zram), compressed" \
	"${compressed:-0}; swapped $(value swapped) KiB, $moved pages moved"
ok 'zram: it took some of it' test "${zram:-0}" -ge 5000
# On the lists of a CPU are pages that are free already. A page of zsmalloc that the
# kernel moves is lost to the tracer, see memstrack(8); the kernel counts the moves.
ok 'zram: what it has is of the kind compressed' is_between \
	"${compressed:-0}" $((before - 32 - moved)) $((after + 64))
ok 'zram: it is no memory of a driver' is_between \
	"$(of kind now_pages '"name":"driver"')" 0 200
ok 'zram: no module_blacklist=' never_told '"what":"module'
# Nearly all: kswapd's are only those for which it has freed nothing yet.
held=$(of task now_pages '"comm":"fill"')
anon=$(($(value anon) / 4))
ok "zram: and the program's: $((${held:-0} - anon)) pages more than in memory" \
	is_between "$((${held:-0} - anon))" $((before * 9 / 10)) \
	$((after + 300))
ok 'zram: the program is the culprit, and no module' \
	grep '"type":"verdict".*"module":null,"task":"fill"' "$facts"

[ "${MATRIX-}" = all ] || finish

# Buffers of a GPU are its driver's, and no files of a tmpfs. The cloud kernel has
# no such drivers.
small=$kernel
kernel=$("$top/initramfs/kernel" -f ${SUITE:+"$SUITE"}) || exit 1
new_guest
loadable virtio_pci virtio_gpu
guest_program "$here/actor.c"
guest_runs <<'INIT'
load_modules
actor dumb /dev/dri/card0 48 >&3 &
until grep -q pause "/proc/$!/wchan" || [ ! -e "/proc/$!" ]; do
	usleep 50000
done
rows 'verdict|kind|module|task|head'
sed -n 's/^Shmem: *\([0-9]*\) kB/shmem=\1/p' /proc/meminfo >&3
unbroken /report.txt >&3
INIT
boot "rd.memstrack=2 rd.memstrack.out=/report.json,/report.txt $roomy" -m 256 \
	-o "-device virtio-gpu-pci"
kernel=$small
pages=$(($(value bytes) / 4096))
ok 'gpu: a buffer of 48 MiB, which the kernel counts as Shmem' is_between \
	"$(value shmem)" $((pages * 4)) $((pages * 4 + 16384))
held=$(of module now_pages '"name":"virtio_gpu"')
ok "gpu: its driver holds it: ${held:-0} pages" is_between "${held:-0}" \
	"$pages" $((pages + 1200))
ok 'gpu: of the kind driver' is_between "$(of kind now_pages \
	'"name":"driver"')" "$pages" $((pages + 2000))
tmpfs=$(of kind now_pages '"name":"tmpfs"')
ok "gpu: ${tmpfs:-0} pages of tmpfs" is_between "${tmpfs:-0}" 0 1000
ok 'gpu: who' grep '^culprit module virtio_gpu .*; task actor\[' "$facts"
ok 'gpu: by which functions' grep \
	'^kind    of virtio_gpu: driver .*; most by shmem_read_mapping_page_gfp < drm_gem_get_pages \[drm\]$' \
	"$facts"
finish
