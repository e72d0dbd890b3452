/* SPDX-License-Identifier: MIT */
/* Who holds pages: see events.h, charge. */
#include "ledger/events.h"

void charge(struct ledger *l, const struct event *e, uint32_t owner,
	    uint32_t pages)
{
	const struct owner *o = &l->owners.row[owner];
	struct task *k = &l->tasks.row[o->task];
	uint32_t module, peak = l->traced.peak;

	owners_add(&l->owners, owner, pages);
	count_add(&k->pages, l->epoch, pages);
	if (k->in_tree)
		l->tree_pages += (uint64_t)(int32_t)pages;
	module = stacks_add(&l->stacks, o->leaf, l->epoch, pages);
	count_add(&l->modules.row[module].pages, l->epoch, pages);
	count_add(&l->kinds.row[kind_of_leaf(l, o->leaf)], l->epoch, pages);
	initcall_charge(l, owner, pages);
	count_add(&l->traced, l->epoch, pages);
	if (l->traced.peak > peak)
		l->peak_ns = e->time_ns;
}
