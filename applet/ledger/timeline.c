/* How memory went: see timeline.h. */
#include <errno.h>
#include "ledger.h"

uint64_t timeline_bytes(void)
{
	return TIMELINE_POINTS * sizeof(struct moment);
}

int timeline_init(struct timeline *t, struct arena *a)
{
	*t = (struct timeline){ .step_ns = TIMELINE_STEP_NS };
	t->point = arena_take(a, TIMELINE_POINTS, sizeof(*t->point));
	return t->point ? 0 : -ENOMEM;
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

static void take(const struct ledger *l, struct moment *p, uint64_t time_ns)
{
	*p = (struct moment){
		.time_ns = time_ns, .free_pages = (uint32_t)l->free_now_pages,
		.traced_pages = l->traced.now,
		.vmalloc_pages = l->areas.held.now,
	};
	for (uint32_t i = MODULES_FIXED; i < l->modules.used; i++)
		offer(p->module, i, module_holds(&l->modules.row[i]));
	for (uint32_t i = TASKS_FIXED; i < l->tasks.used; i++)
		offer(p->task, i, l->tasks.row[i].pages.now);
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

	if (l->free_now_pages < l->free_lowest_pages) {
		l->free_lowest_pages = l->free_now_pages;
		l->free_lowest_ns = time_ns;
		take(l, &t->lowest, time_ns);
	}
	if (t->points == TIMELINE_POINTS)
		thin_out(t);
	if (!t->points ||
	    time_ns - t->point[t->points - 1].time_ns >= t->step_ns)
		take(l, &t->point[t->points++], time_ns);
}
