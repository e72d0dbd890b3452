/* SPDX-License-Identifier: MIT */
/* The machine gets more memory, or less: see events.h, growth. */
#include "ledger/events.h"

/* No machine has more pages. Sums of such numbers do not overflow. */
#define PAGES_MOST (UINT64_C(1) << 44)

static int is_absurd(uint64_t pages)
{
	return pages + PAGES_MOST > 2 * PAGES_MOST;
}

static uint64_t smaller_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void growth_sampled(struct ledger *l)
{
	const int64_t fall = (int64_t)ledger_fall(l);

	if (fall <= l->fall_most)
		return;
	l->fall_most = fall;
	l->growth.fall_pages = l->growth.pages;
}

int growth_range(struct ledger *l, const struct event *e)
{
	if (e->size >> 44 || pages_add(&l->pages, e->pfn, e->pages))
		return -1;
	l->growth.structs_bytes += e->size;
	return 1;
}

/* The kernel frees a block and then adds it to MemTotal. So the last block may
 * have counted as pages from before tracing. */
static void take_back(struct ledger *l)
{
	struct growth *g = &l->growth;
	const uint64_t pages = smaller_of(smaller_of(g->last_block,
						     g->due_pages),
					  l->total.before_frees);

	l->total.before_frees -= pages;
	if (l->areas.other_freed_pages > l->total.before_frees)
		l->areas.other_freed_pages = l->total.before_frees;
	g->due_pages -= pages;
}

int growth_apply(struct ledger *l, const struct event *e)
{
	struct growth *g = &l->growth;

	if (e->pages > PAGES_MOST || is_absurd((uint64_t)e->result) ||
	    is_absurd((uint64_t)(g->pages + e->result)))
		return -1;
	g->ram_pages = e->pages;
	if (!e->result)
		return 1;
	if (!g->first_ns)
		g->first_ns = e->time_ns;
	g->last_ns = e->time_ns;
	g->pages += e->result;
	if (e->result < 0) {
		g->less_pages += (uint64_t)-e->result;
		/* The kernel isolated the free pages before this event. */
		l->fall_most = 0;
		g->fall_pages = g->pages;
	} else {
		g->more_pages += (uint64_t)e->result;
		g->due_pages += (uint64_t)e->result;
		take_back(l);
	}
	g->last_block = 0;
	return 1;
}

uint64_t growth_takes(struct ledger *l, uint64_t pages, uint32_t order)
{
	struct growth *g = &l->growth;
	const uint64_t taken = smaller_of(pages, g->due_pages);

	g->due_pages -= taken;
	if (order >= HANDED_ORDER)
		g->last_block = pages - taken;
	return pages - taken;
}
