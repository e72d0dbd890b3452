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

/* Stacks of modules come first, each with its number; a task's stack that is
 * among them is that number. */
static int refers(struct sheet *s, const struct shown *k)
{
	uint32_t i = 0;

	if (k->table == TABLE_MODULES) {
		if (s->shown_leaves < REFERRED_MAX)
			s->shown_leaf[s->shown_leaves++] = k->leaf;
		return 0;
	}
	while (i < s->shown_leaves && s->shown_leaf[i] != k->leaf)
		i++;
	return s->all_leaves || i < s->shown_leaves;
}

static void show_stack(struct sheet *s, const struct shown *k)
{
	const struct ledger *g = s->ledger;
	int framed;

	line_str(&s->line, "  ");
	framed = sheet_stack(s, k);
	if (framed && k->table == TABLE_MODULES)
		line_value(&s->line, ", #%u", k->leaf);
	text_pages(s, k);
	if (framed && refers(s, k)) {
		line_value(&s->line, "  #%u of ", k->leaf);
		line_name(&s->line, row_name(g, TABLE_MODULES,
					     stacks_root(&g->stacks, k->leaf)));
		framed = 0;
	} else if (!framed && k->leaf != NO_LEAF) {
		line_char(&s->line, ' ');
		module_write(&s->line, g, k->leaf);
	} else if (!framed && stackless_is_anonymous(g)) {
		line_str(&s->line, "  first touches of anonymous memory");
	}
	sheet_emit(s);
	if (framed)
		text_frames(s, k->leaf);
}

static const char *const others[TABLES] = {
	[TABLE_MODULES] = "... and %u more module%s",
	[TABLE_TASKS] = "... and %u more task%s",
	[TABLE_KINDS] = "... and %u more kind%s",
	[TABLE_INITCALLS] = "... and %u more initcall%s",
	[TABLE_CALLERS] = "... and %u more caller%s",
};

static void show_others(struct sheet *s, const struct shown *other)
{
	int stacks = other->kind == SHOWN_OTHER_STACKS;

	line_value(&s->line, stacks ? "  ... and %u more stack%s" :
				      others[other->table], other->count);
	text_pages(s, other);
	if (other->peak && other->table < TABLE_KINDS) {
		line_value(&s->line, "  peak up to %p: ", other->peak);
		row_write(&s->line, s->ledger, other->table, other->row);
	}
	sheet_emit(s);
}

void text_show(void *context, const struct shown *shown)
{
	struct sheet *s = context;

	switch (shown->kind) {
	case SHOWN_TABLE:
		text_table(s, shown);
		break;
	case SHOWN_ROW:
		text_row(s, shown);
		break;
	case SHOWN_STACK:
		show_stack(s, shown);
		break;
	case SHOWN_FAILED_LOADS:
		text_failed_loads(s, shown);
		break;
	case SHOWN_GROUP:
		text_group(s, shown);
		break;
	case SHOWN_SAME_NAME:
		break;
	default:
		show_others(s, shown);
	}
}

/* What a row holds and no stack has: the table of callers has it. */
static void put_areas(struct sheet *s, const struct shown *row)
{
	if (row->pages[PAGES_HELD] == row->pages[PAGES_NOW])
		return;
	line_str(&s->line, "  areas");
	line_figure(&s->line, NAME_COLUMN + FIGURE_COLUMNS, "%p",
		    row->pages[PAGES_HELD] - row->pages[PAGES_NOW]);
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
	if (s->r->level > 1 && !s->ledger->samples.on)
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
