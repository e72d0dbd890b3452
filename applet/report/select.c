/* SPDX-License-Identifier: MIT */
/* See select.h. */
#include "report/line.h"
#include "report/names.h"
#include "report/select.h"
#include "report/select_stacks.h"
#include "report/table_sums.h"

#define ROWS_SHOWN 10u
#define ROWS_SHOWN_BRIEFLY 5u	/* so that level 1 has some 40 lines */
#define STACKS_SHOWN 3u
#define CALLERS_SHOWN 3u
#define LIVE_STACKS 64u		/* of the one row that has them */
#define FOLDED_BYTES (64u << 10)
#define INITCALLS_BYTES (64u << 10)

/* One of many failed loads: see select.h. */
static int is_folded(const struct walk *w, uint32_t row)
{
	const struct ledger *l = w->r->ledger;
	const struct module *m = &l->modules.row[row];
	const uint64_t most = smaller(FOLDED_BYTES / w->r->session->page_size,
				      l->traced.peak / 100);

	return w->folds && row >= MODULES_FIXED && !m->name[0] &&
	       m->state == MODULE_FAILED && module_holds(m) <= most &&
	       count_at_peak(&m->pages, l->epoch) <= most;
}

static void fold(const struct ledger *l, uint32_t row, struct shown *loads)
{
	uint64_t pages[PAGE_COUNTS];

	row_pages(l, TABLE_MODULES, row, pages);
	for (unsigned int i = 0; i < PAGE_COUNTS; i++)
		if (pages[i] == UNKNOWN)
			loads->pages[i] = UNKNOWN;
		else
			loads->pages[i] += pages[i];
	loads->count++;
}

static void offer_rows(const struct walk *w, struct ranking *k,
		       struct shown *loads)
{
	const struct ledger *l = k->ledger;
	const uint32_t used = table_rows(l, k->table);

	for (uint32_t i = w->r->first_row; i < used; i++) {
		if (!row_weight(l, k->table, i))
			continue;
		if (k->table == TABLE_MODULES && is_folded(w, i))
			fold(l, i, loads);
		else
			ranking_offer(k, i);
	}
}

static void take_from(struct shown *other, const uint64_t pages[PAGE_COUNTS])
{
	for (unsigned int i = 0; i < PAGE_COUNTS; i++)
		if (other->pages[i] != UNKNOWN)
			other->pages[i] -= pages[i];
}

static void show_row(const struct walk *w, const struct ranking *k,
		     uint32_t row, struct shown *other)
{
	const struct ledger *l = k->ledger;
	struct shown shown = {
		.kind = SHOWN_ROW, .table = k->table, .row = row,
	};

	row_pages(l, k->table, row, shown.pages);
	take_from(other, shown.pages);
	other->count--;
	w->show(w->context, &shown);
	if (w->stacks_max && k->table < TABLE_KINDS &&
	    live_wishes(w->r, k->table, row))
		walk_stacks(w, &shown, k->item + k->kept,
			    l->scratch_capacity - k->kept);
}

/* Their peaks stood at different times, so all of them together have none. */
static void show_loads(const struct walk *w, struct shown *loads,
		       struct shown *other)
{
	take_from(other, loads->pages);
	loads->kind = SHOWN_FAILED_LOADS;
	loads->pages[PAGES_PEAK] = UNKNOWN;
	loads->pages[PAGES_IMAGE_PEAK] = UNKNOWN;
	loads->pages[PAGES_VMALLOC_PEAK] = UNKNOWN;
	w->show(w->context, loads);
}

/* The rows shown have the share that was asked for: no more are shown. */
static int is_enough(const struct walk *w, enum table t, uint64_t all,
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

static void walk_table(const struct walk *w, enum table t)
{
	const struct ledger *l = w->r->ledger;
	struct shown other = { .kind = SHOWN_TABLE, .table = t };
	struct shown loads = { .table = t };
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
	ranking_sort(&k);
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
	while (shown < k.kept && !is_enough(w, t, all, *left))
		show_row(w, &k, k.item[shown++], &other);
	for (uint32_t i = 0; t == TABLE_MODULES && w->r->order == BY_PEAK &&
	     i < l->modules.used; i++)
		if (row_leaks(l, i) && !is_folded(w, i) &&
		    !was_shown(&k, shown, i))
			show_row(w, &k, i, &other);
	if (loads.count)
		show_loads(w, &loads, &other);
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
	const struct walk w = {
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
		.folds = r->level < 3 && r->order == BY_PEAK &&
			 !r->ledger->samples.on &&
			 (!r->sections || !*r->sections),
	};

	for (unsigned int t = 0; t < TABLES; t++)
		if (!(r->without_tables >> t & 1))
			walk_table(&w, (enum table)t);
}
