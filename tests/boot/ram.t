#!/bin/sh
# SPDX-License-Identifier: MIT
# Where all of RAM is: the rows add up to the size of the machine, and what is
# unknown is little. Each row that can be is compared with something else: page
# structs with their number, the kernel's image with /proc/iomem, what was
# reserved for a crash kernel, bounce buffers and the log with the command line,
# per-CPU areas with the number of CPUs, hash tables with the kernel's log.
#
# And the figures that the advice follows from. The balance holds: the fall of
# MemFree is explained to a hundredth, with a module's vmalloc in it. The
# lowest free memory is that of the machine, and the figures of the baseline
# are the kernel's own. (How it follows: replay/random.t; for a crash kernel:
# kdump.t; that it holds: advised.t; its bound if records were lost:
# loss.t.)
#
# MATRIX=all: RAM above 4 GiB with 4 CPUs, the smallest machine and one of 1
# GiB, too.
. "$(dirname "$0")/planted.sh"
. "$here/ram.sh"

keep=1000 vm=4000 vmtemp=2000
planted_runs <<'INIT'
burst=$(sed -n 's/.*test.burst=\([0-9]*\).*/temp=\1/p' /proc/cmdline)
tracer=$(tracers | head -n 1)
say "policy=$(cut -d ' ' -f 41 "/proc/$tracer/stat")"
load finit /lib/planted0.ko "keep=1000 vm=4000 vmtemp=2000 $burst"
sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB/rss=\1/p' "/proc/$tracer/status" >&3
say "oom=$(cat "/proc/$tracer/oom_score_adj")"
rows 'ram|head|reconcile|baseline|peak|advice'
sed 's/^ */iomem=/' /proc/iomem >&3
dmesg | sed 's/^\[ *[0-9.]*\] //' >/log
grep -E 'hash table entries: |percpu: |TLB: mapped|log buffer data' /log |
	sed 's/^/log=/' >&3
sed -n 's|^Memory: [0-9]*K/\([0-9]*\)K .*|ram=\1|p' /log >&3
sed -n 's/^Freeing unused decrypted memory: \([0-9]*\)K/decrypted=\1/p' /log >&3
sed -n 's/^MemTotal: *\([0-9]*\) kB/total=\1/p' /proc/meminfo >&3
# What the baseline has.
sed -n 's/^Memory: .*(\([0-9]*\)K kernel code.*/code=\1/p' /log >&3
sed -n 's/^Memory: .*, \([0-9]*\)K reserved.*/reserved=\1/p' /log >&3
sed -n 's/.* hash table entries: .*, \([0-9]*\) bytes.*/\1/p' /log |
	awk '{ sum += $1 } END { print "hashes=" sum }' >&3
sed -n '/^Run /q; s/^Freeing .* memory: \([0-9]*\)K.*/\1/p' /log |
	awk '{ sum += $1 } END { print "freed=" sum }' >&3
say "min_free=$(cat /proc/sys/vm/min_free_kbytes)"
INIT

# Each table of the log that tells its order or its bytes alone, in whole pages.
hash_tables() {
	sed -n 's/^log=\(.* hash table\) entries: [^,]*, \([0-9]*\) bytes.*/\2 \1/p' \
		"$facts"
}
all_hash_tables() {
	hash_tables >"$work/tables"
	[ "$(wc -l <"$work/tables")" -ge 8 ] || return 1
	while read -r bytes name; do
		pages=$(((bytes + 4095) / 4096))
		kib=$((pages * 4))
		found=$(row '\(reserved\|before\)' "$name")
		echo "$name: ${found:-nothing} of $kib"
		[ "$found" = "$kib" ] || return 1
	done <"$work/tables"
}

# machine_has "name" MIB CPUS: what holds of every machine.
machine_has() {
	mib=$2 cpus=$3
	little_unknown "$1" "$mib"
	ok "$1: what the kernel was given is as it says" same \
		$((mib * 1024 - $(rows firmware))) "$(value ram)"
	ok "$1: which is RAM" same "$(of head ram_kib)" "$(value ram)"
	keeps_rest "$1" "$(value ram)" "$(value total)"
	# A section of 128 MiB has all of its page structs.
	sections=$(((mib + 127) / 128))
	ok "$1: page structs, 64 bytes each" is_between \
		"$(row reserved 'page structs')" $(($(value ram) / 64)) \
		$((sections * 2048))
	as_in_iomem "$1" code rodata data
	bss=$(of_iomem bss)
	ok "$1: kernel bss, less what was freed of it" is_between \
		"$(row kernel bss)" $((bss - $(value decrypted) - 1)) \
		$((bss - $(value decrypted)))
	embedded=$(log 'percpu: Embedded \([0-9]*\) pages.*')
	ok "$1: per-CPU areas of $cpus CPUs" same \
		"$(row reserved 'per-CPU areas')" $((embedded * 4 * cpus))
	ok "$1: hash tables by name" all_hash_tables
}

# has_kept "name" MIB BUFFERS: what the command line and so many MiB of bounce
# buffers keep, and the report in text.
has_kept() {
	ok "$1: $3 MiB of bounce buffers" same "$(row reserved swiotlb)" \
		$(($3 * 1024))
	ok "$1: for a crash kernel" same "$(row reserved crashkernel)" 32768
	# With what describes the text, if the kernel tells that.
	described=$(log '.*log buffer data + meta data: .* = \([0-9]*\) bytes.*')
	ok "$1: a log of 1 MiB" same "$(row reserved 'log buffer')" \
		$((${described:-1048576} / 1024))
}

# The clock counts instructions: whatever else the host does, rings of the
# default size lose nothing of a boot.
kept='crashkernel=32M log_buf_len=1M rd.memstrack=1
	rd.memstrack.out=auto,/report.json'
boot "$kept swiotlb=8192,force" -m 256 -i 3
machine_has 'one CPU' 256 1
is 'one CPU: nothing is lost or rejected' \
	"$(of head lost) $(of head rejected)" '0 0'
ok 'one CPU: it takes 1.5 MiB' is_between "$(of head own_bytes)" 1 1572864
ok 'one CPU: no more is resident' is_between "$(value rss)" 1 1536
ok 'one CPU: the OOM killer will not take it' fact oom=-1000
has_kept 'one CPU' 256 16

# --- what the advice follows from

baseline() { of baseline size_kib "\"name\":\"$1\""; }

largest='"modules":\[{"name":"planted0","held_pages":'
ok "explained per mille: $(of reconcile explained_permille)" \
	is_between "$(of reconcile explained_permille)" 990 1010
# Without the lists of CPUs, or the tracer's own pages, it is more.
ok "the rest in pages: $(of reconcile rest_pages)" \
	is_between "$(of reconcile rest_pages)" -6 6
ok "the advice is of memory, not of a crash kernel" \
	grep -q '"type":"advice".*"of":"memory"' "$facts"
ok "the module's area is in it" \
	is_between "$(of reconcile areas_pages)" 4000 4200
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
lowest=$(of peak free_kib)
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

# Debian's kernel preempts, as far as a real-time task is concerned, unless it is
# told not to. Then no tracer on the same CPU reads the 5,000 events of a module
# before the system call ends, and its rings are larger.
is 'the tracer is a real-time task' "$(value policy)" 1
for cpus in 1 ${MATRIX:+2 4}; do
	boot "quiet $json_report preempt=none test.burst=2000" -m 300 -c "$cpus"
	is "5,000 events at once, $cpus CPUs: nothing is lost" \
		"$(value report) $(of head lost)" '0 0'
	is 'by a tracer that is an ordinary task' "$(value policy)" 0
done

[ "${MATRIX-}" = all ] || finish

# RAM above 4 GiB, behind the firmware's ROM: with bounce buffers.
boot "$kept" -m 4608 -c 4
machine_has 'above 4 GiB' 4608 4
has_kept 'above 4 GiB' 4608 64
ok 'above 4 GiB: in the log' same "$(log '.*mapped .* (\([0-9]*MB\))')" 64MB

# on MIB CPUS
on() {
	boot "$json_report" -m "$1" -c "$2"
	is "$1 MiB, $2 CPUs: a report, and nothing is rejected" \
		"$(value report) $(of head rejected)" '0 0'
}
on 96 4
on 96 1
on 1024 4
ok 'no bounce buffers' no_row reserved swiotlb
ok 'the log is in the bss' no_row reserved 'log buffer'
finish
