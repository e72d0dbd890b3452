#!/bin/sh
# SPDX-License-Identifier: MIT
# The figures that the advice follows from. The balance holds: the fall of MemFree
# is explained to a hundredth, with a module's vmalloc in it. The lowest free memory
# is that of the machine, and the figures of the baseline are the kernel's own.
# (How it follows: unit/advice.c; for a crash kernel: kdump.t; that it holds:
# advised.t; none if records were lost: loss.t.)
. "$(dirname "$0")/planted.sh"
. "$here/ram.sh"

keep=3000 vm=4000 vmtemp=2000
planted_runs <<'INIT'
load finit /lib/planted0.ko 'keep=3000 vm=4000 vmtemp=2000'
rows 'head|reconcile|baseline|peak|advice'
grep -E '^(MemTotal|MemFree|Percpu):' /proc/meminfo |
	sed 's/^\(.*\): *\([0-9]*\) kB/\1=\2/' >&3
sed -n 's/^\(.* : System RAM\)/iomem=\1/p' /proc/iomem >&3
dmesg | sed -n 's/.*Memory: .*(\([0-9]*\)K kernel code.*/code=\1/p' >&3
dmesg | sed -n 's/.*, \([0-9]*\)K reserved.*/reserved=\1/p' >&3
dmesg | sed -n 's|.*Memory: [0-9]*K/\([0-9]*\)K .*|ram=\1|p' >&3
dmesg | sed -n 's/.* hash table entries: .*, \([0-9]*\) bytes.*/\1/p' |
	awk '{ sum += $1 } END { print "hashes=" sum }' >&3
dmesg | sed -n '/ Run /q; s/.*\] Freeing .* memory: \([0-9]*\)K.*/\1/p' |
	awk '{ sum += $1 } END { print "freed=" sum }' >&3
say "min_free=$(cat /proc/sys/vm/min_free_kbytes)"
INIT

baseline() { of baseline kib "\"name\":\"$1\""; }

largest='"modules":\[{"name":"planted0","pages":'
boot "$parameters" -m 160
ok "nothing lost" same "$(of head lost)" 0
ok "explained per mille: $(of reconcile explained_permille)" \
	is_between "$(of reconcile explained_permille)" 990 1010
# Without the lists of CPUs, or the tracer's own pages, it is more.
ok "the rest in pages: $(of reconcile rest_pages)" \
	is_between "$(of reconcile rest_pages)" -6 6
ok "the advice is of memory, not of a crash kernel" \
	grep -q '"type":"advice".*"of":"memory"' "$facts"
ok "the module's area is in it" \
	is_between "$(of reconcile vmalloc_pages)" 4000 4200
ok "kernel code, as the kernel says" \
	same "$(baseline 'kernel code')" "$(value code)"
ok "reserved, as the kernel says" \
	same "$(baseline reserved)" "$(value reserved)"
# Between two samples of MemFree the temporary area came and went: the
# account knows.
ok "at the peak the module held both areas" is_between \
	"$(sed -n "s/.*\"type\":\"peak\".*$largest\([0-9]*\)}.*/\1/p" \
	"$facts")" \
	$((keep + vm + vmtemp)) $((keep + vm + vmtemp + 100))
# MemFree is lower than the account by what per-CPU lists gained; a
# sample is higher where it missed the temporary area.
lowest=$(($(of peak free_pages) * 4))
sampled=$(of head free_lowest_kib)
ok "account and samples agree but for these" \
	is_between $((lowest - sampled)) $((vmtemp * -4 - 1024)) 1024
[ "$sampled" -gt "$lowest" ] || lowest=$sampled
used=$(($(system_ram) - $(of advice lowest_free_kib)))
ok "all RAM less the lowest that was free" \
	same "$(of advice used_kib)" "$used"
ok "the lower of the two, with the pages on per-CPU lists" \
	is_between $(($(of advice lowest_free_kib) - lowest)) 1 1024
ok "page structs, 64 bytes of 4096 of what the kernel has" \
	same "$(baseline 'page structs')" $(($(value ram) / 64))
ok "hash tables, as the kernel logs them" \
	same "$(baseline 'hash tables')" $(($(value hashes) / 1024))
ok "both go by the size of memory" same "$(of advice scaled_kib)" \
	$(($(baseline 'page structs') + $(baseline 'hash tables')))
ok "what the kernel freed before init" same \
	$(($(baseline 'initrd (freed)') + $(baseline 'other (freed)'))) \
	"$(value freed)"
# Pages of files are those of the kernel module that was loaded.
ok "but for pages of files nothing could be given back" is_between \
	$((used - $(of advice unreclaimable_kib))) 0 1024
ok "the watermarks are what the kernel keeps" is_between \
	"$(of advice kept_kib)" \
	$(($(value min_free) - 64)) $(($(value min_free) + 256))
ok "the peak needs most" same \
	"$(grep -c '"type":"advice".*"for":"peak"' "$facts")" 1
finish
