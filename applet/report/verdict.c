/* SPDX-License-Identifier: MIT */
/* See parts.h, verdict. */
#include <string.h>
#include "report/parts.h"
#include "report/report.h"

#define CULPRIT_SHARE 4		/* a quarter of what was held */
#define ALL_SHARE 2		/* all modules: half */
#define MEMORY_SHARE 50

static int stands_out(const struct verdict *v, const struct largest *k)
{
	return !v->little &&
	       (uint64_t)k->pages * CULPRIT_SHARE >= v->held_pages;
}

/* Leaves out who holds pages for others. */
static void drop_servants(const struct ledger *l, enum table t,
			  struct largest k[LARGEST])
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < LARGEST; i++)
		if (!k[i].pages || !row_serves(l, t, k[i].row))
			k[kept++] = k[i];
	memset(k + kept, 0, (LARGEST - kept) * sizeof(*k));
}

/* A quarter of all, and twice as much as the one that stands out. */
static int is_enough(const struct verdict *v, const struct group *g,
		     uint64_t most)
{
	return g->pages * CULPRIT_SHARE >= v->held_pages &&
	       g->pages >= 2 * most;
}

static void find_group(const struct report *r, struct verdict *v, enum table t,
		       const struct largest *k)
{
	const uint64_t most = stands_out(v, k) ? k->pages : 0;
	struct group *g = &v->group[t], all;

	group_get(r, t, !is_oom(r), g, &all);
	if (t == TABLE_MODULES) {
		v->wants_dirs = !v->little && all.rows > 1 &&
				is_enough(v, &all, most);
		if (!is_enough(v, g, most))
			group_of_dir(r, !is_oom(r), g);
		if (!most && all.rows > 1 && !is_enough(v, g, most) &&
		    all.pages * ALL_SHARE >= v->held_pages)
			*g = all;
	}
	if (v->little || !is_enough(v, g, most) ||
	    (t == TABLE_TASKS && is_sampled(r->ledger)))
		g->rows = 0;
	else if (t == TABLE_MODULES && g->rows)
		group_find_from(r->ledger, g, !is_oom(r));
}

static uint32_t pages_of(const struct report *r, const struct count *c)
{
	return count_when(c, r->ledger->epoch, !is_oom(r));
}

int is_at_least(const struct report *r, const uint64_t value[FIGURES])
{
	return is_oom(r) || r->ledger->ran_out || unpack_failed(r->ledger) ||
	       (r->ledger->full.mounts && advice_for(value) >= FOR_ROOTFS);
}

int is_taken_back(const struct report *r)
{
	return r->ledger->low_ns && !r->ledger->kills && !is_oom(r);
}

/* The machine may have had more or less memory at the peak than now. */
static uint64_t total_kib(const struct report *r)
{
	const struct growth *g = &r->ledger->growth;

	return mem_total_kib(r->ledger, r->session, is_oom(r) ? g->pages :
			     g->peak_pages);
}

/* Samples are of all memory, so the shares are of all that was in use. */
static uint64_t pages_in_use(const struct report *r, const struct moment *at)
{
	const uint64_t pages = total_kib(r) * 1024 /
			       (r->session->page_size ? r->session->page_size :
							1);

	return pages > at->free_pages ? pages - at->free_pages : 0;
}

/* Is this module, or its group, the one that stands out? If no module does, the
 * answer is yes for each. */
static int verdict_has(const struct ledger *l, const struct verdict *v,
		       uint32_t row)
{
	const struct group *g = &v->group[TABLE_MODULES];

	return g->rows ? group_has(l, g, row) :
	       !v->module_stands_out || row == v->at.module[0].row;
}

/* If modules stand out, theirs. */
static void take_kinds(const struct report *r, struct verdict *v)
{
	const struct ledger *l = r->ledger;
	uint64_t of_row[KINDS];

	if (!v->module_stands_out && !v->group[TABLE_MODULES].rows)
		return;
	memset(v->kind, 0, sizeof(v->kind));
	for (uint32_t i = 0; i < l->modules.used; i++) {
		if (!verdict_has(l, v, i))
			continue;
		kinds_of_row(l, TABLE_MODULES, i, !is_oom(r), of_row);
		for (uint32_t k = 0; k < KINDS; k++)
			v->kind[k] += of_row[k];
	}
}

void verdict_get(const struct report *r, struct verdict *v)
{
	const struct ledger *l = r->ledger;

	v->at = (struct moment){ 0 };
	if (is_oom(r))
		snapshot_now(l, &v->at);
	else
		snapshot_peak(l, &v->at);
	drop_servants(l, TABLE_MODULES, v->at.module);
	drop_servants(l, TABLE_TASKS, v->at.task);
	v->held_pages = is_sampled(l) ? pages_in_use(r, &v->at) :
			(uint64_t)v->at.traced_pages + v->at.areas_pages;
	v->little = v->held_pages * (r->session->page_size >> 10) *
		    MEMORY_SHARE < total_kib(r) ||
		    !v->held_pages;
	v->module_stands_out = stands_out(v, &v->at.module[0]);
	v->task_stands_out = stands_out(v, &v->at.task[0]);
	find_group(r, v, TABLE_MODULES, &v->at.module[0]);
	find_group(r, v, TABLE_TASKS, &v->at.task[0]);
	v->complete = !is_sampled(l) && !l->total.lost && !r->session->cut &&
		      !l->total.untracked_pages && !l->total.bad_records &&
		      !l->total.missed_frees && !l->total.outside_ram &&
		      !l->areas.full;
	for (uint32_t i = 0; i < KINDS; i++)
		v->kind[i] = pages_of(r, kind_count(l, i));
	if (!is_sampled(l))
		take_kinds(r, v);
	kinds_sort(v->kind, v->order);
}

void verdict_largest(const struct report *r, const struct verdict *v,
		     struct largest leaf[VERDICT_STACKS],
		     struct largest caller[VERDICT_STACKS])
{
	const struct stacks *s = &r->ledger->stacks;
	const struct areas *a = &r->ledger->areas;

	memset(leaf, 0, VERDICT_STACKS * sizeof(*leaf));
	memset(caller, 0, VERDICT_STACKS * sizeof(*caller));
	for (uint32_t i = s->roots; i < s->used; i++)
		if (stack_is_leaf(&s->node[i]) &&
		    verdict_has(r->ledger, v, stacks_root(s, i)))
			snapshot_offer(leaf, VERDICT_STACKS, i,
				       pages_of(r, &s->node[i].pages));
	for (uint32_t i = CALLER_OTHER + 1; i < a->callers; i++)
		if (verdict_has(r->ledger, v, a->caller[i].module))
			snapshot_offer(caller, VERDICT_STACKS, i,
				       pages_of(r, &a->caller[i].pages));
}

struct most verdict_most(const struct report *r, const struct verdict *v)
{
	const struct stack_node *node = r->ledger->stacks.node;
	const struct caller *caller = r->ledger->areas.caller;
	struct largest leaves[VERDICT_STACKS], callers[VERDICT_STACKS];
	struct largest leaf = { 0, 0 }, area = { 0, 0 };

	verdict_largest(r, v, leaves, callers);
	for (uint32_t i = VERDICT_STACKS; i--;) {
		const uint32_t row = callers[i].row;

		if (leaves[i].row &&
		    stack_kind(&node[leaves[i].row]) == v->order[0])
			leaf = leaves[i];
		if (row && kind_of_areas(&caller[row]) == v->order[0])
			area = callers[i];
	}
	if (area.row && (!leaf.row || leaf.pages < area.pages))
		return (struct most){ 0, area.row };
	return (struct most){ leaf.row, 0 };
}

int report_wants_dirs(const struct report *r)
{
	struct verdict v;

	verdict_get(r, &v);
	return v.wants_dirs;
}
