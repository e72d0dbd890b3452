#!/bin/sh
# SPDX-License-Identifier: MIT
# Where no task and no module stands out, a group is the culprit: five workers,
# as much as the kernel's figures say they hold, also when memory runs out; forty
# modules of one family, to the page, with their images. What is said to save this
# memory does so. Modules of one directory are a group too, by the modules.dep of the
# guest's initramfs. (In which words: replay/cases/verdict_*.py.)
. "$(dirname "$0")/lib.sh"
. "$here/planted.sh"

json="quiet rd.memstrack=1 $roomy rd.memstrack.out=/report.json"
# Of the verdict, a group: its row of JSON, a number of it.
group() {
	grep '"type":"verdict"' "$facts" |
		sed -n "s/.*\"$1_group\":\({[^}]*}\).*/\1/p"
}
of_group() {
	figure=$(group "$1" | number "$2")
	echo "${figure:-0}"
}
save() { grep '"type":"save"' "$facts" | grep "\"what\":\"$1\""; }

# A worker has written all its memory when it waits.
workers='cp /bin/actor /bin/worker
work() { for _ in $(seq $1); do worker fill $2 1 & done; }
paused() { grep -l pause /proc/[0-9]*/wchan 2>/dev/null | wc -l; }
'
new_guest
guest_program "$here/actor.c"
guest_runs <<INIT
$workers
# Some is another's, so that the workers' share is no whole 100 %.
dd if=/dev/zero of=/another bs=1M count=6 2>/dev/null
work 5 30
until [ "\$(paused)" = 5 ]; do usleep 50000; done
rows 'verdict|save|task'
for status in \$(grep -lx 'Name:.worker' /proc/[0-9]*/status); do
	sed -n 's/^RssAnon:\\s*\\([0-9]*\\) kB/anon=\\1/p; s/^VmPTE:\\s*\\([0-9]*\\) kB/tables=\\1/p' \$status
done >&3
work 10 20
until [ "\$(sed -n 's/^oom_kill //p' /proc/vmstat)" -ge 1 ]; do usleep 50000; done
sleep 3
INIT
boot "${json#quiet }" -m 256
anon=$(sed -n 's/^anon=//p' "$facts" | sum)
tables=$(sed -n 's/^tables=//p' "$facts" | sum)
ok 'workers: they are five' same "$(of_group task rows)" 5
# Each has a stack, page tables and a few objects of the kernel besides.
kib=$(($(of_group task held_pages) * 4))
echo "# workers: $kib KiB together; the kernel: $anon anonymous, $tables of tables"
ok 'workers: what they hold together' is_between "$kib" $((anon + tables)) \
	$((anon + tables + 5 * 160))
fewer=$(save tasks | number saves_kib)
ok 'workers: all but one would be saved' is_between "${fewer:-0}" $((anon * 4 / 5)) \
	$((anon * 4 / 5 + 4 * 260))
ok 'out of memory: the workers are the culprit' early_has \
	'^culprit [0-9]* tasks worker, [0-9.]*M together, 9[0-9]% of what was held; '

# Of one module forty, with other names of the same length.
new_guest
planted_guest <<'INIT'
mounts
facts
for module in /modules/*.ko; do
	load finit $module keep=512
	settle
done
rows 'verdict|save|advice'
for size in /sys/module/plnt_*/coresize; do
	say "core=$(cat $size)"
done
say "live=$(ls -d /sys/module/plnt_* | wc -l)"
off
INIT
mkdir "$guest/modules"
in_root=$guest/lib/modules/$(cat "$kernel/release")
mkdir -p "$in_root"
# The first 25 are from one directory, and each has a name like a file's.
for i in $(seq 10 49); do
	LC_ALL=C sed "s/planted0/plnt_0$i/g" "$modules/planted0.ko" \
		>"$guest/modules/plnt_0$i.ko"
	directory=net/ethernet/of/$i
	[ "$i" -ge 35 ] || directory=infiniband/core
	echo "kernel/drivers/$directory/plnt-0$i.ko.xz: kernel/lib/crc32.ko"
done >"$in_root/modules.dep"
boot "$json" -m 256 -c 2
images=$(sed -n 's/^core=//p' "$facts" |
	awk '{ pages += int(($1 + 4095) / 4096) } END { print pages + 0 }')
ok 'modules: forty are there' same "$(value live)" 40
ok 'modules: they are a group, most of one directory' same \
	"$(of_group module rows) $(group module | cut -d, -f1-2)" \
	'40 {"name":"plnt_*","from":"drivers/infiniband/core"'
# When the most was used, the last one still had its init text.
image=$(of_group module image_pages)
ok 'modules: their images, to the page' is_between "$image" "$images" \
	$((images + 4))
pages=$(($(of_group module held_pages) - image))
ok "modules: 40 times 512 pages, and what each load takes: $pages" \
	is_between "$pages" $((40 * 512)) $((40 * 530))
offered=$(save modules | number saves_kib) need=$(of advice need_kib)
offered=${offered:-0}
boot "$json module_blacklist=$(seq -f plnt_0%g -s , 10 49)" -m 256 -c 2
ok 'modules: without them none is loaded' same "$(value live)" 0
less=$((need - $(of advice need_kib)))
ok "modules: $offered KiB were offered, $less less are needed" is_between \
	$less $((offered - offered / 50 - 1024)) $((offered + offered / 50 + 1024))

# Of one directory, but of no family.
new_guest
planted_guest <<'INIT'
mounts
facts
number=0
for module in /modules/*.ko; do
	number=$((number + 1))
	load finit $module keep=$((number < 11 ? 1024 : 512))
done
rows 'verdict|save'
off
INIT
mkdir "$guest/modules"
mkdir -p "$in_root"
number=0
for name in alphabet bravoooo charliee deltaaaa echooooo foxtrott golfffff \
		hotellll indiaaaa julietta kilooooo limaaaaa mikeeeee november; do
	number=$((number + 1))
	LC_ALL=C sed "s/planted0/$name/g" "$modules/planted0.ko" \
		>"$guest/modules/$name.ko"
	directory=target
	[ "$number" -ge 11 ] || directory=infiniband/hw/$name
	echo "kernel/drivers/$directory/$name.ko:"
done >"$in_root/modules.dep"
boot "$json" -m 256 -c 2
ok 'directory: ten modules of fourteen are the group' same \
	"$(of_group module rows) $(group module | cut -d, -f1-2)" \
	'10 {"name":"drivers/infiniband","from":"drivers/infiniband/hw"'
pages=$(of_group module held_pages)
ok "directory: ten times 1024 pages, images, and what each load takes: $pages" \
	is_between "$pages" $((10 * 1024)) $((10 * 1060))

# The report when memory runs out opens no file, but where they come from was
# looked for when memory fell.
to_guest /init <<INIT
$planted_functions
mounts
facts
for module in /modules/*.ko; do
	load finit \$module keep=4500
done
sleep 3
off
INIT
boot 'rd.memstrack=1 rd.memstrack.ring=2M rd.memstrack.mem=4M' -m 192
ok 'directory: out of memory too' early_has \
	'^culprit [0-9] modules from drivers/infiniband, most of them from drivers/infiniband/hw, '

# Modules of Debian, which need no hardware to be loaded.
new_guest
planted_runs <<'INIT'
for module in /modules/*.ko; do insmod $module; done
rows 'verdict|save'
cut -d ' ' -f 1 /proc/modules | sed 's/^/loaded=/' >&3
INIT
loadable ib_uverbs ib_umad rdma_ucm ib_ipoib ib_iser ib_isert ib_srp ib_srpt \
	siw rdma_rxe nvme nvme_rdma nvme_tcp nvmet_rdma nvme_loop \
	tcm_loop
mkdir -p "$in_root"
cp "$kernel/root/lib/modules/$(cat "$kernel/release")/modules.dep" "$in_root"
boot "$json" -m 256 -c 2
# The directory that most of them are from, by the list of Debian.
most=$(sed -n 's/^loaded=\(ib_.*\)/\1/p' "$facts" | sed 's/_/[-_]/g' |
	while read -r name; do
		sed -n "s,^kernel/\(.*\)/$name\.ko.*,\1,p" "$in_root/modules.dep"
	done | sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 }')
ok "Debian: modules of $most are the group" same \
	"$(group module | cut -d, -f1-2)" "{\"name\":\"ib_*\",\"from\":\"$most\""
finish
