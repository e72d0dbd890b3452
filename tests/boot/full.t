#!/bin/sh
# SPDX-License-Identifier: MIT
# A tmpfs that is full: the report has the mount, the size that the guest's own
# stat tells, since when, and the task that wrote it. And one without inodes, of
# which nobody is named. Memory runs out in between, as in the guest of the
# public report: a part of memory, dd of more than that, and a process that
# takes all the rest.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"

to_guest /init <<'INIT'
mounts
facts
mkdir /newroot /few /again
until_traced
mount -t tmpfs -o size=20% tmpfs /newroot
mount -t tmpfs -o nr_inodes=50 tmpfs /few
read -r uptime _ </proc/uptime
say "before=$uptime"
dd if=/dev/zero of=/newroot/file bs=1M count=80 &
say "dd=$!"
wait $!
say "blocks=$(stat -f -c '%b %f %s' /newroot)"
read -r uptime _ </proc/uptime
say "asked=$uptime"
memstrack report
tail /dev/zero
say "tail=$?"
mount -o bind /newroot /again
(cd /few && seq 60 | xargs touch)
say "few=$(stat -f -c '%c %d' /few)"
rows full
rm /few/* /report.json
memstrack report
say "then=$(grep -c '"mount":"/few","is_full":0' /report.json)"
off
INIT
row() { grep "\"type\":\"full\",\"mount\":\"$1\",\"is_full\":1" "$facts"; }
of_mount() { row "$1" | number "$2"; }

boot 'quiet rd.memstrack=1 rd.memstrack.out=auto,/report.json' -m 256
blocks=$(value blocks | cut -d' ' -f1)
ok 'the guest sees it full' fact 'blocks=[0-9]* 0 4096'
ok 'it is told, once' same "$(row /newroot | wc -l)" 1
ok 'as large as stat says' same "$(of_mount /newroot limit_kib)" "$((blocks * 4))"
ok 'all of it in use' same "$(of_mount /newroot pages)" "$blocks"
centis() { value "$1" | tr -d .; }
ok 'since dd ran, or a look later' is_between \
	"$(($(of_mount /newroot since_ns) / 10000000))" "$(centis before)" \
	"$(($(centis asked) + 500))"
ok 'dd wrote it' same "$(of_mount /newroot task_pid)" "$(value dd)"
ok 'by name' sh -c "grep '\"mount\":\"/newroot\".*\"task\":\"dd\"' '$facts'"
ok 'inodes: the guest sees it' fact 'few=50 0'
ok 'inodes: told' same "$(of_mount /few inodes)" 50
ok 'inodes: nobody is named' grep '"mount":"/few".*"task_pid":null' "$facts"
ok 'no other mount is told, and the bind mount is none' \
	same "$(grep -c '"type":"full"' "$facts")" 2
ok 'when it has room again, it is not full' fact 'then=1'

size=$(($(value blocks | cut -d' ' -f1) * 4))
mib=$(awk -v kib="$size" 'BEGIN { printf "%.1fM", kib / 1024 }')
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
