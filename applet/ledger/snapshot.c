/* Which rows held most at one instant: see snapshot.h. */
#include "ledger/snapshot.h"

/* Keeps the largest rows in order. */
static void offer(struct largest *best, uint32_t row, uint32_t pages)
{
	struct largest moved = { row, pages };

	for (uint32_t i = 0; i < LARGEST; i++) {
		struct largest kept = best[i];

		if (moved.pages <= kept.pages)
			continue;
		best[i] = moved;
		moved = kept;
	}
}

/* The pages held now, or at the peak. */
static uint32_t pages_of(const struct ledger *l, const struct count *c,
			 int at_peak)
{
	return at_peak ? count_at_peak(c, l->epoch) : c->now;
}

static void take(const struct ledger *l, struct moment *p, int at_peak)
{
	p->traced_pages = pages_of(l, &l->traced, at_peak);
	p->vmalloc_pages = pages_of(l, &l->areas.held, at_peak);
	for (uint32_t i = MODULES_FIXED; i < l->modules.used; i++) {
		const struct module *m = &l->modules.row[i];

		offer(p->module, i, pages_of(l, &m->pages, at_peak) +
				    pages_of(l, &m->image, at_peak) +
				    pages_of(l, &m->vmalloc, at_peak));
	}
	for (uint32_t i = TASKS_FIXED; i < l->tasks.used; i++)
		offer(p->task, i, pages_of(l, &l->tasks.row[i].pages,
					   at_peak));
}

void snapshot_now(const struct ledger *l, struct moment *p)
{
	p->free_pages = (uint32_t)l->free_now_pages;
	take(l, p, 0);
}

void snapshot_peak(const struct ledger *l, struct moment *p)
{
	*p = (struct moment){
		.time_ns = l->used_peak_ns,
	};
	if (l->used_peak_pages < l->free_start_pages)
		p->free_pages = (uint32_t)(l->free_start_pages -
					   l->used_peak_pages);
	take(l, p, 1);
}
