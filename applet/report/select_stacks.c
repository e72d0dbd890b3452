/* SPDX-License-Identifier: MIT */
/* The stacks of a row that a report shows: see parts.h, select. */
#include "report/report.h"
#include "report/parts.h"

/* Returns the pages of all leaves. */
static uint32_t offer_leaves(struct ranking *k, uint32_t module)
{
	const struct stacks *s = &k->ledger->stacks;
	uint32_t now = 0;

	for (uint32_t i = s->roots; i < s->used; i++) {
		const struct stack_node *n = &s->node[i];

		if (!stack_is_leaf(n) || !n->pages.peak ||
		    stacks_root(s, i) != module)
			continue;
		now += n->pages.now;
		ranking_offer(k, i);
	}
	return now;
}

static void offer_owners(struct ranking *k, uint32_t task)
{
	const struct owner *row = k->ledger->owners.row;
	uint32_t next = k->ledger->tasks.row[task].owners, i = task;

	do {
		if (row[i].peak)
			ranking_offer(k, i);
		i = next;
		next = row[i].task_next;
	} while (i);
}

static uint32_t item_leaf(const struct ranking *k, uint32_t item)
{
	if (k->table == TABLE_MODULES)
		return item;
	return item < k->ledger->tasks.capacity ? NO_LEAF :
	       k->ledger->owners.row[item].leaf;
}

/* `stackless`: pages of a module that no leaf counts. */
static void show_stacks(const struct stack_walk *w, struct ranking *k,
			const struct shown *row, uint64_t stackless)
{
	struct shown s = *row;
	uint64_t others = s.value[PAGES_NOW] - stackless;

	ranking_sort(k);
	s.kind = SHOWN_STACK;
	for (unsigned int i = PAGES_AT_PEAK; i < PAGE_COUNTS; i++)
		s.value[i] = UNKNOWN;
	s.count = k->offered + (stackless != 0);
	while (s.index < k->kept) {
		uint32_t item = k->item[s.index++];

		s.leaf = item_leaf(k, item);
		stack_pages(k, item, s.value);
		others -= s.value[PAGES_NOW];
		w->show(w->context, &s);
	}
	s.value[PAGES_PEAK] = UNKNOWN;
	if (stackless) {
		s.index = s.count;
		s.leaf = NO_LEAF;
		s.value[PAGES_NOW] = stackless;
		w->show(w->context, &s);
	}
	s.kind = SHOWN_OTHER_STACKS;
	s.count = k->offered - k->kept;
	s.value[PAGES_NOW] = others;
	if (s.count)
		w->show(w->context, &s);
}

void walk_stacks(const struct stack_walk *w, const struct shown *row,
		 uint32_t *items, uint32_t room)
{
	struct ranking k = {
		.ledger = w->r->ledger, .table = row->table, .stacks = 1,
		.order = w->r->order, .item = items,
		.capacity = (uint32_t)smaller(room, w->stacks_max),
	};
	uint64_t stackless = 0;

	if (row->table == TABLE_MODULES)
		stackless = row->value[PAGES_NOW] - offer_leaves(&k, row->row);
	else
		offer_owners(&k, row->row);
	show_stacks(w, &k, row, stackless);
}
