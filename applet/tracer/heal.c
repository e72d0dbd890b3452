/* SPDX-License-Identifier: MIT */
/* Pages whose free was lost: see tracer.h, heal. */
#include <fcntl.h>
#include <linux/kernel-page-flags.h>
#include <unistd.h>
#include "base/system.h"
#include "tracer/tracer.h"

/* The most groups of HEAL_PAGES that one call looks at while none of their
 * pages is held: 1 ms at most. */
#define TRIES 128u

#define IS_FREE ((uint64_t)1 << KPF_BUDDY)

void heal_open(struct heal *h)
{
	h->flags_fd = system_open_path("/proc/kpageflags", O_RDONLY);
}

/* Finds the next pages of the pass. Returns their number: HEAL_PAGES, or fewer
 * at the end of the range. */
static uint32_t place(struct heal *h, const struct ram *ram)
{
	const struct ram_range *r = &ram->range[h->range];
	uint64_t left = r->count_pages - h->at;

	h->pfn = r->first_pfn + h->at;
	return left < HEAL_PAGES ? (uint32_t)left : HEAL_PAGES;
}

static void go_on(struct heal *h, const struct ram *ram, uint32_t pages)
{
	h->at += pages;
	if (h->at < ram->range[h->range].count_pages)
		return;
	h->at = 0;
	h->range++;
	h->passing = h->range < ram->count;
}

static int is_any_held(struct pages *p, uint64_t pfn, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (pages_owner(p, pfn + i))
			return 1;
	return 0;
}

static void read_flags(struct heal *h, uint32_t pages)
{
	ssize_t bytes = pread(h->flags_fd, h->flags,
			      pages * sizeof(*h->flags),
			      (off_t)(h->pfn * sizeof(*h->flags)));

	h->count = bytes > 0 ? (uint32_t)((size_t)bytes /
					  sizeof(*h->flags)) : 0;
}

/* If RAM is not known, the ledger assumes all possible pages: too many to look
 * at. */
static int begins(struct heal *h, const struct engine *g)
{
	const struct ledger *l = &g->ledger;
	const struct ram *ram = &l->pages.ram;

	if (h->flags_fd < 0 ||
	    (l->total.lost == h->lost && g->cpus_came == h->cpus_came) ||
	    ram->range[0].count_pages >= UINT32_MAX)
		return 0;
	h->lost = l->total.lost;
	h->cpus_came = g->cpus_came;
	h->range = 0;
	h->at = 0;
	h->passing = 1;
	return 1;
}

int heal_look(struct heal *h, struct engine *g)
{
	struct pages *p = &g->ledger.pages;

	h->count = 0;
	if (!h->passing && !begins(h, g))
		return 0;
	for (uint32_t i = 0; i < TRIES && h->passing && !h->count; i++) {
		const uint32_t pages = place(h, &p->ram);

		if (is_any_held(p, h->pfn, pages))
			read_flags(h, pages);
		go_on(h, &p->ram, pages);
	}
	return 1;
}

void heal_see(struct heal *h, const struct event *e)
{
	uint64_t first = e->pfn, end;

	if (e->type != EVENT_ALLOC || !h->count || e->order > ORDER_MAX)
		return;
	end = first + ((uint64_t)1 << e->order);
	if (first < h->pfn)
		first = h->pfn;
	if (end > h->pfn + h->count)
		end = h->pfn + h->count;
	for (; first < end; first++)
		h->flags[first - h->pfn] = 0;
}

void heal_settle(const struct heal *h, struct engine *g)
{
	struct event *e = engine_event(g, EVENT_FREE, g->ledger.last_ns);

	e->flags = EVENT_FOUND;
	for (uint32_t i = 0; i < h->count; i++) {
		e->pfn = h->pfn + i;
		if (h->flags[i] & IS_FREE &&
		    pages_owner(&g->ledger.pages, e->pfn))
			engine_take(g, e);
	}
}
