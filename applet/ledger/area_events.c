/*
 * Areas of vmalloc coming and going: see areas.h and lifecycle.h.
 *
 * A vmalloc may call another (the array of its pages, above 2 MiB), but
 * that one is over before the first bulk allocation of the outer; so one
 * count a task does for both.
 */
#include <string.h>
#include "ledger/lifecycle.h"

/* What the task took in bulk before was for something else. */
int area_enter(struct ledger *l, const struct event *e)
{
	uint32_t task = lifecycle_task(l, e);

	l->tasks.row[task].bulk_pages = 0;
	return task ? 1 : -1;
}

/* Nobody's area until one is said to be there. */
int area_bulk(struct ledger *l, const struct event *e)
{
	if (e->flags & EVENT_CMA) {
		l->areas.cma_pages += e->pages;
		return 1;
	}
	l->areas.other_bulk_pages += e->pages;
	if (!(e->flags & EVENT_IRQ)) {
		uint32_t task = lifecycle_task(l, e);

		l->tasks.row[task].bulk_pages += (uint32_t)e->pages;
	}
	return 1;
}

int area_free(struct ledger *l, const struct event *e)
{
	struct area *row = areas_find(&l->areas, e->base);

	if (!row)
		return 0;
	areas_drop(l, row);
	return 1;
}

/* Pages of a vmalloc that failed are freed by then. */
int area_alloc(struct ledger *l, const struct event *e)
{
	uint32_t task = e->flags & EVENT_IRQ ? 0 : lifecycle_task(l, e);
	struct task *k = &l->tasks.row[task];
	uint32_t pages = k->bulk_pages;

	if (!task)
		return -1;
	k->bulk_pages = 0;
	area_free(l, e);	/* its end may be lost */
	if (!e->base || !pages)
		return 0;
	if (!areas_add(l, e->base, pages,
		       modules_on(&l->modules, e->chain, e->chain_len),
		       k->loading))
		return -1;
	l->areas.other_bulk_pages -= pages;
	/* At the peak since its last bulk allocation, and somebody's from now
	 * on: this is the instant to keep. */
	if (ledger_used(l) == l->used_peak_pages) {
		l->used_peak_ns = l->last_ns;
		l->epoch++;
	}
	return 1;
}

/* "symbol+0x1a/0x30 [module]" without its module, which is returned. */
static uint32_t split_module(const struct ledger *l, char *name)
{
	char *open = memchr(name, ' ', strlen(name));
	size_t len = open ? strlen(open) : 0;

	if (len < 4)
		return 0;
	*open = '\0';
	open[len - 1] = '\0';
	return modules_find(&l->modules, open + 2);
}

int area_seen(struct ledger *l, const struct event *e)
{
	struct area *row = areas_find(&l->areas, e->base);
	char name[sizeof(e->name)];
	uint32_t module;

	memcpy(name, e->name, sizeof(name));
	module = split_module(l, name);
	/* Another one at the same place, since the last sample. */
	if (row && e->flags & EVENT_SAMPLED && row->seen_pages != e->pages) {
		areas_drop(l, row);
		row = NULL;
	}
	/* Not there before the first sample is not new. A module's text lies in
	 * its image. */
	if (!row && e->flags & EVENT_SAMPLED)
		row = areas_add(l, e->base,
				l->areas.samples ? (uint32_t)e->pages : 0,
				module, modules_at(&l->modules, e->base));
	if (!row)
		return 0;
	row->seen_pages = (uint32_t)e->pages;
	areas_name(l, row, name, module);
	return 1;
}

int areas_seen(struct ledger *l, const struct event *e)
{
	l->areas.samples++;
	if (e->flags & EVENT_SAMPLED)
		areas_sweep(l);
	return 1;
}
