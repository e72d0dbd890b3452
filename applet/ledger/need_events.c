/* SPDX-License-Identifier: MIT */
/* Memory that could not be given back: see events.h, need events. */
#include "ledger/events.h"

/* Pages that were read from files. */
static uint64_t read_pages(const struct ledger *l)
{
	return is_sampled(l) ? 0 : (uint64_t)l->kinds.row[KIND_CACHE].now +
				   l->kinds.row[KIND_IMAGE].now;
}

static uint64_t swappable(const struct ledger *l)
{
	const uint64_t anon = l->kinds.row[KIND_ANON].now;
	const uint64_t room = l->kept_pages[KEPT_SWAP];

	return anon < room ? anon : room;
}

static int64_t used_unread(const struct ledger *l)
{
	return (int64_t)(ledger_used(l) - read_pages(l));
}

/* In use, without pages read from files, and without what swap would free. */
static int64_t used_otherwise(const struct ledger *l)
{
	return need_less(used_unread(l),
			 (int64_t)need_swaps(&l->need, swappable(l)));
}

/* Applies a new share of pages that swap frees. */
static void see_swap(struct ledger *l)
{
	struct need *n = &l->need;
	const uint64_t most = need_swaps(n, swappable(l));
	const uint64_t worst = need_swaps(n, n->swappable);

	n->swap_frees = l->kept_pages[KEPT_SWAP_FREES];
	n->most = need_less(n->most, (int64_t)(need_swaps(n, swappable(l)) -
					       most));
	n->worst = need_less(n->worst, (int64_t)(need_swaps(n, n->swappable) -
						 worst));
}

/* With a record from before init, its peak is the worst moment so far. */
static void begin_need(struct ledger *l)
{
	need_begin(&l->need, used_otherwise(l), l->last_ns);
	if (l->before_init.marks)
		need_used(&l->need, (int64_t)l->used_peak_pages,
			  l->used_peak_ns);
}

/* Since the last sample only `fewer` pages could be given back, instead of
 * need.other. */
static void settle_points(struct ledger *l, int64_t fewer)
{
	struct moment *p = &l->timeline.point[l->timeline.points];

	while (p > l->timeline.point && !(--p)->settled) {
		p->hard_pages = need_less(p->hard_pages,
					  need_less(fewer, l->need.other));
		p->settled = 1;
	}
}

int need_available(struct ledger *l, const struct event *e)
{
	struct need *n = &l->need;
	const int64_t other = (int64_t)(e->free_pages - read_pages(l));
	const int64_t fewer = n->known && n->other < other ? n->other : other;
	int64_t worst;

	if (!l->memory_sampled || e->free_pages > UINT32_MAX ||
	    e->rss_pages > UINT32_MAX || e->pages > UINT32_MAX ||
	    e->objects > UINT32_MAX)
		return -1;
	see_swap(l);
	if (!n->known)
		begin_need(l);
	settle_points(l, fewer);
	worst = need_less(n->most, fewer);
	if (!n->known || worst > n->worst) {
		n->worst = worst;
		n->worst_ns = n->most_ns;
		n->swappable = swappable(l);
		n->anon = e->rss_pages;
		n->shmem = e->pages;
		n->slab = e->objects;
	}
	n->known = 1;
	n->other = other;
	need_begin(n, used_otherwise(l), l->last_ns);
	return 1;
}

void need_note(struct ledger *l)
{
	need_used(&l->need, used_otherwise(l), l->last_ns);
}

/* need_rebase() changes used_unread() and need.other by the same number. */
void need_point(const struct ledger *l, struct moment *p)
{
	p->hard_pages = need_less(used_unread(l), l->need.other);
	p->swappable_pages = (uint32_t)swappable(l);
}
