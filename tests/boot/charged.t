#!/bin/sh
# SPDX-License-Identifier: MIT
# Maps of BPF are areas of vmalloc and per-CPU memory: they are charged to the
# task that made them, but for pages that the kernel fills per-CPU memory with
# ahead, in a work item. /proc/vmallocinfo and Percpu of /proc/meminfo are the
# kernel's own figures of both.
. "$(dirname "$0")/lib.sh"

guest_program "$here/actor.c"
guest_runs <<'INIT'
percpu() { sed -n 's/^Percpu: *\([0-9]*\) kB/\1/p' /proc/meminfo; }
say "before=$(percpu)"
actor bpf >/maps &
begun /maps
memstrack report
say "after=$(percpu)"
areas() {
	sed -n "s/^[^ ]* *[0-9]* $1.* pages=\([0-9]*\) .*/\1/p" \
		/proc/vmallocinfo | awk '{ sum += $1 } END { print sum }'
}
say "areas=$(areas htab_map_alloc)"
say "chunks=$(areas pcpu_create_chunk)"
cat /report.json >&3
INIT
boot "rd.memstrack=2 $json $roomy
	rd.memstrack.mem=8M rd.memstrack.top=100" -m 384 -c 4

of_task() { of task "$1" '"comm":"actor"'; }
percpu=$((($(value after) - $(value before)) / 4))
areas=$(value areas)
held=$(($(of_task now_pages) + $(of_task vmalloc_pages)))
grep '"type":"task".*"comm":"kworker' "$facts" >"$work/workers"
workers=$((
	$(number now_pages <"$work/workers" | sum) +
	$(number vmalloc_pages <"$work/workers" | sum)))
ok 'nothing was lost' same "$(of head lost)" 0
# An array of 16M, elements of 64M, and 16,384 times 256 bytes for each CPU.
ok "the kernel has $areas pages of areas and $percpu per-CPU pages" \
	test "$areas" -ge 20480 -a "$percpu" -ge 4096
# A page that was left over from bulks of 100 is a traced one.
ok 'the areas are vmalloc of the task' is_between \
	"$(of_task vmalloc_pages)" $((areas - 16)) $((areas + $(value chunks)))
# Besides: what a program itself has, page tables of the areas, slab.
ok 'the task and the workers have all, and little more' is_between \
	$((held + workers)) $((areas + percpu)) \
	$((areas + percpu + $(value chunks) + 512))
ok 'it is the culprit' grep '"type":"verdict".*"task":"actor"' "$facts"
rest() { grep '"type":"rest","of":"task"' "$facts" | number vmalloc_pages; }
all_tasks() { grep '"type":"task"' "$facts" | number vmalloc_pages; }
left=$(rest)
ok 'areas of all tasks are all areas' same \
	$(($(all_tasks | sum) + ${left:-0})) "$(of reconcile areas_pages)"
finish
