/* See select.h. */
#include "rank.h"
#include "select.h"

#define ROWS_SHOWN 10u
#define STACKS_SHOWN 3u

struct walk {
	const struct report *r;
	void (*show)(void *context, const struct shown *shown);
	void *context;
	uint32_t rows_max, stacks_max, throttle;
};

/* Returns the pages of all leaves. */
static uint32_t offer_leaves(struct ranking *k, uint32_t module)
{
	const struct stacks *s = &k->ledger->stacks;
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
	const struct ledger *l = k->ledger;

	if (l->owners.row[task].peak)
		ranking_offer(k, task);
	for (uint32_t i = l->tasks.row[task].owners; i;
	     i = l->owners.row[i].task_next)
		if (l->owners.row[i].peak)
			ranking_offer(k, i);
}

static uint32_t item_leaf(const struct ranking *k, uint32_t item)
{
	if (k->table == TABLE_MODULES)
		return item;
	return item < k->ledger->tasks.capacity ? NO_LEAF :
	       k->ledger->owners.row[item].leaf;
}

/* `stackless`: pages of a module that no leaf holds. */
static void show_stacks(const struct walk *w, struct ranking *k,
			const struct shown *row, uint64_t stackless)
{
	struct shown other = *row, s = *row;

	ranking_sort(k);
	s.kind = SHOWN_STACK;
	s.pages[PAGES_AT_PEAK] = PAGES_UNKNOWN;
	s.count = k->offered + (stackless != 0);
	while (s.index < k->kept) {
		uint32_t item = k->item[s.index++];

		s.leaf = item_leaf(k, item);
		stack_pages(k, item, s.pages);
		other.pages[PAGES_NOW] -= s.pages[PAGES_NOW];
		w->show(w->context, &s);
	}
	if (stackless) {
		s.index = s.count;
		s.leaf = NO_LEAF;
		s.pages[PAGES_NOW] = stackless;
		s.pages[PAGES_PEAK] = PAGES_UNKNOWN;
		w->show(w->context, &s);
	}
	other.kind = SHOWN_OTHER_STACKS;
	other.count = k->offered - k->kept;
	other.pages[PAGES_NOW] -= stackless;
	other.pages[PAGES_PEAK] = other.pages[PAGES_AT_PEAK] = PAGES_UNKNOWN;
	if (other.count)
		w->show(w->context, &other);
}

static void walk_stacks(const struct walk *w, const struct shown *row,
			uint32_t *items, uint32_t room)
{
	struct ranking k = {
		w->r->ledger, row->table, 1, items,
		room < w->stacks_max ? room : w->stacks_max, 0, 0,
	};
	uint64_t stackless = 0;

	if (row->table == TABLE_MODULES)
		stackless = row->pages[PAGES_NOW] - offer_leaves(&k, row->row);
	else
		offer_owners(&k, row->row);
	show_stacks(w, &k, row, stackless);
}

static void offer_rows(struct ranking *k)
{
	const struct ledger *l = k->ledger;
	uint32_t used = k->table == TABLE_MODULES ? l->modules.used :
						    l->tasks.used;

	for (uint32_t i = 0; i < used; i++)
		if (row_count(l, k->table, i)->peak)
			ranking_offer(k, i);
}

static void show_row(const struct walk *w, const struct ranking *k,
		     uint32_t row, struct shown *other)
{
	const struct ledger *l = k->ledger;
	const struct count *c = row_count(l, k->table, row);
	const struct shown shown = {
		.kind = SHOWN_ROW, .table = k->table, .row = row,
		.pages = { c->now, c->peak, count_at_peak(c, l->epoch) },
	};

	other->pages[PAGES_NOW] -= shown.pages[PAGES_NOW];
	other->pages[PAGES_AT_PEAK] -= shown.pages[PAGES_AT_PEAK];
	w->show(w->context, &shown);
	if (w->stacks_max)
		walk_stacks(w, &shown, k->item + k->kept,
			    l->scratch_capacity - k->kept);
}

/* The rows of a table add up to what is traced (ledger_check() sees to it);
 * with the share asked for, no more are shown. */
static void walk_table(const struct walk *w, enum table t)
{
	const struct ledger *l = w->r->ledger;
	const uint64_t peak = l->traced.peak;
	struct shown other = {
		.kind = SHOWN_TABLE, .table = t,
		.pages = { l->traced.now, PAGES_UNKNOWN, peak },
	};
	struct ranking k = {
		l, t, 0, l->scratch, l->scratch_capacity < w->rows_max ?
		l->scratch_capacity : w->rows_max, 0, 0,
	};
	uint32_t shown = 0;

	offer_rows(&k);
	ranking_sort(&k);
	w->show(w->context, &other);
	while (shown < k.kept &&
	       (w->throttle == 100 || (peak - other.pages[PAGES_AT_PEAK]) *
				      100 < peak * w->throttle))
		show_row(w, &k, k.item[shown++], &other);
	other.kind = SHOWN_OTHER_ROWS;
	other.count = k.offered - shown;
	if (other.count)
		w->show(w->context, &other);
}

static uint32_t stacks_shown(uint32_t level, uint32_t top)
{
	if (level < 2)
		return 0;
	return level == 2 && top > STACKS_SHOWN ? STACKS_SHOWN : top;
}

void select_walk(const struct report *r,
		 void (*show)(void *context, const struct shown *shown),
		 void *context)
{
	uint32_t top = r->top ? r->top : UINT32_MAX;
	const struct walk w = {
		r, show, context,
		!r->top && r->level < 3 && r->throttle_percent == 100 ?
		ROWS_SHOWN : top,
		stacks_shown(r->level, top), r->throttle_percent,
	};

	walk_table(&w, TABLE_MODULES);
	walk_table(&w, TABLE_TASKS);
}
