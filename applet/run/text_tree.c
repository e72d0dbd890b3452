/* SPDX-License-Identifier: MIT */
/* The tree as a whole, and its cgroup: the lines above the table of a run. */
#include "run/run.h"

/* Processes that are named as those who held most. */
#define HOLDERS 5u

/* Who held most at the tree's peak: the largest of those not yet named. */
static void holders(struct page *g, const struct outline *o, uint64_t peak)
{
	const struct processes *p = &g->run->processes;
	uint64_t below = UINT64_MAX, named = 0;
	uint32_t last = 0;

	line_str(&g->line, "then    ");
	for (unsigned int n = 0; n < HOLDERS && named < peak; n++) {
		const struct process *best = NULL;
		uint32_t place = 0;

		for (uint32_t i = 0; i < o->count; i++) {
			const struct process *k = &p->row[p->order[i]];
			const int is_next = k->at_peak_pages < below ||
				(k->at_peak_pages == below && i > last);

			if (k->at_peak_pages && is_next &&
			    (!best || k->at_peak_pages > best->at_peak_pages)) {
				best = k;
				place = i;
			}
		}
		if (!best)
			break;
		below = best->at_peak_pages;
		last = place;
		named += below;
		line_str(&g->line, n ? ", " : "");
		line_name_within(&g->line, best->comm, COMM_BYTES, 96);
		line_fill(&g->line, "[%u] %p",
			  (const uint64_t[]){ best->pid, below });
	}
	if (named < peak)
		line_value(&g->line, ", others %p", peak - named);
	page_line(g, "", NULL);
}

static void put_tree(struct page *g, const struct outline *o)
{
	const struct ledger *l = &g->run->tracer.engine.ledger;
	const uint64_t ns = l->used_peak_ns > g->run->start_ns ?
			    l->used_peak_ns - g->run->start_ns : 0;

	if (!g->run->traces)
		return;
	page_line(g, "tree    %p at most, at %t; %p stay at the end",
		  (const uint64_t[]){ l->used_peak_pages, ns, o->left_pages });
	if (l->used_peak_pages)
		holders(g, o, l->used_peak_pages);
}

static void put_cgroup(struct page *g)
{
	const struct cgroup *c = &g->run->cgroup;

	if (!c->made)
		return;
	if (c->peak_kib == UNKNOWN)
		line_str(&g->line, "cgroup  ");
	else
		line_fill(&g->line, "cgroup  %k at most (memory.peak); ",
			  &c->peak_kib);
	page_line(g, "memory.events: max %u, oom_kill %u",
		  (const uint64_t[]){ c->max_events, c->oom_kills });
	if (g->run->more[0]) {
		line_str(&g->line, "        ");
		line_str(&g->line, g->run->more);
		page_line(g, "", NULL);
	}
	if (!c->limit_path[0] && !c->oom_kills)
		return;
	line_str(&g->line, "limit   ");
	if (c->limit_path[0]) {
		line_str(&g->line, "memory.max ");
		if (c->limit_kib != UNKNOWN)
			line_fill(&g->line, "%k ", &c->limit_kib);
		line_str(&g->line, "of ");
		line_name_within(&g->line, c->limit_path,
				 sizeof(c->limit_path), LINE_BYTES / 2);
		page_line(g, " was reached, and memory ran out", NULL);
	} else {
		page_line(g, "none of a cgroup: the machine ran out of memory",
			  NULL);
	}
}

void text_tree(struct page *g, const struct outline *o)
{
	put_tree(g, o);
	put_cgroup(g);
}
