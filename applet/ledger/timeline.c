/* How memory went: see timeline.h. */
#include "ledger/ledger.h"

uint64_t timeline_bytes(void)
{
	return TIMELINE_POINTS * sizeof(struct moment);
}

int timeline_init(struct timeline *t, struct arena *a)
{
	t->step_ns = TIMELINE_STEP_NS;
	t->point = arena_take(a, TIMELINE_POINTS, sizeof(*t->point));
	return a->failed;
}

/* Keep the larger ones, in order. */
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

/* Now, or at the peak. */
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

void timeline_peak(const struct ledger *l, struct moment *p)
{
	*p = (struct moment){
		.time_ns = l->used_peak_ns,
	};
	if (l->used_peak_pages < l->free_start_pages)
		p->free_pages = (uint32_t)(l->free_start_pages -
					   l->used_peak_pages);
	take(l, p, 1);
}

static void thin_out(struct timeline *t)
{
	t->points /= 2;
	t->step_ns *= 2;
	for (uint32_t i = 1; i < t->points; i++)
		t->point[i] = t->point[2 * i];
}

void timeline_sample(struct ledger *l, uint64_t time_ns)
{
	struct timeline *t = &l->timeline;
	struct moment *p;

	if (t->points == TIMELINE_POINTS)
		thin_out(t);
	p = &t->point[t->points];
	if (t->points && time_ns < p[-1].time_ns + t->step_ns)
		return;
	*p = (struct moment){
		.time_ns = time_ns, .free_pages = (uint32_t)l->free_now_pages,
	};
	t->points++;
	take(l, p, 0);
}
