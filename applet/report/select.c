/* See select.h. */
#include "rank.h"
#include "select.h"

#define ROWS_SHOWN 10u
#define STACKS_SHOWN 3u

struct walk {
	const struct report *r;
	struct visitor *v;
	uint32_t rows_max, stacks_max, throttle;
};

/* Returns the pages of all leaves. */
static uint32_t offer_leaves(struct ranking *k, uint32_t module)
{
	const struct stacks *s = &k->order.ledger->stacks;
	uint32_t now = 0;

	for (uint32_t i = s->roots; i < s->used; i++) {
		const struct stack_node *n = &s->node[i];

		/* A leaf never peaks above its root: most need no walk. */
		if (!n->peak || n->peak > s->node[module].peak ||
		    !stack_is_leaf(n) || stacks_root(s, i) != module)
			continue;
		now += n->now;
		ranking_offer(k, i);
	}
	return now;
}

static void offer_owners(struct ranking *k, uint32_t task)
{
	const struct ledger *l = k->order.ledger;

	if (l->owners.row[task].peak)
		ranking_offer(k, task);
	for (uint32_t i = l->tasks.row[task].owners; i;
	     i = l->owners.row[i].task_next)
		if (l->owners.row[i].peak)
			ranking_offer(k, i);
}

static uint32_t item_leaf(const struct order *o, uint32_t item)
{
	if (o->table == TABLE_MODULES)
		return item;
	return item < o->ledger->tasks.capacity ? NO_LEAF :
	       o->ledger->owners.row[item].leaf;
}

/* Returns the pages of the stacks shown. */
static uint32_t show_ranked(const struct walk *w, const struct ranking *k,
			    const struct shown_row *row, uint32_t count)
{
	const uint32_t *items = k->heap.items;
	uint32_t pages = 0;

	for (uint32_t i = 0; i < k->heap.count; i++) {
		struct shown_stack s = {
			.leaf = item_leaf(&k->order, items[i]),
			.peak_known = 1, .index = i + 1, .count = count,
		};

		stack_pages(&k->order, items[i], &s.now, &s.peak);
		pages += s.now;
		w->v->stack(w->v, row, &s);
	}
	return pages;
}

static void walk_stacks(const struct walk *w, const struct shown_row *row,
			uint32_t *items, uint32_t room)
{
	struct order order = { w->r->ledger, row->table, 1 };
	struct shown_rest rest = { .now = row->now };
	struct shown_stack stackless = { .leaf = NO_LEAF };
	struct ranking k;

	ranking_start(&k, &order, items, room, w->stacks_max);
	if (row->table == TABLE_MODULES)
		stackless.now = row->now - offer_leaves(&k, row->row);
	else
		offer_owners(&k, row->row);
	heap_sort(&k.heap);
	stackless.count = k.offered + (stackless.now != 0);
	stackless.index = stackless.count;
	rest.now -= show_ranked(w, &k, row, stackless.count) + stackless.now;
	if (stackless.now)
		w->v->stack(w->v, row, &stackless);
	rest.count = k.offered - k.heap.count;
	if (rest.count && w->v->rest)
		w->v->rest(w->v, row->table, row, &rest);
}

static void offer_rows(struct ranking *k, struct shown_rest *all)
{
	const struct ledger *l = k->order.ledger;
	enum table t = k->order.table;
	uint32_t used = t == TABLE_MODULES ? l->modules.used : l->tasks.used;

	for (uint32_t i = 0; i < used; i++) {
		const struct count *c = row_count(l, t, i);

		if (!c->peak)
			continue;
		ranking_offer(k, i);
		all->now += c->now;
		all->at_peak += count_at_peak(c, l->epoch);
	}
}

static void show_row(const struct walk *w, enum table t, uint32_t ranked,
		     uint32_t all, struct shown_rest *rest)
{
	const struct ledger *l = w->r->ledger;
	struct shown_row row = { .table = t, .row = l->scratch[ranked] };
	const struct count *c = row_count(l, t, row.row);

	row.now = c->now;
	row.peak = c->peak;
	row.at_peak = count_at_peak(c, l->epoch);
	rest->now -= row.now;
	rest->at_peak -= row.at_peak;
	if (w->v->row)
		w->v->row(w->v, &row);
	if (w->v->stack && w->stacks_max)
		walk_stacks(w, &row, l->scratch + all,
			    l->scratch_capacity - all);
}

/* The rows shown so far hold the share of the peak that was asked for. */
static int is_enough(const struct walk *w, const struct shown_rest *all,
		     const struct shown_rest *rest)
{
	return w->throttle < 100 && (all->at_peak - rest->at_peak) * 100 >=
				    all->at_peak * w->throttle;
}

static void walk_table(const struct walk *w, enum table t)
{
	const struct ledger *l = w->r->ledger;
	struct order order = { l, t, 0 };
	struct shown_rest all = { 0 }, rest;
	struct ranking k;
	uint32_t shown = 0;

	ranking_start(&k, &order, l->scratch, l->scratch_capacity,
		      w->rows_max);
	offer_rows(&k, &all);
	heap_sort(&k.heap);
	rest = all;
	if (w->v->table)
		w->v->table(w->v, t);
	while (shown < k.heap.count && !is_enough(w, &all, &rest))
		show_row(w, t, shown++, k.heap.count, &rest);
	rest.count = k.offered - shown;
	if (rest.count && w->v->rest)
		w->v->rest(w->v, t, NULL, &rest);
}

static uint32_t stacks_shown(uint32_t level, uint32_t top)
{
	if (level < 2)
		return 0;
	return level == 2 && top > STACKS_SHOWN ? STACKS_SHOWN : top;
}

void select_walk(const struct report *r, struct visitor *v)
{
	struct walk w = { .r = r, .v = v, .throttle = r->throttle_percent };
	uint32_t top = r->top ? r->top : UINT32_MAX;

	if (w.throttle < 1 || w.throttle > 100)
		w.throttle = 100;
	w.rows_max = !r->top && r->level < 3 && w.throttle == 100 ?
		     ROWS_SHOWN : top;
	w.stacks_max = stacks_shown(r->level, top);
	walk_table(&w, TABLE_MODULES);
	walk_table(&w, TABLE_TASKS);
}
