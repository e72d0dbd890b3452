#!/bin/sh
# SPDX-License-Identifier: MIT
# A tmpfs that is full: the report has the mount, the size that the guest's own
# stat tells, since when, and the task that wrote it. Memory runs out behind
# that, as in the guest of the public report: a part of memory, dd of more than
# that, and a process that takes all the rest. (Without inodes, a bind mount,
# room again: unit/cases/tmpfs, replay/cases/full.py.)
. "$(dirname "$0")/lib.sh"

to_guest /init <<'INIT'
mounts
facts
mkdir /newroot
mount -t tmpfs -o size=20% tmpfs /newroot
read -r uptime _ </proc/uptime
say "before=$uptime"
dd if=/dev/zero of=/newroot/file bs=1M count=80 &
say "dd=$!"
wait $!
say "blocks=$(stat -f -c '%b %f %s' /newroot)"
read -r uptime _ </proc/uptime
say "asked=$uptime"
rows full
tail /dev/zero
say "tail=$?"
off
INIT
row() { grep '"type":"full","mount":"/newroot","is_full":1' "$facts"; }
of_mount() { row | number "$1"; }

boot 'quiet rd.memstrack=1 rd.memstrack.out=auto,/report.json' -m 256
blocks=$(value blocks | cut -d' ' -f1)
ok 'the guest sees it full' fact 'blocks=[0-9]* 0 4096'
ok 'it is told, once' same "$(row | wc -l)" 1
ok 'as large as stat says' same "$(of_mount limit_kib)" "$((blocks * 4))"
ok 'all of it in use' same "$(of_mount held_pages)" "$blocks"
centis() { value "$1" | tr -d .; }
ok 'since dd ran, or a look later' is_between \
	"$(($(of_mount since_ns) / 10000000))" "$(centis before)" \
	"$(($(centis asked) + 500))"
ok 'dd wrote it' same "$(of_mount task_pid)" "$(value dd)"
ok 'by name' fact '.*"mount":"/newroot".*"task":"dd".*'
ok 'no other mount is told' same "$(grep -c '"type":"full"' "$facts")" 1
mib=$(awk -v kib=$((blocks * 4)) 'BEGIN { printf "%.1fM", kib / 1024 }')
ok 'memory runs out' fact 'tail=137'
told="state   /newroot is full ($mib of $mib) since +[0-9.]* s, dd\[$(
	value dd)\] wrote most of it"
# Before the kill or after it.
for reason in 'memory is low|OOM kill of tail' reboot; do
	report_of "$reason" <"$console" >"$work/report"
	ok "$reason: it is full, and who wrote it" grep -x "$told" \
		"$work/report"
done
finish
