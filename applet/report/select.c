/* SPDX-License-Identifier: MIT */
/* See parts.h, select. */
#include <string.h>
#include "report/parts.h"
#include "report/report.h"

#define ROWS_SHOWN 10u
#define ROWS_SHOWN_BRIEFLY 5u	/* so that level 1 has some 40 lines */
#define STACKS_SHOWN 3u
#define CALLERS_SHOWN 3u
#define SAME_NAME 3u		/* two of them are two rows either way */
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

/* Peaks of several rows stood at different times: the largest stays. */
static void fold(const struct ledger *l, uint32_t row, struct shown *folded)
{
	uint64_t pages[PAGE_COUNTS], *into = folded->pages;

	row_pages(l, folded->table, row, pages);
	for (unsigned int i = 0; i < PAGE_COUNTS; i++)
		if (pages[i] == UNKNOWN)
			into[i] = UNKNOWN;
		else if (i != PAGES_PEAK && i < PAGES_IMAGE_PEAK)
			into[i] += pages[i];
		else if (into[i] < pages[i])
			into[i] = pages[i];
	folded->leak += folded->table == TABLE_MODULES ? row_leak(l, row) : 0;
	folded->count++;
}

/* May it be one row with others of its name? Tasks whose names nobody knows have
 * not one name. Of modules only loads that are over and leak nothing. */
static int has_like(const struct ledger *l, enum table t, uint32_t row)
{
	if (t == TABLE_TASKS)
		return row >= TASKS_FIXED && l->tasks.row[row].comm[0];
	return t == TABLE_MODULES && l->modules.row[row].state == MODULE_GONE &&
	       !row_leak(l, row) && !row_leak_objects(l, row);
}

static int same_name(const struct ledger *l, enum table t, uint32_t a,
		     uint32_t b)
{
	return !strcmp(row_name(l, t, a), row_name(l, t, b));
}

/* Of several with one name only the largest stays; of tasks, of SAME_NAME or
 * more. */
static void drop_same_names(struct ranking *k)
{
	const uint32_t most = k->table == TABLE_TASKS ? SAME_NAME - 1 : 1;
	uint32_t kept = 0, end;

	ranking_sort(k);
	for (uint32_t i = 0; i < k->kept; i = end) {
		for (end = i + 1; end < k->kept &&
		     same_name(k->ledger, k->table, k->item[i], k->item[end]);)
			end++;
		for (uint32_t j = i; j < (end - i > most ? i + 1 : end); j++)
			k->item[kept++] = k->item[j];
	}
	k->kept = kept;
}

static void offer_all(const struct stack_walk *w, struct ranking *k, int like,
		      struct shown *loads)
{
	const uint32_t used = table_rows(k->ledger, k->table);

	for (uint32_t i = w->r->first_row; i < used; i++) {
		if (!row_weight(k->ledger, k->table, i) ||
		    (w->folds_names && has_like(k->ledger, k->table, i) != like))
			continue;
		if (k->table == TABLE_MODULES && is_folded(w, i))
			fold(k->ledger, i, loads);
		else
			ranking_offer(k, i);
	}
}

static void offer_rows(const struct stack_walk *w, struct ranking *k,
		       struct shown *loads)
{
	const uint32_t most = k->capacity;

	if (w->folds_names && k->table <= TABLE_TASKS) {
		k->by_name = 1;
		k->capacity = k->ledger->scratch_capacity;
		offer_all(w, k, 1, loads);
		drop_same_names(k);
		k->by_name = 0;
	}
	offer_all(w, k, 0, loads);
	ranking_sort(k);
	k->kept = (uint32_t)smaller(k->kept, most);
}

static void take_from(struct shown *other, const uint64_t pages[PAGE_COUNTS])
{
	for (unsigned int i = 0; i < PAGE_COUNTS; i++)
		if (other->pages[i] != UNKNOWN)
			other->pages[i] -= pages[i];
}

/* Adds all others of the row's name. */
static void fold_same_name(const struct stack_walk *w, struct shown *into)
{
	const struct ledger *l = w->r->ledger;
	const enum table t = into->table;
	const uint32_t used = table_rows(l, t);

	if (!w->folds_names || !has_like(l, t, into->row))
		return;
	for (uint32_t i = w->r->first_row; i < used; i++)
		if (i != into->row && row_weight(l, t, i) &&
		    same_name(l, t, into->row, i) && has_like(l, t, i))
			fold(l, i, into);
}

/* Of several loads of a module, the stacks are the largest one's. */
static void show_row(const struct stack_walk *w, const struct ranking *k,
		     uint32_t row, struct shown *other)
{
	const struct ledger *l = k->ledger;
	struct shown shown = {
		.kind = SHOWN_ROW, .table = k->table, .row = row,
	}, own;

	fold(l, row, &shown);
	own = shown;
	if (k->table == TABLE_MODULES)
		fold_same_name(w, &shown);
	take_from(other, shown.pages);
	other->count -= shown.count;
	w->show(w->context, &shown);
	if (w->stacks_max && k->table < TABLE_KINDS &&
	    live_wishes(w->r, k->table, row))
		walk_stacks(w, &own, k->item + k->kept,
			    l->scratch_capacity - k->kept);
}

/* Their peaks stood at different times, so all of them together have none. */
static void show_folded(const struct stack_walk *w, struct shown *folded,
			struct shown *other)
{
	take_from(other, folded->pages);
	folded->pages[PAGES_PEAK] = UNKNOWN;
	folded->pages[PAGES_IMAGE_PEAK] = UNKNOWN;
	folded->pages[PAGES_VMALLOC_PEAK] = UNKNOWN;
	w->show(w->context, folded);
}

/* All of the name of the task that was shown last. */
static void show_same_name(const struct stack_walk *w, uint32_t row,
			   struct shown *other)
{
	struct shown more = {
		.kind = SHOWN_SAME_NAME, .table = TABLE_TASKS, .row = row,
	};

	fold_same_name(w, &more);
	if (more.count + 1 < SAME_NAME)
		return;
	other->count -= more.count;
	show_folded(w, &more, other);
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
	while (shown)
		if (k->item[--shown] == row)
			return 1;
	return 0;
}

static void walk_table(const struct stack_walk *w, enum table t)
{
	const struct ledger *l = w->r->ledger;
	struct shown other = { .kind = SHOWN_TABLE, .table = t };
	struct shown loads = { .kind = SHOWN_FAILED_LOADS, .table = t };
	struct ranking k = {
		.ledger = l, .table = t, .order = w->r->order,
		.item = l->scratch,
		.capacity = (uint32_t)smaller(l->scratch_capacity,
					      w->rows_max[t]),
	};
	uint64_t *const left = &other.pages[w->r->order == BY_PEAK ?
					    PAGES_AT_PEAK : PAGES_NOW];
	uint64_t all, pages[PAGE_COUNTS];
	uint32_t shown = 0;

	offer_rows(w, &k, &loads);
	if (t >= TABLE_KINDS && !k.kept)
		return;
	if (t == TABLE_INITCALLS && w->r->level < 2 &&
	    row_weight(l, t, k.item[0]) <
	    INITCALLS_BYTES / w->r->session->page_size)
		return;
	table_pages(l, t, other.pages);
	for (uint32_t i = 0; i < w->r->first_row; i++) {
		row_pages(l, t, i, pages);
		*left -= pages[left - other.pages];
	}
	all = *left;
	other.count = k.offered;
	w->show(w->context, &other);
	while (shown < k.kept && !is_enough(w, t, all, *left)) {
		show_row(w, &k, k.item[shown], &other);
		if (t == TABLE_TASKS)
			show_same_name(w, k.item[shown], &other);
		shown++;
	}
	for (uint32_t i = 0; t == TABLE_MODULES && w->r->order == BY_PEAK &&
	     i < l->modules.used; i++)
		if (row_weight(l, t, i) && !is_folded(w, i) &&
		    (row_leak(l, i) || row_leak_objects(l, i)) &&
		    !was_shown(&k, shown, i))
			show_row(w, &k, i, &other);
	if (loads.count)
		show_folded(w, &loads, &other);
	other.kind = SHOWN_OTHER_ROWS;
	if (other.count)
		w->show(w->context, &other);
}

static uint32_t stacks_shown(uint32_t level, uint32_t top, int live)
{
	if (live)
		return LIVE_STACKS;
	if (level < 2)
		return 0;
	return level == 2 && top > STACKS_SHOWN ? STACKS_SHOWN : top;
}

void select_walk(const struct report *r,
		 void (*show)(void *context, const struct shown *shown),
		 void *context)
{
	uint32_t top = r->top ? r->top : UINT32_MAX;
	uint32_t rows = !r->top && r->level < 3 && r->throttle_percent == 100 ?
			r->level < 2 ? ROWS_SHOWN_BRIEFLY : ROWS_SHOWN : top;
	uint32_t callers = !r->top && r->level < 2 ? CALLERS_SHOWN : rows;
	const int folds = r->level < 3 && !r->ledger->samples.on &&
			  (!r->sections || !*r->sections);
	const struct stack_walk w = {
		.r = r, .show = show, .context = context,
		.rows_max = {
			[TABLE_MODULES] = rows,
			[TABLE_TASKS] = rows,
			[TABLE_KINDS] = !r->top && r->level > 1 ? KINDS : rows,
			[TABLE_INITCALLS] = rows,
			[TABLE_CALLERS] = callers,
		},
		.stacks_max = r->without_stacks || r->ledger->samples.on ? 0 :
			      stacks_shown(r->level, top, r->live != NULL),
		.folds = folds && r->order == BY_PEAK,
		.folds_names = folds && (!r->top || r->order == BY_HELD) &&
			       !r->ledger->books.on,
	};

	for (unsigned int t = 0; t < TABLES; t++)
		if (!(r->without_tables >> t & 1))
			walk_table(&w, (enum table)t);
}
