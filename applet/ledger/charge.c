/* SPDX-License-Identifier: MIT */
/* Charges pages to an owner: see events.h, charge. */
#include "ledger/events.h"

void charge(struct ledger *l, const struct event *e, uint32_t owner,
	    uint32_t pages)
{
	const struct owner *o = &l->owners.row[owner];
	struct task *k = &l->tasks.row[o->task];
	const uint32_t peak = l->traced.peak;
	struct module *m;

	owners_add(&l->owners, owner, pages);
	count_add(&k->pages, l->epoch, pages);
	held_most(&k->held_peak, task_holds(k));
	if (k->in_tree)
		l->tree_pages += (uint64_t)(int32_t)pages;
	if (k->state == TASK_EXITED)
		task_note_idle(l, o->task);
	m = &l->modules.row[stacks_add(&l->stacks, o->leaf, l->epoch, pages)];
	count_add(&m->pages, l->epoch, pages);
	held_most(&m->held_peak, module_holds(m));
	if (m->state >= MODULE_FAILED)
		modules_note_idle(&l->modules, (uint32_t)(m - l->modules.row));
	count_add(&l->kinds.row[kind_of_leaf(l, o->leaf)], l->epoch, pages);
	initcall_charge(l, owner, pages);
	count_add(&l->traced, l->epoch, pages);
	if (l->traced.peak > peak)
		l->peak_ns = e->time_ns;
}
