/* See figures.h. */
#include <string.h>
#include "report/balance.h"
#include "report/line.h"

/* Of what, and how wide: in the low bits of an offset, which are 0. */
#define SESSION_U32 0u
#define SESSION_U64 1u
#define LEDGER_U32 2u
#define LEDGER_U64 3u

/* In the order of enum figure, but those that are not kept anywhere. */
static const uint16_t places[FIGURE_WRITTEN] = {
	[FIGURE_FALL] = offsetof(struct ledger, free_start_pages) | LEDGER_U64,
	offsetof(struct ledger, traced.now) | LEDGER_U32,
	offsetof(struct ledger, areas.held.now) | LEDGER_U32,
	offsetof(struct ledger, areas.other_bulk_pages) | LEDGER_U64,
	offsetof(struct ledger, areas.cma_pages) | LEDGER_U64,
	offsetof(struct ledger, areas.bulk_pages) | LEDGER_U64,
	offsetof(struct ledger, pcp_now_pages) | LEDGER_U64,
	[FIGURE_START_NS] = offsetof(struct session, start_ns) | SESSION_U64,
	offsetof(struct session, end_ns) | SESSION_U64,
	offsetof(struct session, page_size) | SESSION_U32,
	offsetof(struct session, mem_total_kib) | SESSION_U64,
	offsetof(struct ledger, free_start_pages) | LEDGER_U64,
	offsetof(struct ledger, free_now_pages) | LEDGER_U64,
	offsetof(struct ledger, free_lowest_pages) | LEDGER_U64,
	offsetof(struct ledger, free_lowest_ns) | LEDGER_U64,
	[FIGURE_NOW_PAGES] = offsetof(struct ledger, traced.now) | LEDGER_U32,
	offsetof(struct ledger, traced.peak) | LEDGER_U32,
	offsetof(struct ledger, peak_ns) | LEDGER_U64,
	offsetof(struct ledger, total.allocs) | LEDGER_U64,
	offsetof(struct ledger, total.frees) | LEDGER_U64,
	offsetof(struct ledger, total.before_frees) | LEDGER_U64,
	offsetof(struct ledger, total.seen) | LEDGER_U64,
	offsetof(struct ledger, total.applied) | LEDGER_U64,
	offsetof(struct ledger, total.ignored) | LEDGER_U64,
	offsetof(struct ledger, total.rejected) | LEDGER_U64,
	offsetof(struct ledger, total.lost) | LEDGER_U64,
	offsetof(struct session, own_bytes) | SESSION_U64,
	offsetof(struct session, cpu_ns) | SESSION_U64,
	[FIGURE_PAGES_BYTES] =
	offsetof(struct session, layout.pages_bytes) | SESSION_U64,
	[FIGURE_RING_BYTES] =
	offsetof(struct session, layout.ring_bytes) | SESSION_U64,
	offsetof(struct session, layout.nodes) | SESSION_U32,
	offsetof(struct session, layout.owners) | SESSION_U32,
	offsetof(struct session, layout.tasks) | SESSION_U32,
	offsetof(struct session, layout.modules) | SESSION_U32,
	offsetof(struct session, layout.symbols) | SESSION_U32,
	offsetof(struct session, cpus_traced) | SESSION_U32,
	offsetof(struct session, cpus_online) | SESSION_U32,
	[FIGURE_COUNTERS] = offsetof(struct ledger, total.lost) | LEDGER_U64,
	offsetof(struct ledger, total.late) | LEDGER_U64,
	offsetof(struct ledger, total.missed_frees) | LEDGER_U64,
	offsetof(struct ledger, total.untracked_pages) | LEDGER_U64,
	offsetof(struct ledger, total.outside_ram) | LEDGER_U64,
	offsetof(struct ledger, total.bad_records) | LEDGER_U64,
	offsetof(struct ledger, total.failed_allocs) | LEDGER_U64,
	offsetof(struct ledger, tasks.full) | LEDGER_U64,
	offsetof(struct ledger, tasks.recycled) | LEDGER_U64,
	offsetof(struct ledger, tasks.recycled_peak) | LEDGER_U64,
	offsetof(struct ledger, modules.full) | LEDGER_U64,
	offsetof(struct ledger, modules.recycled) | LEDGER_U64,
	offsetof(struct ledger, modules.recycled_peak) | LEDGER_U64,
	offsetof(struct ledger, modules.ranges_full) | LEDGER_U64,
	offsetof(struct ledger, areas.full) | LEDGER_U64,
	offsetof(struct ledger, stacks.full) | LEDGER_U64,
	offsetof(struct ledger, owners.full) | LEDGER_U64,
	offsetof(struct ledger, owners.recycled) | LEDGER_U64,
	offsetof(struct ledger, owners.recycled_peak) | LEDGER_U64,
	offsetof(struct ledger, total.anon_pages) | LEDGER_U64,
	offsetof(struct ledger, total.before_frees) | LEDGER_U64,
};

const char figure_names[] =
	"fall_pages\0traced_pages\0vmalloc_pages\0bulk_pages\0cma_pages\0"
	"before_pages\0pcp_pages\0rest_pages\0explained_permille\0"
	"total_kib\0lowest_free_kib\0used_kib\0advice_kib\0"
	"level\0start_ns\0end_ns\0page_size\0mem_total_kib\0free_start_kib\0"
	"free_now_kib\0free_lowest_kib\0free_lowest_ns\0now_pages\0"
	"peak_pages\0peak_ns\0allocs\0frees\0before_frees\0seen\0applied\0"
	"ignored\0rejected\0lost\0own_bytes\0cpu_ns\0"
	"pages_bytes\0stacks_bytes\0tasks_bytes\0modules_bytes\0ring_bytes\0"
	"stacks_rows\0owners_rows\0tasks_rows\0modules_rows\0symbols_rows\0"
	"cpus_traced\0cpus_online\0"
	"lost\0late\0missed_frees\0untracked_pages\0outside_ram\0"
	"bad_records\0failed_allocs\0tasks_full\0tasks_recycled\0"
	"tasks_recycled_peak\0modules_full\0modules_recycled\0"
	"modules_recycled_peak\0ranges_full\0areas_full\0stacks_full\0owners_full\0"
	"owners_recycled\0owners_recycled_peak\0anon_pages\0before_frees\0"
	"records\0records_cut\0frames\0unnamed_frames\0"
	"now_pages\0peak_pages\0at_peak_pages\0image_pages\0vmalloc_pages\0"
	"image_peak_pages\0vmalloc_peak_pages\0"
	"pid\0tgid\0start_ns\0rss_start_pages\0"
	"rows";

const char counter_texts[] =
	"records lost: some pages are missing, some still count|ring\0"
	"(events in interrupts came out of order)\0"
	"pages allocated again, their free not seen\0"
	"pages found no room and are in no figure|pages\0"
	"events of pages outside of known memory\0"
	"records not of their format\0"
	"allocations failed\0"
	"tasks went to (other)|tasks\0"
	"ended tasks not listed|tasks\0"
	"^\0"
	"modules went to (other)|modules\0"
	"gone modules not listed|modules\0"
	"^\0"
	"module ranges found no room|modules\0"
	"areas of vmalloc found no room|modules\0"
	"allocations kept without their stack|stacks\0"
	"allocations kept with their task alone|stacks\0"
	"empty stacks not listed|stacks\0"
	"^\0"
	"\0";

static uint64_t get_one(const struct report *r, uint16_t place)
{
	const char *from = place & LEDGER_U32 ? (const char *)r->ledger :
						(const char *)r->session;
	uint64_t wide;
	uint32_t narrow;

	from += place & ~3u;
	memcpy(&narrow, from, sizeof(narrow));
	if (!(place & SESSION_U64))
		return narrow;
	memcpy(&wide, from, sizeof(wide));
	return wide;
}

static void forget(uint64_t value[FIGURES], unsigned int first,
		   unsigned int until)
{
	while (first < until)
		value[first++] = UNKNOWN;
}

void figures_get(const struct report *r, uint64_t value[FIGURES])
{
	const struct layout *y = &r->session->layout;
	const uint64_t page_kib = r->session->page_size >> 10;

	for (unsigned int i = 0; i < FIGURE_WRITTEN; i++)
		value[i] = get_one(r, places[i]);
	value[FIGURE_LEVEL] = r->level;
	for (unsigned int i = FIGURE_FREE_START_KIB;
	     i <= FIGURE_FREE_LOWEST_KIB; i++)
		value[i] = pages_kib(value[i], page_kib);
	value[FIGURE_STACKS_BYTES] = stacks_bytes(y->nodes) +
				     owners_bytes(y->owners);
	value[FIGURE_TASKS_BYTES] = tasks_bytes(y->tasks);
	value[FIGURE_MODULES_BYTES] = modules_bytes(y->modules) +
				      areas_bytes(y->modules) +
				      timeline_bytes();
	balance_get(r->ledger, value);
	advice_get(r, value);
	if (r->ledger->memory_sampled)
		return;
	forget(value, FIGURE_FREE_START_KIB, FIGURE_NOW_PAGES);
	forget(value, FIGURE_BALANCE, FIGURE_ADVICE);
}
