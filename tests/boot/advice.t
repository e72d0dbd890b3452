#!/bin/sh
# SPDX-License-Identifier: MIT
# The advice that follows from the figures. A crash kernel (elfcorehdr=) is told
# how large it must be, and any other kernel how much memory is enough; both
# from the lowest free memory. If records were lost, there is no advice. The
# balance holds: the fall of MemFree is explained to a hundredth, with a
# module's vmalloc in it. The figures of the baseline are the kernel's own.
# shellcheck source=tests/boot/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/boot/planted.sh
. "$here/planted.sh"
# shellcheck source=tests/boot/again.sh
. "$here/again.sh"

keep=3000 vm=4000 vmtemp=2000
cp "$work/hide" "$guest/hide"
planted_guest <<INIT
$again_functions
planted='keep=$keep vm=$vm vmtemp=$vmtemp'
json='rd.memstrack=1 rd.memstrack.format=json rd.memstrack.out=/report.json'
$(cat <<'REST'
tell() {
	memstrack report
	grep -E '"type":"(head|reconcile|baseline|peak|advice)"' /report.json >&3
}
mounts
facts
load finit /lib/planted0.ko "$planted"
tell
grep -E '^(MemTotal|MemFree|Percpu):' /proc/meminfo |
	sed 's/^\(.*\): *\([0-9]*\) kB/\1=\2/' >&3
sed -n 's/^\(.* : System RAM\)/range=\1/p' /proc/iomem >&3
dmesg | sed -n 's/.*Memory: .*(\([0-9]*\)K kernel code.*/code=\1/p' >&3
dmesg | sed -n 's/.*, \([0-9]*\)K reserved.*/reserved=\1/p' >&3
dmesg | sed -n 's|.*Memory: [0-9]*K/\([0-9]*\)K .*|ram=\1|p' >&3
dmesg | sed -n 's/.* hash table entries: .*, \([0-9]*\) bytes.*/\1/p' |
	awk '{ sum += $1 } END { print "hashes=" sum }' >&3
dmesg | sed -n '/ Run /q; s/.*\] Freeing .* memory: \([0-9]*\)K.*/\1/p' |
	awk '{ sum += $1 } END { print "freed=" sum }' >&3
echo "min_free=$(cat /proc/sys/vm/min_free_kbytes)" >&3
# The command line of a kernel that has a dump to save.
again 'a crash kernel' "elfcorehdr=0x1000 $json"
tell
# One ring page, and every CPU busy with pages: records are lost.
again 'records are lost' "rd.memstrack.ring=4K $json"
load finit /lib/planted1.ko churn=30000
tell
off
REST
)
INIT

# All RAM that the firmware tells of, in whole pages, in KiB.
ram_kib() {
	total=0
	ranges=$(sed -n 's/^range= *\([0-9a-f-]*\) : .*/\1/p' "$facts")
	for range in $ranges; do
		first=$(((0x${range%-*} + 4095) / 4096))
		end=$(((0x${range#*-} + 1) / 4096))
		total=$((total + (end - first) * 4))
	done
	echo "$total"
}

baseline() { of baseline kib "\"name\":\"$1\""; }
advised() {
	ok "$name: the advice is of $1" same \
		"$(grep -c "\"type\":\"advice\".*\"of\":\"$1\"" "$facts")" 1
}

largest='"modules":\[{"name":"planted0","pages":'
boot_again "$parameters" -m 160
look_at_boot memory
ok "$name: nothing lost" same "$(of head lost)" 0
ok "$name: explained per mille: $(of reconcile explained_permille)" \
	is_between "$(of reconcile explained_permille)" 990 1010
# Without the lists of CPUs, or the tracer's own pages, it is more.
ok "$name: the rest in pages: $(of reconcile rest_pages)" \
	is_between "$(of reconcile rest_pages)" -6 6
explained=$(($(of reconcile fall_pages) - $(of reconcile rest_pages)))
parts=0
for part in traced vmalloc bulk cma before pcp; do
	parts=$((parts + $(of reconcile "${part}_pages")))
done
ok "$name: the parts add up" same "$parts" "$explained"
ok "$name: the module's area is in it" \
	is_between "$(of reconcile vmalloc_pages)" 4000 4200
ok "$name: kernel code, as the kernel says" \
	same "$(baseline 'kernel code')" "$(value code)"
ok "$name: reserved, as the kernel says" \
	same "$(baseline reserved)" "$(value reserved)"
advised memory
# Between two samples of MemFree the temporary area came and went: the
# account knows.
ok "$name: at the peak the module held both areas" is_between \
	"$(sed -n "s/.*\"type\":\"peak\".*$largest\([0-9]*\)}.*/\1/p" \
	"$facts")" \
	$((keep + vm + vmtemp)) $((keep + vm + vmtemp + 100))
# MemFree is lower than the account by what per-CPU lists gained; a
# sample is higher where it missed the temporary area.
lowest=$(($(of peak free_pages) * 4))
sampled=$(of head free_lowest_kib)
ok "$name: account and samples agree but for these" \
	is_between $((lowest - sampled)) $((vmtemp * -4 - 1024)) 1024
[ "$sampled" -gt "$lowest" ] || lowest=$sampled
used=$(($(ram_kib) - $(of advice lowest_free_kib)))
ok "$name: all RAM less the lowest that was free" \
	same "$(of advice used_kib)" "$used"
ok "$name: the lower of the two, with the pages on per-CPU lists" \
	is_between $(($(of advice lowest_free_kib) - lowest)) 1 1024
ok "$name: page structs, 64 bytes of 4096 of what the kernel has" \
	same "$(baseline 'page structs')" $(($(value ram) / 64))
ok "$name: hash tables, as the kernel logs them" \
	same "$(baseline 'hash tables')" $(($(value hashes) / 1024))
scaled=$(of advice scaled_kib)
ok "$name: both go by the size of memory" same "$scaled" \
	$(($(baseline 'page structs') + $(baseline 'hash tables')))
ok "$name: what the kernel freed before init" same \
	$(($(baseline 'initrd (freed)') + $(baseline 'other (freed)'))) \
	"$(value freed)"
hard=$(of advice unreclaimable_kib) kept=$(of advice kept_kib)
# Pages of files are those of the kernel module that was loaded.
ok "$name: but for pages of files nothing could be given back" is_between \
	$((used - hard)) 0 1024
ok "$name: the watermarks are what the kernel keeps" is_between "$kept" \
	$(($(value min_free) - 64)) $(($(value min_free) + 256))
ok "$name: the peak needs most" same \
	"$(grep -c '"type":"advice".*"for":"peak"' "$facts")" 1
ok "$name: what is then used, and a twentieth more, in steps of 4 MiB" \
	advised_for_kib "$hard"

look_at 'a crash kernel'
advised crashkernel
ok "$name: a twentieth more than is needed, in steps of 4 MiB" is_between \
	$(($(of advice advice_kib) * 20 - $(of advice need_kib) * 21)) 0 81920

look_at 'records are lost'
ok "$name: so it is" is_between "$(of head lost)" 1 1000000000
ok "$name: no advice" grep '"type":"advice".*"advice_kib":null' "$facts"
finish
