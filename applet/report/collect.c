/* SPDX-License-Identifier: MIT */
/*
 * Collects the addresses that a report will print, so that only their names are
 * kept.
 */
#include "report/parts.h"
#include "report/report.h"

/* The leaf of the shown stack, or a root, which has no frames. */
static uint32_t leaf_of(const struct ledger *l, const struct shown *shown)
{
	if (shown->kind == SHOWN_STACK && shown->leaf != NO_LEAF)
		return shown->leaf;
	if (shown->kind == SHOWN_ROW && shown->table == TABLE_CALLERS)
		return l->areas.caller[shown->row].node;
	return 0;
}

static void add(const struct report *r, uint64_t addr)
{
	if (!stack_addr_retired(addr))
		symbols_add(r->symbols, addr);
}

static void collect_stack(const struct report *r, uint32_t leaf)
{
	const struct stacks *s = &r->ledger->stacks;

	for (uint32_t i = leaf; i >= s->roots; i = stack_parent(&s->node[i]))
		add(r, s->node[i].addr);
}

static void collect(void *context, const struct shown *shown)
{
	const struct report *r = context;

	if (shown->kind == SHOWN_ROW && shown->table == TABLE_INITCALLS)
		symbols_add(r->symbols,
			    r->ledger->initcalls.row[shown->row].addr);
	collect_stack(r, leaf_of(r->ledger, shown));
}

static void collect_verdict(const struct report *r)
{
	struct largest leaf[VERDICT_STACKS], caller[VERDICT_STACKS];
	struct verdict v;

	verdict_get(r, &v);
	verdict_largest(r, &v, leaf, caller);
	for (uint32_t i = 0; i < VERDICT_STACKS; i++)
		collect_stack(r, leaf[i].row);
	for (uint32_t i = 0; i < VERDICT_STACKS; i++)
		collect_stack(r, r->ledger->areas.caller[caller[i].row].node);
}

static void collect_site(void *context, const struct shown *shown)
{
	const struct report *r = context;
	const struct site *site = &r->ledger->slab.sites.row[shown->row];

	if (shown->kind != SHOWN_ROW || shown->row == SITE_OTHER)
		return;
	add(r, site->addr);
	collect_stack(r, site->leaf);
}

static void collect_slab(const struct report *r)
{
	const struct slab_ledger *k = &r->ledger->slab;

	if (!ledger_has_objects(r->ledger))
		return;
	select_table(r, TABLE_SITES, collect_site, (void *)r);
	for (uint32_t i = 0; i < k->faults; i++) {
		add(r, k->sites.row[k->fault[i].site].addr);
		if (k->fault[i].freed_by)
			add(r, k->fault[i].freed_by);
	}
}

/* Those that are held or were at the peak. The table may have too little room
 * for all: the addresses of large stacks come first. */
static void collect_all(const struct report *r)
{
	const struct ledger *l = r->ledger;
	const struct stacks *s = &l->stacks;
	const uint32_t large = l->traced.peak / 1000;

	for (int small = 0; small < 2; small++)
		for (uint32_t i = s->roots; i < s->used; i++) {
			const struct count *c = &s->node[i].pages;

			if (stack_is_leaf(&s->node[i]) &&
			    (c->now || count_at_peak(c, l->epoch)) &&
			    (c->peak < large) == small)
				collect_stack(r, i);
		}
	for (uint32_t i = 0; i < l->areas.callers; i++)
		collect_stack(r, l->areas.caller[i].node);
}

void report_collect(const struct report *r)
{
	const char *at = r->sections;
	struct section section;
	struct report part;

	if (!at || !*at) {
		collect_verdict(r);
		select_walk(r, collect, (void *)r);
		collect_slab(r);
	}
	while (has_feature(FEATURE_SECTIONS) &&
	       part_next(r, &at, &section, &part))
		select_walk(&part, collect, (void *)r);
	if (r->all_stacks)
		collect_all(r);
}
