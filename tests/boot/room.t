#!/bin/sh
# SPDX-License-Identifier: MIT
# When memory runs out, by the kernel's own measure: though much is free, where
# vm.min_free_kbytes keeps it, set after the start, or where it lies in a zone
# of movable pages or in contiguous memory (CMA). The report comes before a
# panic, and says why what is free is no room. Where memory is only low, nothing
# is killed and the boot goes on, it says that, and the last report takes the
# advice back. Where all that is free is small pieces, it says who asked for a
# large one in vain. Pages that the kernel moves meanwhile stay with their task,
# the balance holds and the advice is given.
#
# MATRIX=all: each with one CPU and with two; a swap spiral; CMA, which
# Debian's 6.1 does not have, with the newest kernel. settings.t has kills in
# cgroups.
. "$(dirname "$0")/planted.sh"

last() { ours | report_of reboot; }
last_has() { last | grep "$1"; }

# The watermark of a CPU's list of free pages, and of another zone, is a part.
# runs_out "name" PARAMETERS WHOM FIRST ROOM: the machine's memory does, with so
# many CPUs, though some is free.
runs_out() {
	boot "rd.memstrack=1 $2" -m 256 -c "${1##* }"
	name="${1% *}, ${1##* } CPUs"
	ok "$name: a report before the first is killed" \
		report_before "$low|$kill" 'Out of memory: Killed'
	ok "$name: the $3 first" early_has "^culprit $3 $4"
	ok "$name: why what is free is no room" \
		early_has "^room    $5\$"
	ok "$name: each victim is told" victims
	ok "$name: as the machine's" never_seen 'at the limit of its cgroup'
}
kept() {
	starving_guest 'reports_last=1
		echo 65536 >/proc/sys/vm/min_free_kbytes
		tail /dev/zero; load finit /lib/eater.ko eat=1'
	runs_out "kept by a watermark $1" \
		'rd.memstrack.ring=2M rd.memstrack.mem=4M' task 'tail\[' \
		'6[34]\.[0-9]M are free, but kept by vm.min_free_kbytes'
	ok "$name: more would have been used, at the end too" \
		last_has '^advice  at least memory of [0-9]*M '
}
movable() {
	starving_guest 'for p in /proc/[0-9]*/oom_score_adj; do
			echo -1000 >$p
		done
		load finit /lib/eater.ko "eat=1 rest=10"'
	boot "rd.memstrack=1 movablecore=128M" -m 256 -c "$1"
	name="movable, $1 CPUs"
	ok "$name: a panic" seen 'Kernel panic.*deadlocked on memory'
	ok "$name: a report before it" report_before "$low|$kill" 'Kernel panic'
	ok "$name: the module first" early_has '^culprit module eater '
	ok "$name: why what is free is no room" early_has \
		'^room    1[0-9][0-9]\.[0-9]M are free, but only for movable pages$\|^room    [89][0-9]\.[0-9]M are free, but only for movable pages$'
}
# The kernel lies where it leaves so much in one piece.
contiguous() {
	# A reboot would not wait for names to be looked up: 7.2 holds it a second.
	starving_guest 'load finit /lib/eater.ko eat=1
		in_log() { dmesg | grep -c "$1"; }
		until [ "$(in_log "OOM kill of")" -ge \
			"$(in_log "Out of memory: Killed")" ]; do
			sleep 0.1
		done'
	runs_out "CMA $1" 'cma=128M nokaslr rd.memstrack.ring=2M
		rd.memstrack.mem=4M' module 'eater ' \
		'12[5-8]\.[0-9]M are free, but only in CMA'
	ok "$name: more would have been used" \
		early_has '^advice  at least memory of [0-9]*M '
}
compacted() {
	new_guest
	guest_runs <<'INIT'
mkdir /files
mount -t tmpfs -o size=100% tmpfs /files
dd if=/dev/zero of=/files/file bs=1M count=25 2>/dev/null
rm /files/file
dd if=/dev/zero of=/file bs=1M count=25 2>/dev/null
tail /dev/zero
say "moved=$(sed -n 's/^pgmigrate_success //p' /proc/vmstat)"
INIT
	boot 'rd.memstrack=1 rd.memstrack.ring=2M rd.memstrack.mem=4M' -m "$1"
	name="compaction, $1 MiB"
	ok "$name: somebody is killed" seen 'Out of memory: Killed process .*tail'
	ok "$name: pages were moved" is_between "$(value moved)" 50 100000
	for report in early last; do
		ok "$name, $report: the rest is less than 1 %" \
			"${report}_has" ' rest [-0-9.KM]* (0[.][0-9]%)'
		ok "$name, $report: an advice" \
			"${report}_has" '^advice  at least memory of [0-9]*M '
	done
}
# Between files that stay, files that go: for huge pages the kernel moves what
# stays. Each of the tasks that wrote a file holds its 128 pages, wherever they
# are now. Free pages that the kernel took for that and did not need are not
# from before tracing. While kcompactd runs it has pages in hand that no event and
# no list has, so a report comes when it sleeps.
moved() {
	new_guest
	guest_runs <<'INIT'
rests() {
	until grep -lx kcompactd /proc/[0-9]*/wchan >/dev/null; do
		usleep 10000
	done
}
mkdir /files
mount -t tmpfs -o size=100% tmpfs /files
for i in $(seq 35); do
	dd if=/dev/zero of=/files/gone$i bs=512k count=1 2>/dev/null
	dd if=/dev/zero of=/files/kept$i bs=512k count=1 2>/dev/null
done
rm /files/gone*
for side in before after; do
	rests
	memstrack report
	say "$side=$(sed -n 's/.*"before_pages":\([-0-9]*\),.*/\1/p' /report.json)"
	[ $side = after ] || {
		rm /report.json
		echo 22 >/proc/sys/vm/nr_hugepages
	}
done
sed -n 's/^pgmigrate_success /moved=/p; s/^compact_stall /stalls=/p' \
	/proc/vmstat >&3
cat /report.json >&3
INIT
	# With one CPU the guest's clock counts instructions, so that a busy
	# host does not part what is read together.
	counted=
	[ "$2" != 1 ] || counted='-i 3'
	# shellcheck disable=SC2086 # words
	boot "rd.memstrack=2 rd.memstrack.top=200 rd.memstrack.ring=2M \
		rd.memstrack.tasks=32K $json $1" \
		-m 128 -c "$2" $counted
	name="moved, $2 CPUs${1:+, $1}"
	ok "$name: pages were" is_between "$(value moved)" 500 100000
	ok "$name: for tasks that wanted them" test "$(value stalls)" -ge 2
	# Of the first that move, two a CPU, one only learns.
	missing=$(grep '"type":"task".*"comm":"dd"' "$facts" |
		number now_pages | awk '$1 >= 120 { writers++ }
			$1 >= 120 && $1 < 128 { missing += 128 - $1 }
			END { print writers == 35 ? missing + 0 : "some" }')
	ok "$name: each task has its own" is_between "$missing" 0 \
		$((2 * $2))
	ok "$name: no page from before tracing was freed by that" is_between \
		$(($(value before) - $(value after))) -2 16
	# What each CPU has on its lists is read a moment later.
	ok "$name: no rest" is_between \
		"$(sed -n 's/.*"rest_pages":\([-0-9]*\),.*/\1/p' "$facts")" \
		$((-16 * $2)) $((16 * $2))
}
# Much is free, but in small pieces: nobody gets a large one. Who asked, and whose
# pages stand between the pieces. Blocks as the kernel lists them right after
# that, of zones that are not closed to it; one that asks without a warning has
# another way, and is not told.
pieces() {
	new_guest
	planted_runs <<'INIT'
free_kib() { sed -n 's/^MemFree: *\([0-9]*\) kB/\1/p' /proc/meminfo; }
split=$((($(free_kib) - 10240) / 4))
say "split=$split"
load finit /lib/planted0.ko "split=$split ask=10"
sed 's/^/buddy=/' /proc/buddyinfo >&3
memstrack report
cat /report.json >&3
INIT
	boot "rd.memstrack=1 $json $roomy" -m 256 -c "$1"
	name="pieces, $1 CPUs"
	ok "$name: two requests failed" seen 'asked [0-9]* times, 2 failed'
	ok "$name: of one the kernel warns" same "$(grep -c \
		'page allocation failure: order:10' "$console")" 1
	told=$(grep '"type":"failed_alloc"' "$facts")
	echo "# $told"
	ok "$name: this one is told, once" same "$(echo "$told" | grep -c \
		'"module":"planted0","task":"load","asked_pages":1024,.*,"count":1,')" 1
	# As the kernel says of this failure; kswapd frees between the two readings.
	free_kib=$((4 * $(sed -n 's/.* free:\([0-9]*\) free_pcp:.*/\1/p' "$console")))
	ok "$name: so much was free" is_between \
		"$(echo "$told" | number free_kib)" \
		$((free_kib - 1024)) $((free_kib + 1024))
	largest=$(sed -n 's/^buddy=Node .*, zone *[A-Za-z0-9]* //p' "$facts" |
		awk '{ for (i = 1; i <= NF; i++) if ($i) most = i
			if (most < 11 && most > max) max = most }
			END { print 2 ^ (max - 1) }')
	ok "$name: the largest block" same \
		"$(echo "$told" | number block_pages)" "$largest"
	between=$(echo "$told" | sed -n \
		's/.*"unmovable":.{"name":"planted0","held_pages":\([0-9]*\)}.*/\1/p')
	half=$((($(value split) + 1) / 2 + 1024 * ($(sed -n \
		's/.*asked \([0-9]*\) times, .*/\1/p' "$console") - 2)))
	ok "$name: between are the $half of planted0, and of its load: $between" \
		is_between "$between" $half $((half + 64))
}
kept 1
pieces 2
movable 2
compacted 92
moved '' 1
if [ "${MATRIX-}" = all ]; then
	kept 2
	pieces 1
	movable 1
	compacted 90
	moved '' 2
	moved rd.memstrack.backend=ftrace 1
fi

# Files in a tmpfs, until less is available than the kernel keeps; all of them
# are removed before somebody would be killed.
new_guest
to_guest /init <<'INIT'
mounts
facts
available() {
	while read -r name kib _; do
		[ "$name" != MemAvailable: ] || echo "$kib"
	done </proc/meminfo
}
mkdir /files
mount -t tmpfs -o size=100% tmpfs /files
wait_for_report
# All but the last 8 MiB at once.
dd if=/dev/zero of=/files/most bs=64k count=$((($(available) - 8192) / 64)) \
	2>/dev/null
at=0
until dmesg | grep -q 'reason: memory is low'; do
	if [ "$(available)" -gt 4096 ]; then
		dd if=/dev/zero of=/files/$at bs=64k count=8 2>/dev/null
	else
		dd if=/dev/zero of=/files/$at bs=4k count=8 2>/dev/null
	fi
	at=$((at + 1))
	usleep 2000
done
say "files=$at"
rm /files/*
say "killed=$(sed -n 's/^oom_kill //p' /proc/vmstat)"
off
INIT
boot "rd.memstrack=1 rd.memstrack.ring=2M rd.memstrack.mem=4M" -m 128
ok 'only low: nobody is killed' fact killed=0
ok 'only low: that is said' early_has "^memstrack [0-9.]*: $low at "
ok 'only low: and no more' never_seen 'OUT OF MEMORY'
ok 'only low: the last report takes the advice back' last_has \
	'memory was low at +[0-9.]* s, and nothing was killed: take this advice'

[ "${MATRIX-}" = all ] || finish

# A swap spiral: files in a tmpfs, more than memory holds, which compressed
# memory takes. Each is read again, and the boot reaches its end.
new_guest
loadable lzo-rle zram
to_guest /init <<'INIT'
mounts
facts
load_modules
echo 200M >/sys/block/zram0/disksize
mkswap /dev/zram0 >/dev/null
swapon /dev/zram0
mkdir /files
mount -t tmpfs -o size=100% tmpfs /files
wait_for_report
mount -o remount,size=200M /files
seq 1000000 1112499 >/files/1
for i in 2 3 4 5; do
	for part in 1 2 3 4 5 6 7 8; do
		cat /files/1
	done >/files/$i
done
for i in 1 2; do
	cat /files/* >/dev/null
done
say "swapped=$(awk '/zram0/ { print $4 }' /proc/swaps)"
say "killed=$(sed -n 's/^oom_kill //p' /proc/vmstat)"
off
INIT
boot "rd.memstrack=1 rd.memstrack.ring=2M rd.memstrack.mem=4M" -m 96
ok 'a swap spiral: it is one' is_between "$(value swapped)" 4000 200000
ok 'a swap spiral: nobody is killed' fact killed=0
ok 'a swap spiral: no report says that memory ran out' \
	never_seen 'OUT OF MEMORY'
# If one said that memory is low.
taken_back() {
	! seen "reason: $low" ||
		last_has 'memory was low at +[0-9.]* s, and nothing was killed'
}
ok 'a swap spiral: the last report takes an early one back' taken_back
kernel_of sid
contiguous 1
contiguous 2
finish
