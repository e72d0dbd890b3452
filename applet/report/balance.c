/* SPDX-License-Identifier: MIT */
/* See parts.h, balance. */
#include "report/parts.h"
#include "report/report.h"

/* What no kind explains, less what there was of it at the start. */
static uint64_t sampled_rest(const struct samples *s)
{
	return (uint64_t)s->kind[KIND_OTHER].now - s->kind_start[KIND_OTHER];
}

/* In parts of the most that was moved. Of the fall alone they would say nothing
 * once free memory is again what it was. */
static uint64_t explained(const uint64_t value[FIGURES])
{
	int64_t moved = 0;

	for (unsigned int i = FIGURE_FALL; i < FIGURE_REST; i++) {
		const int64_t term = (int64_t)value[i];

		if (value[i] != UNKNOWN && (term < 0 ? -term : term) > moved)
			moved = term < 0 ? -term : term;
	}
	return !moved ? UNKNOWN :
	       (uint64_t)share_of((int64_t)((uint64_t)moved -
					    value[FIGURE_REST]), moved, 1000);
}

static void balance_sampled(const struct ledger *l, uint64_t fall,
			    uint64_t value[FIGURES])
{
	for (unsigned int i = FIGURE_BALANCE; i < FIGURE_ADVICE; i++)
		value[i] = UNKNOWN;
	value[FIGURE_FALL] = fall;
	value[FIGURE_PCP] = l->pcp_now_pages - l->pcp_start_pages;
	value[FIGURE_REST] = sampled_rest(&l->samples);
	value[FIGURE_PERMILLE] = explained(value);
}

void balance_get(const struct ledger *l, uint64_t value[FIGURES])
{
	const uint64_t fall = ledger_fall(l);
	/* Pages of freed areas were freed unseen as well. */
	const uint64_t areas_freed = l->areas.bulk_pages ?
				     l->areas.bulk_pages - l->areas.held.now :
				     0;

	if (l->samples.on) {
		balance_sampled(l, fall, value);
		return;
	}
	value[FIGURE_FALL] = fall;
	value[FIGURE_TRACED] = l->traced.now - l->before_init.held_pages;
	value[FIGURE_AREAS] = l->areas.held.now;
	value[FIGURE_CMA] = l->areas.cma_pages;
	value[FIGURE_BEFORE] = areas_freed - l->total.before_frees +
			       l->before_init.freed_pages +
			       l->areas.other_freed_pages;
	/* All of them: their frees count as those of pages from before. */
	value[FIGURE_NO_ROOM] = l->total.untracked_pages;
	value[FIGURE_PCP] = l->pcp_now_pages - l->pcp_start_pages;
	value[FIGURE_REST] = fall - value[FIGURE_TRACED] -
			     value[FIGURE_AREAS] - value[FIGURE_CMA] -
			     value[FIGURE_BEFORE] - value[FIGURE_NO_ROOM] -
			     value[FIGURE_PCP];
	/* What is missing, as far as other bulk allocations may hold it. */
	value[FIGURE_BULK] = (int64_t)value[FIGURE_REST] <= 0 ? 0 :
			     smaller(value[FIGURE_REST],
				     areas_other_held(&l->areas));
	value[FIGURE_REST] -= value[FIGURE_BULK];
	value[FIGURE_PERMILLE] = explained(value);
}
