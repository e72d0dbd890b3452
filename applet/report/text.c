/* SPDX-License-Identifier: MIT */
/*
 * The report for people: the answer, what must not be believed, the tables, who
 * held most and when, how all this is known, and last the stacks of each row.
 *
 * Most lines are under 100 columns. The last line says how many lines came
 * before it, so that a reader sees if a report was cut off.
 */
#include "report/parts.h"
#include "report/report.h"

/* What a row holds and no stack has: the table of callers has it. */
static void put_areas(struct sheet *s, const struct shown *row)
{
	if (row->value[PAGES_HELD] == row->value[PAGES_NOW])
		return;
	line_str(&s->line, "  areas");
	line_figure(&s->line, NAME_COLUMN + FIGURE_COLUMNS, "%p",
		    row->value[PAGES_HELD] - row->value[PAGES_NOW]);
	sheet_emit(s);
}

/* The stacks of each row, below the row, which the tables have shown before. */
static void show_stacks(void *context, const struct shown *shown)
{
	struct sheet *s = context;
	struct shown row = *shown;

	row.of_group = 0;
	if (shown->table == TABLE_MODULES)
		s->all_leaves = shown->kind == SHOWN_TABLE ||
				(s->all_leaves &&
				 shown->kind < SHOWN_OTHER_STACKS);
	if (shown->kind == SHOWN_TABLE) {
		line_str(&s->line, "stacks by ");
		text_table(s, shown);
	} else if (shown->kind < SHOWN_FAILED_LOADS) {
		text_show(s, &row);
		if (row.kind == SHOWN_ROW)
			put_areas(s, &row);
	}
}

void text_stacks(struct sheet *s)
{
	struct report stacks = *s->r;

	stacks.without_tables |= 1u << TABLE_KINDS | 1u << TABLE_INITCALLS |
				 1u << TABLE_CALLERS;
	if (s->r->level > 1 && !is_sampled(s->ledger))
		select_walk(&stacks, show_stacks, s);
}

void text_tables(struct sheet *s)
{
	struct report rows = *s->r;

	rows.without_stacks = 1;
	select_walk(&rows, text_show, s);
}

void text_finish(struct sheet *s)
{
	const uint64_t unnamed = s->value[FIGURE_UNNAMED];

	if (unnamed) {
		sheet_figures(s, "note    frames without a name: %u of %u, ",
			      FIGURE_UNNAMED, FIGURE_FRAMES);
		sheet_line(s, s->r->names_wait ? "they follow" :
			   unnamed == s->value[FIGURE_FRAMES] ?
			   "none to be had (kptr_restrict)" :
			   "code that is gone, or raise rd.memstrack.mem",
			   NULL);
	}
	s->last = 1;
	sheet_figures(s, "memstrack " MEMSTRACK_VERSION ": end of report, %u "
		      "lines", FIGURE_LINES);
	if (s->value[FIGURE_CUT])
		sheet_figures(s, MORE_NOT_WRITTEN, FIGURE_CUT);
	sheet_emit(s);
}

static void text(struct sheet *s)
{
	text_verdict(s);
	text_head(s);
	text_tables(s);
	slab_write(s);
	moment_peak(s);
	if (s->r->level > 2)
		moment_timeline(s);
	text_account(s);
	text_stacks(s);
	text_finish(s);
}

void report_text(const struct report *r, struct out *o)
{
	sheet_report(r, o, ESCAPE_TEXT, text);
}



/* The stacks of the module and of the task that hold most now. */
static struct report heaviest_of(const struct report *r)
{
	struct report heaviest = *r;

	heaviest.level = 2;
	heaviest.top = 1;
	return heaviest;
}

void report_oom_collect(const struct report *r)
{
	const struct report heaviest = heaviest_of(r);

	symbols_clear(r->symbols);
	report_collect(&heaviest);
	report_collect(r);
	symbols_sort(r->symbols);
}

static void get_names(const struct report *r)
{
	report_oom_collect(r);
	r->name(r->context);
}

static void show_heaviest(void *context, const struct shown *shown)
{
	if (shown->table < TABLE_KINDS &&
	    (shown->kind == SHOWN_ROW || shown->kind == SHOWN_STACK))
		text_show(context, shown);
}

/* So few callers, and only of areas that hold more than this part of all pages,
 * that a report with long stacks has at most OOM_LINES_MAX. */
#define CALLERS 3
#define AREAS_DIVISOR 100

static void show_most(struct sheet *s, const char *title)
{
	const struct report heaviest = heaviest_of(s->r);
	struct report callers = *s->r;

	callers.without_tables = ~(1u << TABLE_CALLERS);
	callers.top = CALLERS;
	if (is_sampled(s->ledger)) {	/* there are none */
		select_walk(&callers, text_show, s);
		return;
	}
	sheet_line(s, title, NULL);
	select_walk(&heaviest, show_heaviest, s);
	if (s->ledger->areas.held.now >
	    s->ledger->traced.now / AREAS_DIVISOR)
		select_walk(&callers, text_show, s);
}

/* These few lines come after the end of the report, so the bound on its lines
 * does not count them. Events may be taken while the names are read: then other
 * rows may hold most. */
static void show_named_stacks(struct sheet *s)
{
	const int known = kinds_are_known(s->ledger);
	const struct totals *n = &s->ledger->total;
	const uint64_t events = n->allocs + n->frees;

	get_names(s->r);
	if (!known)
		text_kind(s);
	slab_text_briefly(s);
	show_most(s, n->allocs + n->frees == events ?
		     "the same stacks by name" :
		     "stacks of who holds most by now, by name");
	sheet_line(s, "memstrack " MEMSTRACK_VERSION ": end of names", NULL);
}

static void oom(struct sheet *s)
{
	struct report rows = *s->r;

	rows.without_tables = 1u << TABLE_INITCALLS | 1u << TABLE_CALLERS;
	if (!is_sampled(s->ledger))
		rows.without_tables |= 1u << TABLE_KINDS;
	if (!s->r->names_wait)
		get_names(s->r);
	text_verdict(s);
	text_head(s);
	select_walk(&rows, text_show, s);
	slab_text_briefly(s);
	text_balance(s);
	show_most(s, "stacks of who holds most");
	text_finish(s);
	if (s->r->names_wait && s->value[FIGURE_UNNAMED])
		show_named_stacks(s);
}

void report_oom(const struct report *r, struct out *o)
{
	sheet_report(r, o, ESCAPE_TEXT, oom);
}
