/* SPDX-License-Identifier: MIT */
/* The rows that held most at one instant: see ledger.h, snapshot. */
#include "ledger/events.h"
#include "ledger/ledger.h"

void snapshot_offer(struct largest *best, uint32_t most, uint32_t row,
		    uint32_t pages)
{
	struct largest moved = { row, pages };

	for (uint32_t i = 0; i < most; i++) {
		struct largest kept = best[i];

		if (moved.pages <= kept.pages)
			continue;
		best[i] = moved;
		moved = kept;
	}
}

static void take(const struct ledger *l, struct moment *p, int at_peak)
{
	const struct object_sums *objects = &l->slab.sites.total;
	const struct count *kind = is_sampled(l) ? l->samples.kind :
						   l->kinds.row;

	p->traced_pages = count_when(&l->traced, l->epoch, at_peak);
	p->areas_pages = count_when(&l->areas.held, l->epoch, at_peak);
	p->slab_bytes = at_peak ? sums_at_peak(objects, l->epoch) :
				  objects->now_bytes;
	for (uint32_t i = 0; i < KINDS; i++)
		p->kind[i] = count_when(&kind[i], l->epoch, at_peak);
	for (uint32_t i = MODULES_FIXED; i < l->modules.used; i++) {
		const struct module *m = &l->modules.row[i];

		snapshot_offer(p->module, LARGEST, i, at_peak ?
			       module_at_peak(m, l->epoch) : module_holds(m));
	}
	for (uint32_t i = TASKS_FIXED; i < l->tasks.used; i++) {
		const struct task *k = &l->tasks.row[i];

		snapshot_offer(p->task, LARGEST, i, at_peak ?
			       task_at_peak(k, l->epoch) : task_holds(k));
	}
}

void snapshot_now(const struct ledger *l, struct moment *p)
{
	p->free_pages = (uint32_t)l->free_now_pages;
	need_point(l, p);
	take(l, p, 0);
}

void snapshot_peak(const struct ledger *l, struct moment *p)
{
	const uint64_t free = l->free_start_pages +
			      (uint64_t)l->growth.peak_pages;

	*p = (struct moment){
		.time_ns = l->used_peak_ns,
	};
	if (l->used_peak_pages < free)
		p->free_pages = (uint32_t)(free - l->used_peak_pages);
	take(l, p, 1);
}

static int is_movable(uint32_t kind)
{
	return kind >= KIND_ANON && kind <= KIND_IMAGE;
}

void snapshot_unmovable(const struct ledger *l, struct moment *p)
{
	const struct module *m = l->modules.row;
	const struct stacks *s = &l->stacks;
	uint32_t *pages = l->scratch;

	for (uint32_t i = 0; i < l->modules.used; i++)
		pages[i] = m[i].image.now + m[i].vmalloc.now;
	for (uint32_t i = s->roots; i < s->used; i++)
		if (stack_is_leaf(&s->node[i]) &&
		    !is_movable(stack_kind(&s->node[i])))
			pages[stacks_root(s, i)] += s->node[i].pages.now;
	for (uint32_t i = 0; i < l->modules.used; i++)
		snapshot_offer(p->module, LARGEST, i, pages[i]);
}
