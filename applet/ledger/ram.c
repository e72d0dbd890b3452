/* SPDX-License-Identifier: MIT */
/* The parts of RAM when tracing began, and RAM that came or went since: see
 * history.h, ram rows; events.h, growth. */
#include <string.h>
#include "ledger/events.h"
#include "ledger/history.h"

/* --- ram rows */

/* The row, or the place behind the last row. */
static uint32_t find(const struct ram_rows *r, uint32_t group, int within,
		     const char *name)
{
	uint32_t i = 0;

	while (i < r->used &&
	       (r->row[i].group != group || r->row[i].within != within ||
		strncmp(r->row[i].name, name, RAM_NAME_BYTES - 1)))
		i++;
	return i;
}

/* Free memory has no row; only parts within it do (RAM_WITHIN). */
int ram_rows_add(struct ram_rows *r, const struct event *e)
{
	const uint32_t group = e->flags & RAM_GROUP_MASK;
	const int within = (e->flags & RAM_WITHIN) != 0;
	const uint32_t i = find(r, group, within, e->name);
	struct ram_row *row = &r->row[i];

	if (i == RAM_ROWS_MAX ||
	    (group > RAM_BEFORE && group != RAM_OFFLINE &&
	     (group != RAM_FREE || !within)))
		return -1;
	if (i == r->used) {
		r->used++;
		row->group = (uint8_t)group;
		row->within = (uint8_t)within;
		memcpy(row->name, e->name, RAM_NAME_BYTES - 1);
	}
	/* No machine has so much; the sum of all rows must not overflow. */
	row->kib += e->size / 1024;
	if (row->kib > RAM_KIB_MAX)
		row->kib = RAM_KIB_MAX;
	return 1;
}

uint64_t ram_rows_kib(const struct ram_rows *r, enum ram_group group,
		      const char *name)
{
	const uint32_t i = has_ram_rows() ? find(r, group, 0, name) : 0;

	return i < r->used ? r->row[i].kib : 0;
}

/* --- growth */

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
