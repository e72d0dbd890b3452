/* SPDX-License-Identifier: MIT */
/* See parts.h, select. */
#include <string.h>
#include "report/parts.h"
#include "report/report.h"

#define ROWS_SHOWN 10u
#define ROWS_SHOWN_BRIEFLY 5u	/* so that level 1 has some 40 lines */
#define STACKS_SHOWN 3u
#define CALLERS_SHOWN 3u
#define LIVE_STACKS 64u		/* of the one row that has them */
#define FOLDED_BYTES (64u << 10)
#define INITCALLS_BYTES (64u << 10)

/* One of many failed loads: see parts.h, select. */
static int is_folded(const struct stack_walk *w, uint32_t row)
{
	const struct ledger *l = w->r->ledger;
	const struct module *m = &l->modules.row[row];
	const uint64_t most = smaller(FOLDED_BYTES / w->r->session->page_size,
				      l->traced.peak / 100);

	return w->folds && row >= MODULES_FIXED && !m->name[0] &&
	       m->state == MODULE_FAILED && module_holds(m) <= most &&
	       count_at_peak(&m->pages, l->epoch) <= most;
}

static int is_peak(unsigned int column)
{
	return column == PAGES_PEAK || column == PAGES_IMAGE_PEAK ||
	       column == PAGES_VMALLOC_PEAK || column == PAGES_HELD_PEAK;
}

/* Peaks of several rows stood at different times: the largest stays. */
static void fold(const struct ledger *l, uint32_t row, struct shown *folded)
{
	uint64_t pages[PAGE_COUNTS], *into = folded->value;

	row_pages(l, folded->table, row, pages);
	for (unsigned int i = 0; i < PAGE_COUNTS; i++)
		if (pages[i] == UNKNOWN)
			into[i] = UNKNOWN;
		else if (!is_peak(i))
			into[i] += pages[i];
		else if (into[i] < pages[i])
			into[i] = pages[i];
	folded->leak += folded->table == TABLE_MODULES ? row_leak(l, row) : 0;
	folded->count++;
}

static int is_shown(const struct stack_walk *w, const struct ranking *k,
		    uint32_t row)
{
	return row_is_used(k->ledger, k->table, row) &&
	       (k->table != TABLE_MODULES || !is_folded(w, row));
}

static void offer_rows(const struct stack_walk *w, struct ranking *k,
		       struct shown *loads)
{
	const struct ledger *l = k->ledger;
	const uint32_t used = table_rows(l, k->table), most = k->capacity;

	k->by_name = w->folds_names && k->table <= TABLE_TASKS;
	if (k->by_name)
		k->capacity = l->scratch_capacity;
	for (uint32_t i = w->r->first_row; i < used; i++)
		if (is_shown(w, k, i))
			ranking_offer(k, i);
		else if (row_is_used(l, k->table, i))
			fold(l, i, loads);
	if (k->by_name)
		group_by_name(k);
	k->by_name = 0;
	ranking_sort(k);
	k->kept = (uint32_t)smaller(k->kept, most);
}

static void take_from(struct shown *other, const uint64_t pages[PAGE_COUNTS])
{
	for (unsigned int i = 0; i < PAGE_COUNTS; i++)
		if (other->value[i] != UNKNOWN)
			other->value[i] -= pages[i];
}

static void fold_group(const struct stack_walk *w, const struct ranking *k,
		       struct shown *all)
{
	for (uint32_t i = w->r->first_row; i < table_rows(k->ledger, k->table);
	     i++)
		if (is_shown(w, k, i) &&
		    group_same_name(k->ledger, k->table, all->row, i))
			fold(k->ledger, i, all);
}

/* Of several loads of a module, the stacks are the largest one's. */
static void show_row(const struct stack_walk *w, const struct ranking *k,
		     uint32_t row, struct shown *other, int of_group)
{
	const struct ledger *l = k->ledger;
	struct shown shown = {
		.kind = SHOWN_ROW, .table = k->table, .row = row,
		.of_group = of_group && k->table == TABLE_TASKS,
	}, own = shown;

	if (!is_of_objects(k->table)) {
		fold(l, row, &own);
	} else {
		row_values(w->r, k->table, row, own.value);
		own.count = 1;
	}
	if (of_group && k->table == TABLE_MODULES)
		fold_group(w, k, &shown);
	else
		shown = own;
	take_from(other, shown.value);
	other->count -= shown.count;
	w->show(w->context, &shown);
	if (w->stacks_max && k->table < TABLE_KINDS &&
	    live_wishes(w->r, k->table, row))
		walk_stacks(w, &own, k->item + k->kept,
			    l->scratch_capacity - k->kept - 2 * k->groups);
}

/* Their peaks stood at different times, so all of them together have none. */
static void drop_peaks(uint64_t pages[PAGE_COUNTS])
{
	for (unsigned int i = 0; i < PAGE_COUNTS; i++)
		if (is_peak(i))
			pages[i] = UNKNOWN;
}

/* All tasks of a name, the largest of them, and the others. */
static void show_group(const struct stack_walk *w, const struct ranking *k,
		       uint32_t row, struct shown *other)
{
	struct shown all = {
		.kind = SHOWN_GROUP, .table = TABLE_TASKS, .row = row,
	};
	uint64_t pages[PAGE_COUNTS];

	fold_group(w, k, &all);
	drop_peaks(all.value);
	w->show(w->context, &all);
	show_row(w, k, row, other, 1);
	row_pages(k->ledger, TABLE_TASKS, row, pages);
	drop_peaks(pages);
	take_from(&all, pages);
	all.count--;
	take_from(other, all.value);
	other->count -= all.count;
	all.kind = SHOWN_SAME_NAME;
	w->show(w->context, &all);
}

/* The rows shown have the share that was asked for: no more are shown. */
static int is_enough(const struct stack_walk *w, enum table t, uint64_t all,
		     uint64_t left)
{
	const uint32_t percent = w->r->throttle_percent;

	return percent < 100 && t < TABLE_KINDS &&
	       (all - left) * 100 >= all * percent;
}

static int was_shown(const struct ranking *k, uint32_t shown, uint32_t row)
{
	while (shown--)
		if (k->item[shown] == row || (k->item[shown] & ITEM_GROUP &&
		    group_same_name(k->ledger, k->table,
			      item_row(k, k->item[shown]), row)))
			return 1;
	return 0;
}

/* Modules that are gone and still hold something, if they are not among the
 * rows shown. */
static uint32_t show_leaks(const struct stack_walk *w, struct ranking *k,
			   uint32_t shown, struct shown *other)
{
	const struct ledger *l = k->ledger;
	struct ranking leaks = *k;

	leaks.item += shown;
	leaks.capacity = l->scratch_capacity - shown - 2 * k->groups;
	leaks.kept = 0;
	for (uint32_t i = 0; i < l->modules.used; i++)
		if (is_shown(w, k, i) && !was_shown(k, shown, i) &&
		    (row_leak(l, i) || row_leak_objects(l, i)))
			ranking_offer(&leaks, i);
	ranking_sort(&leaks);
	k->kept = shown + leaks.kept;
	while (shown < k->kept)
		show_row(w, k, k->item[shown++], other, 0);
	return shown;
}

/* What is in no row shown. A row that held much and gave it back must not
 * vanish. */
static void show_others(const struct stack_walk *w, const struct ranking *k,
			uint32_t shown, struct shown *other)
{
	const struct ledger *l = k->ledger;
	uint32_t peak = !shown || is_of_objects(k->table) ? 0 :
			row_peak(l, k->table, item_row(k, k->item[shown - 1]));

	for (uint32_t i = w->r->first_row; !is_of_objects(k->table) &&
	     i < table_rows(l, k->table); i++)
		if (is_shown(w, k, i) && row_peak(l, k->table, i) > peak &&
		    !was_shown(k, shown, i)) {
			other->row = i;
			other->peak = peak = row_peak(l, k->table, i);
		}
	other->kind = SHOWN_OTHER_ROWS;
	w->show(w->context, other);
}

/* Where the rows shown have their part of what counts. */
static unsigned int share_column(const struct stack_walk *w, enum table t)
{
	static const unsigned char columns[] = {
		[BY_AT_PEAK] = PAGES_HELD_AT_PEAK, [BY_PEAK] = PAGES_AT_PEAK,
		[BY_HELD] = PAGES_HELD, [BY_NOW] = PAGES_NOW,
	};

	return t < TABLE_KINDS ? columns[w->r->order] : PAGES_NOW;
}

static int is_small(const struct stack_walk *w, const struct ranking *k)
{
	const uint32_t least = INITCALLS_BYTES / w->r->session->page_size;

	if (k->table != TABLE_INITCALLS || w->r->level > 1)
		return 0;
	for (uint32_t i = 0; i < k->ledger->initcalls.used; i++)
		if (row_peak(k->ledger, TABLE_INITCALLS, i) >= least)
			return 0;
	return 1;
}

static void walk_table(const struct stack_walk *w, enum table t)
{
	const struct ledger *l = w->r->ledger;
	struct shown other = { .kind = SHOWN_TABLE, .table = t };
	struct shown loads = { .kind = SHOWN_FAILED_LOADS, .table = t };
	struct ranking k = {
		.ledger = l, .table = t, .order = w->r->order,
		.item = l->scratch,
		.groups_end = l->scratch + l->scratch_capacity,
		.capacity = (uint32_t)smaller(l->scratch_capacity,
					      w->rows_max[t]),
	};
	const unsigned int column = share_column(w, t);
	uint64_t *const left = &other.value[column];
	uint64_t all, pages[PAGE_COUNTS];
	uint32_t shown = 0;

	if (is_of_objects(t) && !w->rows_max[t])
		return;
	offer_rows(w, &k, &loads);
	if ((t >= TABLE_KINDS && !is_of_objects(t) && !k.kept) ||
	    is_small(w, &k))
		return;
	for (unsigned int i = 0; i < COLUMNS; i++)
		other.value[i] = UNKNOWN;
	if (!is_of_objects(t))
		table_pages(l, t, other.value);
	for (uint32_t i = 0; i < w->r->first_row; i++) {
		row_pages(l, t, i, pages);
		*left -= pages[column];
	}
	all = *left;
	other.count = k.offered;
	w->show(w->context, &other);
	while (shown < k.kept && !is_enough(w, t, all, *left)) {
		const int group = (k.item[shown] & ITEM_GROUP) != 0;

		if (group && t == TABLE_TASKS)
			show_group(w, &k, item_row(&k, k.item[shown]), &other);
		else
			show_row(w, &k, item_row(&k, k.item[shown]), &other,
				 group);
		shown++;
	}
	if (t == TABLE_MODULES && w->r->order <= BY_PEAK)
		shown = show_leaks(w, &k, shown, &other);
	if (loads.count) {
		take_from(&other, loads.value);
		drop_peaks(loads.value);
		w->show(w->context, &loads);
	}
	if (other.count)
		show_others(w, &k, shown, &other);
}

static uint32_t stacks_shown(uint32_t level, uint32_t top, int live)
{
	if (live)
		return LIVE_STACKS;
	if (level < 2)
		return 0;
	return level == 2 && top > STACKS_SHOWN ? STACKS_SHOWN : top;
}

static struct stack_walk walk_of(const struct report *r,
				 void (*show)(void *context,
					      const struct shown *shown),
				 void *context)
{
	const uint32_t top = r->top ? r->top : UINT32_MAX;
	const uint32_t briefly = r->level < 2 ? ROWS_SHOWN_BRIEFLY : ROWS_SHOWN;
	const uint32_t sites = !r->top && r->level < 3 ? briefly : top;
	const uint32_t rows = r->throttle_percent == 100 ? sites : top;
	const int folds = r->level < 3 && !is_sampled(r->ledger) &&
			  (!r->sections || !*r->sections);

	return (struct stack_walk){
		.r = r, .show = show, .context = context,
		.rows_max = {
			[TABLE_MODULES] = rows,
			[TABLE_TASKS] = rows,
			[TABLE_KINDS] = !r->top && r->level > 1 ? KINDS : rows,
			[TABLE_INITCALLS] = rows,
			[TABLE_CALLERS] = !r->top && r->level < 2 ?
					  CALLERS_SHOWN : rows,
			[TABLE_SITES] = sites,
			[TABLE_OBJECTS_OF_MODULES] = sites,
			[TABLE_CACHES] = !r->top && r->level < 2 ? 0 : sites,
		},
		.stacks_max = r->without_stacks || is_sampled(r->ledger) ? 0 :
			      stacks_shown(r->level, top, r->live != NULL),
		.folds = folds && r->order <= BY_PEAK,
		.folds_names = folds && (!r->top || r->order == BY_HELD) &&
			       !of_books(r->ledger),
	};
}

void select_walk(const struct report *r,
		 void (*show)(void *context, const struct shown *shown),
		 void *context)
{
	const struct stack_walk w = walk_of(r, show, context);

	for (unsigned int t = 0; t < TABLE_SITES; t++)
		if (!(r->without_tables >> t & 1))
			walk_table(&w, (enum table)t);
}

void select_table(const struct report *r, enum table t,
		  void (*show)(void *context, const struct shown *shown),
		  void *context)
{
	const struct stack_walk w = walk_of(r, show, context);

	walk_table(&w, t);
}
