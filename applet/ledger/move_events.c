/* SPDX-License-Identifier: MIT */
/* The kernel moves pages: see events.h, move events. */
#include "ledger/events.h"

/* After this many moves in a row that do not fit, the known mapping of page
 * structs is wrong. */
#define STRAYS_MAX 16u

struct mover *mover_of(struct ledger *l, const struct event *e)
{
	uint32_t i = e->flags & EVENT_IRQ ? l->movers : 0;

	while (i < l->movers && l->mover[i].tid != e->tid)
		i++;
	return i < l->movers ? &l->mover[i] : NULL;
}

/* The row of the event's task, or an unused row. NULL: there is no room. */
static struct mover *mover_enter(struct ledger *l, const struct event *e)
{
	struct mover *m = mover_of(l, e);
	uint32_t i = 0;

	if (m)
		return m;
	while (i < l->movers && (l->mover[i].compacts || l->mover[i].moves))
		i++;
	if (i == MOVERS_MAX)
		return NULL;
	l->movers += i == l->movers;
	l->mover[i] = (struct mover){ .tid = e->tid };
	return &l->mover[i];
}

/* Moves the owners of the pages from `pfn` on to the pages at distance `on`. If
 * a new page was allocated with an event, it belonged to the task that
 * moves. */
static void go_on(struct ledger *l, const struct event *e, uint64_t pfn,
		  uint64_t pages, int64_t on)
{
	for (const uint64_t end = pfn + pages; pfn < end; pfn++) {
		const int64_t owner = pages_swap(&l->pages, pfn, 0);
		const int64_t other = pages_swap(&l->pages, pfn + (uint64_t)on,
						 owner > 0 ? (uint32_t)owner : 0);

		if (other > 0)
			charge(l, e, (uint32_t)other - 1, 0 - 1u);
		if (other < 0 && owner > 0)
			charge(l, e, (uint32_t)owner - 1, 0 - 1u);
		l->total.untracked_pages += other == -2;
	}
}

/* Translates page structs into pages. 0: the mapping is not known, or does not
 * fit. After STRAYS_MAX such moves in a row the mapping is forgotten. */
static int find_places(struct page_structs *p, struct mover *m)
{
	const int64_t behind = (int64_t)(m->from - p->at);
	const int64_t bytes = p->bytes;

	if (!bytes)
		return 0;
	if (behind % bytes || m->on % bytes) {
		p->strays++;
		if (p->strays == STRAYS_MAX)
			*p = (struct page_structs){ 0 };
		return 0;
	}
	m->from = p->pfn + (uint64_t)(behind / bytes);
	m->on /= bytes;
	return 1;
}

int move_page(struct ledger *l, const struct event *e)
{
	struct mover *m;

	if (e->time_ns < l->last_ns)	/* the pages may have changed */
		return 0;
	m = e->result ? mover_enter(l, e) : NULL;
	if (!m)
		return -1;
	m->from = e->base;
	m->on = e->result;
	m->moves = MOVES_PAGE;
	if (find_places(&l->page_structs, m))
		go_on(l, e, m->from, 1, m->on);
	else
		m->moves = l->page_structs.bytes ? 0 : MOVES_STRUCT;
	return 1;
}

int move_compaction(struct ledger *l, const struct event *e)
{
	struct mover *m = mover_enter(l, e);

	if (!m)
		return -1;
	m->compacts = e->type == EVENT_COMPACTS;
	return 1;
}

/* `pfn` was freed behind a move, so it may be the page of the page struct
 * m->from. If the distance to the last such pair is a whole number of page
 * structs, both pairs are right. 1: the size of a page struct is known now. */
static int learn_structs(struct page_structs *p, const struct mover *m,
			 uint64_t pfn)
{
	const struct page_structs last = *p;
	uint32_t bytes = 32;

	p->at = m->from;
	p->pfn = pfn;
	while (bytes <= 128 && (pfn - last.pfn) * bytes != m->from - last.at)
		bytes += 4;
	if (!last.at || pfn == last.pfn || bytes > 128)
		return 0;
	p->bytes = bytes;
	return 1;
}

int move_ends(struct ledger *l, const struct event *e, struct mover *m)
{
	struct page_structs *p = &l->page_structs;

	if (m->moves == MOVES_STRUCT && !p->bytes) {
		m->moves = 0;
		if (!learn_structs(p, m, e->pfn) || !find_places(p, m))
			return 0;
		go_on(l, e, e->pfn, 1, m->on);
	} else if (m->moves != MOVES_PAGE || e->pfn != m->from) {
		return 0;
	}
	m->moves = 0;
	p->strays = 0;
	go_on(l, e, e->pfn + 1, ((uint64_t)1 << e->order) - 1, m->on);
	return 1;
}
