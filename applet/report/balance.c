/* See balance.h. */
#include "balance.h"
#include "line.h"

#define ADVICE_STEP_KIB (16u << 10)
#define EXPLAINED_LEAST 950
#define EXPLAINED_MOST 1050

void balance_of(const struct ledger *l, struct balance *b)
{
	const struct areas *a = &l->areas;
	uint64_t *v = b->value;

	v[BALANCE_FALL] = l->free_start_pages - l->free_now_pages;
	v[BALANCE_TRACED] = l->traced.now;
	v[BALANCE_VMALLOC] = a->held.now;
	v[BALANCE_BULK] = a->other_bulk_pages;
	v[BALANCE_CMA] = a->cma_pages;
	/* Pages of areas that are gone were freed unseen as well. */
	v[BALANCE_BEFORE] = -l->total.before_frees;
	if (a->bulk_pages)
		v[BALANCE_BEFORE] += a->bulk_pages - a->held.now;
	v[BALANCE_PCP] = l->pcp_now_pages - l->pcp_start_pages;
	v[BALANCE_REST] = v[BALANCE_FALL];
	for (unsigned int i = BALANCE_TRACED; i < BALANCE_REST; i++)
		v[BALANCE_REST] -= v[i];
	b->fell = l->memory_sampled && (int64_t)v[BALANCE_FALL] > 0;
	v[BALANCE_PERMILLE] = 0;
	if (b->fell)
		v[BALANCE_PERMILLE] = (uint64_t)
			((int64_t)((v[BALANCE_FALL] - v[BALANCE_REST]) * 1000) /
			 (int64_t)v[BALANCE_FALL]);
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

void advice_of(const struct report *r, struct advice *a)
{
	const uint64_t page_kib = r->session->page_size >> 10;
	struct balance b;

	balance_of(r->ledger, &b);
	a->reliable = b.fell && !r->ledger->total.lost &&
		      (int64_t)b.value[BALANCE_PERMILLE] >= EXPLAINED_LEAST &&
		      (int64_t)b.value[BALANCE_PERMILLE] <= EXPLAINED_MOST;
	a->total_kib = total_kib(r, page_kib);
	a->lowest_kib = pages_kib(r->ledger->free_lowest_pages, page_kib);
	a->used_kib = a->total_kib > a->lowest_kib ?
		      a->total_kib - a->lowest_kib : 0;
	a->enough_kib = a->used_kib + a->used_kib / 10 + ADVICE_STEP_KIB - 1;
	a->enough_kib -= a->enough_kib % ADVICE_STEP_KIB;
}
