/* SPDX-License-Identifier: MIT */
/* See report.h, figures. */
#include <string.h>
#include "base/base.h"
#include "report/report.h"
#include "report/parts.h"

/* In JSON, in the order of enum figure. */
static const char names[] =
	"fall_pages traced_pages areas_pages bulk_pages cma_pages "
	"before_pages no_room_pages pcp_pages rest_pages explained_permille "
	"ram_kib lowest_free_kib used_kib unreclaimable_kib unreclaimable_ns "
	"reclaimable_kib kept_kib unpacking_kib rootfs_kib tmpfs_kib "
	"scaled_kib need_kib advice_kib "
	"level start_ns end_ns page_bytes mem_total_kib ram_kib "
	"free_start_kib free_now_kib free_lowest_kib free_lowest_ns now_pages "
	"peak_pages peak_ns allocs frees before_freed_pages seen applied "
	"ignored rejected lost own_bytes cpu_ns "
	"pages_bytes stacks_bytes tasks_bytes modules_bytes ring_bytes "
	"stacks_rows owners_rows tasks_rows modules_rows symbols_rows "
	"cpus_traced cpus_online "
	"lost late settled_pages missed_free_pages untracked_pages "
	"outside_ram bad_records failed_allocs tasks_full tasks_recycled "
	"tasks_recycled_peak modules_full modules_recycled "
	"modules_recycled_peak ranges_full functions_full areas_full "
	"stacks_full owners_full owners_recycled owners_recycled_peak "
	"anon_pages before_freed_pages "
	"records records_cut frames unnamed_frames";

/* Where a figure is read from; bytes 0: it is computed. */
enum from { FROM_SESSION, FROM_LEDGER };

#define SESSION(field) { offsetof(struct session, field), FROM_SESSION, \
	sizeof(((struct session *)NULL)->field) }
#define LEDGER(field) { offsetof(struct ledger, field), FROM_LEDGER, \
	sizeof(((struct ledger *)NULL)->field) }

static const struct place {
	uint16_t offset;
	uint8_t from, bytes;
} places[FIGURES] = {
	[FIGURE_START_NS] = SESSION(start_ns),
	[FIGURE_END_NS] = SESSION(end_ns),
	[FIGURE_PAGE_SIZE] = SESSION(page_size),
	[FIGURE_MEM_TOTAL_KIB] = SESSION(mem_total_kib),
	[FIGURE_FREE_LOWEST_NS] = LEDGER(free_lowest_ns),
	[FIGURE_NOW_PAGES] = LEDGER(traced.now),
	[FIGURE_PEAK_PAGES] = LEDGER(traced.peak),
	[FIGURE_PEAK_NS] = LEDGER(peak_ns),
	[FIGURE_ALLOCS] = LEDGER(total.allocs),
	[FIGURE_FREES] = LEDGER(total.frees),
	[FIGURE_BEFORE_FREES] = LEDGER(total.before_frees),
	[FIGURE_SEEN] = LEDGER(total.seen),
	[FIGURE_APPLIED] = LEDGER(total.applied),
	[FIGURE_IGNORED] = LEDGER(total.ignored),
	[FIGURE_REJECTED] = LEDGER(total.rejected),
	[FIGURE_LOST] = LEDGER(total.lost),
	[FIGURE_OWN_BYTES] = SESSION(own_bytes),
	[FIGURE_CPU_NS] = SESSION(cpu_ns),
	[FIGURE_PAGES_BYTES] = SESSION(layout.pages_bytes),
	[FIGURE_RING_BYTES] = SESSION(layout.ring_bytes),
	[FIGURE_STACKS_ROWS] = SESSION(layout.nodes),
	[FIGURE_OWNERS_ROWS] = SESSION(layout.owners),
	[FIGURE_TASKS_ROWS] = SESSION(layout.tasks),
	[FIGURE_MODULES_ROWS] = SESSION(layout.modules),
	[FIGURE_SYMBOLS_ROWS] = SESSION(layout.symbols),
	[FIGURE_CPUS_TRACED] = SESSION(cpus_traced),
	[FIGURE_CPUS_ONLINE] = SESSION(cpus_online),
	[FIGURE_LOST_RECORDS] = LEDGER(total.lost),
	[FIGURE_LATE] = LEDGER(total.late),
	[FIGURE_SETTLED_PAGES] = LEDGER(total.settled_pages),
	[FIGURE_MISSED_FREES] = LEDGER(total.missed_frees),
	[FIGURE_UNTRACKED_PAGES] = LEDGER(total.untracked_pages),
	[FIGURE_OUTSIDE_RAM] = LEDGER(total.outside_ram),
	[FIGURE_BAD_RECORDS] = LEDGER(total.bad_records),
	[FIGURE_FAILED_ALLOCS] = LEDGER(total.failed_allocs),
	[FIGURE_TASKS_FULL] = LEDGER(tasks.full),
	[FIGURE_TASKS_RECYCLED] = LEDGER(tasks.idle.recycled),
	[FIGURE_TASKS_RECYCLED_PEAK] = LEDGER(tasks.idle.recycled_peak),
	[FIGURE_MODULES_FULL] = LEDGER(modules.full),
	[FIGURE_MODULES_RECYCLED] = LEDGER(modules.idle.recycled),
	[FIGURE_MODULES_RECYCLED_PEAK] = LEDGER(modules.idle.recycled_peak),
	[FIGURE_RANGES_FULL] = LEDGER(modules.ranges_full),
	[FIGURE_FUNCTIONS_FULL] = LEDGER(kinds.full),
	[FIGURE_AREAS_FULL] = LEDGER(areas.full),
	[FIGURE_STACKS_FULL] = LEDGER(stacks.full),
	[FIGURE_OWNERS_FULL] = LEDGER(owners.full),
	[FIGURE_OWNERS_RECYCLED] = LEDGER(owners.idle.recycled),
	[FIGURE_OWNERS_RECYCLED_PEAK] = LEDGER(owners.idle.recycled_peak),
	[FIGURE_ANON_PAGES] = LEDGER(total.anon_pages),
	[FIGURE_BEFORE_PAGES] = LEDGER(total.before_frees),
};

/*
 * Does our account agree with the kernel's?
 *
 * MemFree falls when pages are allocated and rises when they are freed. So the
 * fall of MemFree from start to report must be the sum of: traced pages held,
 * areas of vmalloc held, contiguous memory (whose frees look like any others);
 * minus the pages freed from before tracing; plus the pages that per-CPU lists
 * gained, because MemFree does not count these. Other bulk allocations explain
 * as much of a difference as they may hold (ledger/tables.h, areas); `rest` is
 * what remains. Memory that came online while we trace makes MemFree rise, and
 * memory that went offline makes it fall: both are taken out of the fall.
 *
 * In a sampled ledger only the kinds are known, and `rest` is the growth that
 * belongs to no kind.
 */

/* What no kind explains, less what there was of it at the start. */
static uint64_t sampled_rest(const struct samples *s)
{
	return (uint64_t)s->kind[KIND_OTHER].now - s->kind_start[KIND_OTHER];
}

/* In parts of the most that was moved. Of the fall alone they would say nothing
 * once free memory is again what it was. */
static uint64_t explained(const uint64_t value[FIGURES])
{
	int64_t moved = 0;

	for (unsigned int i = FIGURE_FALL; i < FIGURE_REST; i++) {
		const int64_t term = (int64_t)value[i];

		if (value[i] != UNKNOWN && (term < 0 ? -term : term) > moved)
			moved = term < 0 ? -term : term;
	}
	return !moved ? UNKNOWN :
	       (uint64_t)share_of((int64_t)((uint64_t)moved -
					    value[FIGURE_REST]), moved, 1000);
}

static void balance_sampled(const struct ledger *l, uint64_t fall,
			    uint64_t value[FIGURES])
{
	for (unsigned int i = FIGURE_BALANCE; i < FIGURE_ADVICE; i++)
		value[i] = UNKNOWN;
	value[FIGURE_FALL] = fall;
	value[FIGURE_PCP] = l->pcp_now_pages - l->pcp_start_pages;
	value[FIGURE_REST] = sampled_rest(&l->samples);
	value[FIGURE_PERMILLE] = explained(value);
}

/* Sets the fall and its parts, in pages, signed; and which share of the fall they
 * explain, UNKNOWN if MemFree did not fall. */
static void get_balance(const struct ledger *l, uint64_t value[FIGURES])
{
	const uint64_t fall = ledger_fall(l);
	/* Pages of freed areas were freed unseen as well. */
	const uint64_t areas_freed = l->areas.bulk_pages ?
				     l->areas.bulk_pages - l->areas.held.now :
				     0;

	if (is_sampled(l)) {
		balance_sampled(l, fall, value);
		return;
	}
	value[FIGURE_FALL] = fall;
	value[FIGURE_TRACED] = l->traced.now - l->before_init.held_pages;
	value[FIGURE_AREAS] = l->areas.held.now;
	value[FIGURE_CMA] = l->areas.cma_pages;
	value[FIGURE_BEFORE] = areas_freed - l->total.before_frees +
			       l->before_init.freed_pages +
			       l->areas.other_freed_pages;
	/* All of them: their frees count as those of pages from before. */
	value[FIGURE_NO_ROOM] = l->total.untracked_pages;
	value[FIGURE_PCP] = l->pcp_now_pages - l->pcp_start_pages;
	value[FIGURE_REST] = fall - value[FIGURE_TRACED] -
			     value[FIGURE_AREAS] - value[FIGURE_CMA] -
			     value[FIGURE_BEFORE] - value[FIGURE_NO_ROOM] -
			     value[FIGURE_PCP];
	/* What is missing, as far as other bulk allocations may hold it. */
	value[FIGURE_BULK] = (int64_t)value[FIGURE_REST] <= 0 ? 0 :
			     smaller(value[FIGURE_REST],
				     areas_other_held(&l->areas));
	value[FIGURE_REST] -= value[FIGURE_BULK];
	value[FIGURE_PERMILLE] = explained(value);
}

const char *figure_name(enum figure f)
{
	const char *name = names;

	while (f--)
		name += length_to(name, ' ') + 1;
	return name;
}

static uint64_t kept(const struct report *r, const struct place *p)
{
	const char *from = p->from == FROM_LEDGER ? (const char *)r->ledger :
						    (const char *)r->session;
	uint64_t wide = 0;
	uint32_t narrow;

	if (p->bytes == sizeof(narrow)) {
		memcpy(&narrow, from + p->offset, sizeof(narrow));
		return narrow;
	}
	memcpy(&wide, from + p->offset, p->bytes);
	return wide;
}

static void forget(uint64_t value[FIGURES], enum figure first, enum figure last)
{
	while (first <= last)
		value[first++] = UNKNOWN;
}

void figures_get(const struct report *r, uint64_t value[FIGURES])
{
	const struct ledger *l = r->ledger;
	const struct layout *y = &r->session->layout;

	for (unsigned int i = 0; i < FIGURES; i++)
		value[i] = kept(r, &places[i]);
	value[FIGURE_LEVEL] = r->level;
	value[FIGURE_RAM_KIB] = ram_kib(l, r->session, l->growth.pages);
	value[FIGURE_FREE_START_KIB] = session_kib(r->session,
						   l->free_start_pages);
	value[FIGURE_FREE_NOW_KIB] = session_kib(r->session,
						 l->free_now_pages);
	value[FIGURE_FREE_LOWEST_KIB] = session_kib(r->session,
						    l->free_lowest_pages);
	value[FIGURE_STACKS_BYTES] = stacks_bytes(y->nodes) +
				     owners_bytes(y->owners);
	value[FIGURE_TASKS_BYTES] = tasks_bytes(y->tasks);
	value[FIGURE_MODULES_BYTES] = modules_bytes(y->modules) +
				      areas_bytes(y->modules, y->tasks) +
				      timeline_bytes();
	get_balance(l, value);
	advice_get(r, value);
	if (!l->memory_sampled) {
		forget(value, FIGURE_BALANCE, FIGURE_PERMILLE);
		forget(value, FIGURE_FREE_START_KIB, FIGURE_FREE_LOWEST_NS);
	}
	if (is_sampled(l))
		forget(value, FIGURE_NOW_PAGES, FIGURE_BEFORE_FREES);
}
