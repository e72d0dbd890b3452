/* SPDX-License-Identifier: MIT */
/* Who owns compressed pages: see events.h, compress events. */
#include "ledger/events.h"

static struct squeezer *squeezer_of(struct ledger *l, uint32_t tid)
{
	for (uint32_t i = 0; i < l->squeezers; i++)
		if (l->squeezer[i].tid == tid)
			return &l->squeezer[i];
	return NULL;
}

/* The row of a task, or the next row in turn. Pages of the row's old task that
 * nobody got stay with the task that allocated them. */
static struct squeezer *squeezer_enter(struct ledger *l, uint32_t tid)
{
	struct squeezer *s = squeezer_of(l, tid);

	if (s)
		return s;
	s = &l->squeezer[l->squeezer_next++ % SQUEEZERS_MAX];
	l->squeezers += l->squeezers < SQUEEZERS_MAX;
	*s = (struct squeezer){ .tid = tid };
	return s;
}

void compress_take(struct ledger *l, const struct event *e, uint32_t owner)
{
	struct squeezer *s;

	if (e->order || e->flags & EVENT_IRQ || e->time_ns < l->last_ns ||
	    kind_of_leaf(l, l->owners.row[owner].leaf) != KIND_COMPRESSED)
		return;
	s = squeezer_enter(l, e->tid);
	s->first += s->pages == SQUEEZED_PAGES;
	s->pages += s->pages < SQUEEZED_PAGES;
	s->pfn[(s->first + s->pages - 1) % SQUEEZED_PAGES] = e->pfn;
}

/* The kind of an owner's pages. `owner`: its row + 1; 0: nobody. */
static uint32_t kind_held(const struct ledger *l, uint32_t owner)
{
	return owner ? kind_of_leaf(l, l->owners.row[owner - 1].leaf) :
		       KIND_OTHER;
}

void compress_give(struct ledger *l, const struct event *e)
{
	struct squeezer *s = e->flags & EVENT_IRQ ? NULL :
			     squeezer_of(l, e->tid);
	uint32_t freed, owner, to;
	uint64_t pfn;

	if (!s || !s->pages || e->order || e->time_ns < l->last_ns)
		return;
	freed = pages_owner(&l->pages, e->pfn);
	if (kind_held(l, freed) != KIND_ANON &&
	    kind_held(l, freed) != KIND_TMPFS)
		return;
	s->pages--;
	pfn = s->pfn[s->first++ % SQUEEZED_PAGES];
	owner = pages_owner(&l->pages, pfn);
	if (kind_held(l, owner) != KIND_COMPRESSED)
		return;
	to = owners_enter(&l->owners, &l->tasks, l->owners.row[freed - 1].task,
			  l->owners.row[owner - 1].leaf, 0);
	pages_swap(&l->pages, pfn, to + 1);
	charge(l, e, owner - 1, 0 - 1u);
	charge(l, e, to, 1);
}
