/* SPDX-License-Identifier: MIT */
/* Tables of the report for people: see parts.h, text rows. */
#include <string.h>
#include "report/parts.h"
#include "report/report.h"

#define RUN_TIME_COLUMN (NAME_COLUMN + 4 * FIGURE_COLUMNS)
#define NS_PER_MS 1000000u

void text_pages(struct sheet *s, const struct shown *r)
{
	static const unsigned char of_rows[] = {
		PAGES_HELD, PAGES_HELD_PEAK, PAGES_HELD_AT_PEAK,
		PAGES_KIND_IMAGE, PAGES_KIND_VMALLOC,
	};
	const int is_stack = r->kind == SHOWN_STACK ||
			     r->kind == SHOWN_OTHER_STACKS;
	const int holds = r->table < TABLE_KINDS && !is_stack;
	size_t column = NAME_COLUMN;

	for (unsigned int i = 0; i < (holds ? ARRAY_LEN(of_rows) :
					      PAGES_IMAGE); i++) {
		const uint64_t pages = r->pages[holds ? of_rows[i] : i];

		if (i == PAGES_IMAGE && r->table == TABLE_TASKS)
			continue;
		column += FIGURE_COLUMNS;
		if (pages != UNKNOWN)
			line_figure(&s->line, column, "%p", pages);
	}
	if (r->table == TABLE_MODULES && !is_stack &&
	    r->pages[PAGES_KIND_VMALLOC] == UNKNOWN && !s->ledger->books.on)
		line_str(&s->line, "       -       -");
}

void text_table(struct sheet *s, const struct shown *t)
{
	static const char *const sampled[TABLES] = {
		[TABLE_MODULES] = "module (sampled: images)",
		[TABLE_TASKS] = "task (sampled: RSS)",
		[TABLE_KINDS] = "kind (sampled, all)",
		[TABLE_CALLERS] = "areas (sampled)",
	};
	static const char *const counted[TABLES] = {
		[TABLE_MODULES] = "module  (all it holds)",
		[TABLE_TASKS] = "task  (the same pages)",
		[TABLE_KINDS] = "kind  (all of them)",
		[TABLE_INITCALLS] = "initcall",
		[TABLE_CALLERS] = "areas  (by caller)",
	};

	if (s->line.len || (s->ledger->books.on && t->table != TABLE_TASKS))
		line_str(&s->line, table_name(t->table));
	else
		line_str(&s->line, s->ledger->samples.on ? sampled[t->table] :
							   counted[t->table]);
	line_pad(&s->line, NAME_COLUMN);
	if (s->ledger->books.on) {
		line_str(&s->line, t->table < TABLE_KINDS ?
			 "     now  mostly" : "     now");
		sheet_emit(s);
		return;
	}
	line_str(&s->line, s->ledger->total.lost ? "    ~now   ~peak" :
						   "     now    peak");
	if (t->table != TABLE_CALLERS)
		line_str(&s->line, " at peak");
	if (t->table == TABLE_MODULES)
		line_str(&s->line, s->ledger->samples.on ?
			 "         vmalloc" : "   image vmalloc");
	if (t->table == TABLE_TASKS && s->ledger->areas.charged.peak)
		line_str(&s->line, " vmalloc");
	if (t->table == TABLE_INITCALLS)
		line_str(&s->line, "  run time");
	if (s->ledger->kinds.known && !s->ledger->samples.on &&
	    (t->table == TABLE_MODULES || t->table == TABLE_TASKS))
		line_str(&s->line, "  now mostly");
	sheet_emit(s);
}

/* The kinds of what the row holds now, or all tasks of its name. */
static void put_kinds(struct sheet *s, const struct shown *r)
{
	const struct ledger *l = s->ledger;
	uint64_t pages[KINDS], more[KINDS];
	const size_t start = s->line.len;

	if (!l->kinds.known || l->samples.on ||
	    (r->kind == SHOWN_ROW && r->count > 1))
		return;
	kinds_of_row(l, r->table, r->row, 0, pages);
	for (uint32_t i = TASKS_FIXED; r->kind == SHOWN_GROUP &&
	     i < l->tasks.used; i++) {
		if (i == r->row || strcmp(l->tasks.row[i].comm,
					  l->tasks.row[r->row].comm))
			continue;
		kinds_of_row(l, TABLE_TASKS, i, 0, more);
		for (uint32_t k = 0; k < KINDS; k++)
			pages[k] += more[k];
	}
	line_str(&s->line, "  ");
	if (!kinds_write(&s->line, pages))
		s->line.len = start;
}

static void put_initcall(struct sheet *s, uint32_t row)
{
	initcall_write(&s->line, s->r, row);
	if (s->ledger->initcalls.row[row].module)
		module_write(&s->line, s->ledger,
			     s->ledger->initcalls.row[row].module);
}

/* More may have been held before the functions were known. */
static void put_runs(struct sheet *s, uint32_t row)
{
	const struct initcall *i = &s->ledger->initcalls.row[row];

	line_figure(&s->line, RUN_TIME_COLUMN, i->runs ? "%m ms" : "-",
		    i->run_ns / (NS_PER_MS / 10));
	if (row == INITCALL_OTHER)
		line_str(&s->line, "  no room: raise rd.memstrack.stacks");
	if (!initcall_exact(i))
		line_value(&s->line, "  peak at most %p", i->limit);
}

/* More may have been held before the kinds were known. */
static void put_doubts(struct sheet *s, uint32_t kind)
{
	const uint64_t limit = s->ledger->kinds.limit[kind];

	if (s->ledger->samples.on) {
		line_str(&s->line, kind == KIND_OTHER ?
			 "  by a driver or the kernel itself" : "");
		return;
	}
	if (kind == KIND_ANON && !stackless_is_anonymous(s->ledger))
		line_str(&s->line, "  or their stack was not kept");
	if (!kinds_exact(&s->ledger->kinds, kind))
		line_fill(&s->line, "  peak at most %p", &limit);
}

static void put_leak(struct sheet *s, uint64_t pages, uint64_t objects)
{
	if (pages)
		line_value(&s->line, ", still holds %p", pages);
	if (objects)
		line_value(&s->line, pages ? " and %u object%s of slab" :
			   ", still holds %u object%s of slab", objects);
}

/* Adds what the figures of a row do not show. */
static void put_remark(struct sheet *s, const struct shown *r)
{
	const struct ledger *g = s->ledger;
	const char *state = row_state(g, r->table, r->row);
	uint64_t rss;

	if (strcmp(state, "live")) {
		line_str(&s->line, "  ");
		line_str(&s->line, state);
	}
	if (r->table == TABLE_MODULES) {
		put_leak(s, r->leak, row_leak_objects(g, r->row));
		if (r->count > 1)
			line_value(&s->line, ", %u loads", r->count);
		return;
	}
	rss = g->tasks.row[r->row].rss_start_pages;
	if (rss)
		line_fill(&s->line, "  had %p at start", &rss);
}

static void put_caller(struct sheet *s, const struct caller *c)
{
	sheet_caller(s, c);
	if (c->module)
		module_write(&s->line, s->ledger, c->module);
}

void text_row(struct sheet *s, const struct shown *r)
{
	const struct ledger *g = s->ledger;
	int fixed = row_is_fixed(r->table, r->row);

	if (r->table == TABLE_CALLERS)
		put_caller(s, &g->areas.caller[r->row]);
	else if (r->table == TABLE_INITCALLS)
		put_initcall(s, r->row);
	else {
		line_str(&s->line, r->of_group ? "  " : "");
		line_name(&s->line, row_name(g, r->table, r->row));
	}
	if (r->table == TABLE_TASKS && !fixed)
		line_value(&s->line, "[%u]", g->tasks.row[r->row].tid);
	text_pages(s, r);
	if (r->table == TABLE_KINDS)
		put_doubts(s, r->row);
	else if (r->table == TABLE_INITCALLS)
		put_runs(s, r->row);
	else if (r->table != TABLE_CALLERS)
		put_kinds(s, r);
	if (!fixed && r->table < TABLE_KINDS && !g->books.on)
		put_remark(s, r);
	sheet_emit(s);
}

/* All tasks of one name; the next line is the largest of them. */
void text_group(struct sheet *s, const struct shown *all)
{
	line_name(&s->line, row_name(s->ledger, all->table, all->row));
	line_value(&s->line, " x %u", all->count);
	text_pages(s, all);
	put_kinds(s, all);
	sheet_emit(s);
}

void text_failed_loads(struct sheet *s, const struct shown *loads)
{
	line_value(&s->line, "(failed loads: %u)", loads->count);
	text_pages(s, loads);
	line_fill(&s->line, loads->leak ? "  failed, still hold %u page%s" :
					  "  failed", &loads->leak);
	sheet_emit(s);
}
