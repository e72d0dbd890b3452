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

planted_guest <<'INIT'
mounts
facts
load finit /lib/planted0.ko "$(cat /parameters)"
rm -f /report.json
memstrack report
grep -E '"type":"(head|reconcile|baseline|peak|advice)"' /report.json >&3
grep -E '^(MemTotal|MemFree|Percpu):' /proc/meminfo |
	sed 's/^\(.*\): *\([0-9]*\) kB/\1=\2/' >&3
awk -F'[-: ]' '/ : System RAM/ { print $0 }' /proc/iomem | sed 's/^/range=/' >&3
dmesg | sed -n 's/.*Memory: .*(\([0-9]*\)K kernel code.*/code=\1/p' >&3
dmesg | sed -n 's/.*, \([0-9]*\)K reserved.*/reserved=\1/p' >&3
dmesg | sed -n 's|.*Memory: [0-9]*K/\([0-9]*\)K .*|ram=\1|p' >&3
dmesg | sed -n 's/.* hash table entries: .*, \([0-9]*\) bytes.*/\1/p' |
	awk '{ sum += $1 } END { print "hashes=" sum }' >&3
dmesg | sed -n '/ Run /q; s/.*\] Freeing .* memory: \([0-9]*\)K.*/\1/p' |
	awk '{ sum += $1 } END { print "freed=" sum }' >&3
off
INIT

record() { grep "\"type\":\"$1\"" "$facts" | tail -n 1; }
of() { record "$1" | sed -n "s/.*\"$2\":\(-\{0,1\}[0-9]*\)[,}].*/\1/p"; }
baseline() {
	grep "\"type\":\"baseline\",\"name\":\"$1\"" "$facts" |
		sed -n 's/.*"kib":\([0-9]*\)}/\1/p'
}
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

keep=3000 vm=4000 vmtemp=2000
largest='"modules":\[{"name":"planted0","pages":'
echo "keep=$keep vm=$vm vmtemp=$vmtemp" >"$guest/parameters"
for of in memory crashkernel; do
	# An address without a dump: the kernel says so and goes on.
	[ "$of" = memory ] || more=elfcorehdr=0x1000
	boot "$parameters ${more:-}" -m 160
	ok "$of: nothing lost" same "$(of head lost)" 0
	ok "$of: explained per mille: $(of reconcile explained_permille)" \
		is_between "$(of reconcile explained_permille)" 990 1010
	# Without the lists of CPUs, or the tracer's own pages, it is more.
	ok "$of: the rest in pages: $(of reconcile rest_pages)" \
		is_between "$(of reconcile rest_pages)" -6 6
	explained=$(($(of reconcile fall_pages) - $(of reconcile rest_pages)))
	parts=0
	for part in traced vmalloc bulk cma before pcp; do
		parts=$((parts + $(of reconcile "${part}_pages")))
	done
	ok "$of: the parts add up" same "$parts" "$explained"
	ok "$of: the module's area is in it" \
		is_between "$(of reconcile vmalloc_pages)" 4000 4200
	ok "$of: kernel code, as the kernel says" \
		same "$(baseline 'kernel code')" "$(value code)"
	ok "$of: reserved, as the kernel says" \
		same "$(baseline reserved)" "$(value reserved)"
	ok "$of: the advice is of $of" same \
		"$(record advice | grep -c "\"of\":\"$of\"")" 1
	# Between two samples of MemFree the temporary area came and went: the
	# account knows.
	ok "$of: at the peak the module held both areas" is_between \
		"$(record peak | sed -n "s/.*$largest\([0-9]*\)}.*/\1/p")" \
		$((keep + vm + vmtemp)) $((keep + vm + vmtemp + 100))
	# MemFree is lower than the account by what per-CPU lists gained; a
	# sample is higher where it missed the temporary area.
	lowest=$(($(of peak free_pages) * 4))
	sampled=$(of head free_lowest_kib)
	ok "$of: account and samples agree but for these" \
		is_between $((lowest - sampled)) $((vmtemp * -4 - 1024)) 1024
	[ "$sampled" -gt "$lowest" ] || lowest=$sampled
	used=$(($(ram_kib) - $(of advice lowest_free_kib)))
	ok "$of: all RAM less the lowest that was free" \
		same "$(of advice used_kib)" "$used"
	ok "$of: the lower of the two, with the pages on per-CPU lists" \
		is_between $(($(of advice lowest_free_kib) - lowest)) 1 1024
	ok "$of: page structs, 64 bytes of 4096 of what the kernel has" \
		same "$(baseline 'page structs')" $(($(value ram) / 64))
	ok "$of: hash tables, as the kernel logs them" \
		same "$(baseline 'hash tables')" $(($(value hashes) / 1024))
	scaled=$(of advice scaled_kib)
	ok "$of: both go by the size of memory" same "$scaled" \
		$(($(baseline 'page structs') + $(baseline 'hash tables')))
	ok "$of: what the kernel freed before init" same \
		$(($(baseline 'initrd (freed)') + $(baseline 'other (freed)'))) \
		"$(value freed)"
	# Less by what so little memory does not need; in fractions of 65536.
	total=$(of advice total_kib)
	part=$((scaled * 65536 / total)) fixed=$((used - scaled))
	enough=$(((fixed + fixed / 10) * 65536 / (65536 - part - part / 10)))
	ok "$of: the peak needs most" same \
		"$(record advice | grep -c '"for":"peak"')" 1
	ok "$of: what is then used" same "$(of advice need_kib)" \
		$((fixed + enough * part / 65536))
	ok "$of: a tenth more, in steps of 16 MiB" same \
		"$(of advice advice_kib)" \
		$(((enough + 16383) / 16384 * 16384))
done

# One ring page, and every CPU busy with pages: records are lost.
echo 'churn=30000' >"$guest/parameters"
boot "quiet rd.memstrack=1 rd.memstrack.format=json rd.memstrack.ring=4K
	rd.memstrack.out=/report.json" -m 160
ok 'lost: some are' is_between "$(of head lost)" 1 1000000000
ok 'lost: no advice' same "$(record advice | grep -c '"advice_kib":null')" 1
finish
