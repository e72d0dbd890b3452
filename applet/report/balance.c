/* See balance.h. */
#include "report/balance.h"
#include "report/line.h"

#define ADVICE_STEP_KIB (16u << 10)

void balance_get(const struct ledger *l, uint64_t value[FIGURES])
{
	const uint64_t fall = l->free_start_pages - l->free_now_pages;
	/* Pages of areas that are gone were freed unseen as well. */
	const uint64_t areas_freed = l->areas.bulk_pages ?
				     l->areas.bulk_pages - l->areas.held.now :
				     0;

	value[FIGURE_FALL] = fall;
	value[FIGURE_TRACED] = l->traced.now;
	value[FIGURE_VMALLOC] = l->areas.held.now;
	value[FIGURE_BULK] = l->areas.other_bulk_pages;
	value[FIGURE_CMA] = l->areas.cma_pages;
	value[FIGURE_BEFORE] = areas_freed - l->total.before_frees;
	value[FIGURE_PCP] = l->pcp_now_pages - l->pcp_start_pages;
	value[FIGURE_REST] = fall - value[FIGURE_TRACED] -
			     value[FIGURE_VMALLOC] - value[FIGURE_BULK] -
			     value[FIGURE_CMA] - value[FIGURE_BEFORE] -
			     value[FIGURE_PCP];
	value[FIGURE_PERMILLE] = (int64_t)fall <= 0 ? UNKNOWN : (uint64_t)
		((int64_t)((fall - value[FIGURE_REST]) * 1000) / (int64_t)fall);
}

/* RAM as the firmware tells it has the kernel in it, MemTotal has not; but an
 * unknown RAM is all there could be. */
static uint64_t total_kib(const struct report *r, uint64_t page_kib)
{
	const struct ram *ram = &r->ledger->pages.ram;
	uint64_t pages = 0;

	for (uint32_t i = 0; i < ram->count; i++)
		pages += ram->range[i].count_pages;
	return pages >= UINT32_MAX && ram->count == 1 ?
	       r->session->mem_total_kib : pages_kib(pages, page_kib);
}

/* The rest is a 20th at most, of the fall or of what was used before it was
 * given back. */
static int is_explained(const struct ledger *l, const uint64_t value[FIGURES])
{
	uint64_t rest = value[FIGURE_REST], most = value[FIGURE_FALL];

	if ((int64_t)rest < 0)
		rest = -rest;
	if ((int64_t)most < (int64_t)l->used_peak_pages)
		most = l->used_peak_pages;
	return rest <= most / 20;
}

void advice_get(const struct report *r, uint64_t value[FIGURES])
{
	uint64_t total = total_kib(r, r->session->page_size >> 10);
	const struct ledger *l = r->ledger;
	uint64_t lowest = smaller(l->free_lowest_pages,
				  l->free_start_pages - l->used_peak_pages);
	uint64_t used, enough;

	lowest = pages_kib(lowest, r->session->page_size >> 10);
	used = total > lowest ? total - lowest : 0;
	enough = used + used / 10 + ADVICE_STEP_KIB - 1;
	value[FIGURE_TOTAL_KIB] = total;
	value[FIGURE_LOWEST_KIB] = lowest;
	value[FIGURE_USED_KIB] = used;
	value[FIGURE_ADVICE_KIB] = l->total.lost || !is_explained(l, value) ?
				   UNKNOWN : enough - enough % ADVICE_STEP_KIB;
}
