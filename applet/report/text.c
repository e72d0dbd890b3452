/*
 * The report for people: what was reached, the tables, who held most and when,
 * the stacks of each row, and last how all this is known.
 *
 * Most lines are under 100 columns, with numbers right-aligned under their
 * headings. The last line says how many lines came before it, so that a reader
 * sees if a report was cut off.
 */
#include <string.h>
#include "report/kind_names.h"
#include "report/moment.h"
#include "report/names.h"
#include "report/select.h"
#include "report/symbols.h"
#include "report/text.h"
#include "report/text_account.h"
#include "report/text_head.h"
#include "report/text_verdict.h"
#include "report/trim.h"

#define NAME_COLUMN 26		/* the first figure ends 10 columns on */
#define FIGURE_COLUMNS 10
#define COLUMNS (PAGES_VMALLOC + 1)
#define FRAMES_INDENT 6
#define LINE_COLUMNS 98

/* Each figure is written twice: its width decides where it begins. */
static void put_pages(struct sheet *s, const uint64_t pages[PAGE_COUNTS])
{
	size_t column = NAME_COLUMN;

	for (int i = 0; i < COLUMNS; i++) {
		const size_t start = s->line.len;
		size_t width;

		column += FIGURE_COLUMNS;
		if (pages[i] == UNKNOWN)
			continue;
		line_fill(&s->line, "%p", &pages[i]);
		width = s->line.len - start;
		s->line.len = start;
		line_pad(&s->line, column - width);
		line_fill(&s->line, "%p", &pages[i]);
	}
}

static void show_table(struct sheet *s, const struct shown *t)
{
	if (t->table == TABLE_TASKS && !s->line.len)
		line_str(&s->line, "task  (the same pages)");
	else
		line_str(&s->line, table_name(t->table));
	line_pad(&s->line, NAME_COLUMN);
	line_str(&s->line, s->ledger->total.lost ? "      ~now     ~peak" :
						   "       now      peak");
	if (t->table != TABLE_CALLERS)
		line_str(&s->line, s->ledger->total.lost ? "  ~at peak" :
							   "   at peak");
	if (t->table == TABLE_MODULES)
		line_str(&s->line, "     image   vmalloc");
	if (s->ledger->kinds.known &&
	    (t->table == TABLE_MODULES || t->table == TABLE_TASKS))
		line_str(&s->line, "  now mostly");
	sheet_emit(s);
}

/* The kinds of what the row holds now. */
static void put_kinds(struct sheet *s, const struct shown *r)
{
	uint64_t pages[KINDS];
	const size_t start = s->line.len;

	if (!s->ledger->kinds.known)
		return;
	kinds_of_row(s->ledger, r->table, r->row, 0, pages);
	line_str(&s->line, "  ");
	if (!kinds_write(&s->line, pages))
		s->line.len = start;
}

/* More may have been held before the kinds were known. */
static void put_doubts(struct sheet *s, uint32_t kind)
{
	const uint64_t limit = s->ledger->kinds.limit[kind];

	if (kind == KIND_ANON && !stackless_is_anonymous(s->ledger))
		line_str(&s->line, "  or their stack was not kept");
	if (!kinds_exact(&s->ledger->kinds, kind))
		line_fill(&s->line, "  peak at most %p", &limit);
}

/* Adds what the figures of a row do not tell. */
static void put_remark(struct sheet *s, const struct shown *r)
{
	const struct ledger *g = s->ledger;
	const char *state = row_state(g, r->table, r->row);
	uint64_t rss;

	if (strcmp(state, "live")) {
		line_str(&s->line, "  ");
		line_str(&s->line, state);
	}
	if (r->table == TABLE_TASKS && r->pages[PAGES_NOW] &&
	    g->tasks.row[r->row].state == TASK_EXITED &&
	    !g->tasks.row[r->row].threads)
		line_str(&s->line, ", this stays");
	if (r->table == TABLE_MODULES) {
		const uint64_t held = module_holds(&g->modules.row[r->row]);

		if (row_leaks(g, r->row))
			line_fill(&s->line, ", still holds %u pages", &held);
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

static void show_row(struct sheet *s, const struct shown *r)
{
	const struct ledger *g = s->ledger;
	int fixed = row_is_fixed(r->table, r->row);

	if (r->table == TABLE_CALLERS)
		put_caller(s, &g->areas.caller[r->row]);
	else
		line_name(&s->line, row_name(g, r->table, r->row));
	if (r->table == TABLE_TASKS && !fixed)
		line_fill(&s->line, "[%u]",
			  (const uint64_t[]){ g->tasks.row[r->row].tid });
	put_pages(s, r->pages);
	if (r->table == TABLE_KINDS)
		put_doubts(s, r->row);
	else if (r->table != TABLE_CALLERS)
		put_kinds(s, r);
	if (!fixed && r->table < TABLE_KINDS)
		put_remark(s, r);
	sheet_emit(s);
}

static void show_failed_loads(struct sheet *s, const struct shown *loads)
{
	const uint64_t held = loads->pages[PAGES_NOW] +
			      loads->pages[PAGES_IMAGE] +
			      loads->pages[PAGES_VMALLOC];

	line_fill(&s->line, "(failed loads: %u)",
		  (const uint64_t[]){ loads->count });
	put_pages(s, loads->pages);
	line_fill(&s->line, held ? "  failed, still hold %u pages" :
				   "  failed", &held);
	sheet_emit(s);
}

/* Innermost first, with as many frames in a line as fit: each frame is written
 * twice, the first time to see if it fits. */
static void put_frames(struct sheet *s, uint32_t leaf)
{
	const struct stacks *k = &s->ledger->stacks;
	uint32_t behind = 0;

	if (s->r->level < 3)
		trim_chain(s, &leaf, &behind);
	for (uint32_t i = leaf; i >= k->roots && i != behind;
	     i = stack_parent(&k->node[i])) {
		const uint64_t addr = k->node[i].addr;
		const size_t start = s->line.len;
		size_t end;

		frame_write(&s->line, s->r, addr);
		end = s->line.len + 3;
		s->line.len = start;
		if (i != leaf && end > LINE_COLUMNS)
			sheet_emit(s);
		line_pad(&s->line, s->line.len ? 0 : FRAMES_INDENT);
		if (i != leaf)
			line_str(&s->line, "< ");
		sheet_frame(s, addr);
	}
	sheet_emit(s);
}

static void show_stack(struct sheet *s, const struct shown *k)
{
	const struct ledger *g = s->ledger;
	int framed;

	line_str(&s->line, "  ");
	framed = sheet_stack(s, k);
	put_pages(s, k->pages);
	if (!framed && k->leaf != NO_LEAF) {
		line_char(&s->line, ' ');
		module_write(&s->line, g, k->leaf);
	} else if (!framed && stackless_is_anonymous(g)) {
		line_str(&s->line, "  first touches of anonymous memory");
	}
	sheet_emit(s);
	if (framed)
		put_frames(s, k->leaf);
}

static const char *const plurals[TABLES] = {
	[TABLE_MODULES] = "modules",
	[TABLE_TASKS] = "tasks",
	[TABLE_KINDS] = "kinds",
	[TABLE_CALLERS] = "callers",
};

static void show_others(struct sheet *s, const struct shown *other)
{
	int stacks = other->kind == SHOWN_OTHER_STACKS;

	line_fill(&s->line, stacks ? "  ... and %u more " : "... and %u more ",
		  (const uint64_t[]){ other->count });
	line_str(&s->line, stacks ? "stacks" : plurals[other->table]);
	put_pages(s, other->pages);
	sheet_emit(s);
}

void text_show(void *context, const struct shown *shown)
{
	struct sheet *s = context;

	switch (shown->kind) {
	case SHOWN_TABLE:
		show_table(s, shown);
		break;
	case SHOWN_ROW:
		show_row(s, shown);
		break;
	case SHOWN_STACK:
		show_stack(s, shown);
		break;
	case SHOWN_FAILED_LOADS:
		show_failed_loads(s, shown);
		break;
	default:
		show_others(s, shown);
	}
}

/* The stacks of each row, below the row, which the tables have shown before. */
static void show_stacks(void *context, const struct shown *shown)
{
	struct sheet *s = context;

	if (shown->kind == SHOWN_TABLE) {
		line_str(&s->line, "stacks by ");
		show_table(s, shown);
	} else if (shown->kind < SHOWN_FAILED_LOADS) {
		text_show(s, shown);
	}
}

static void all_stacks(struct sheet *s)
{
	struct report stacks = *s->r;

	stacks.without_tables |= 1u << TABLE_KINDS | 1u << TABLE_CALLERS;
	if (s->r->level > 1)
		select_walk(&stacks, show_stacks, s);
}

static void tables(struct sheet *s)
{
	struct report rows = *s->r;

	rows.without_stacks = 1;
	select_walk(&rows, text_show, s);
}

void text_finish(struct sheet *s)
{
	const uint64_t unnamed = s->value[FIGURE_UNNAMED];

	if (unnamed) {
		sheet_figures(s, "note    of %u frames %u have no name: ",
			      FIGURE_FRAMES, FIGURE_UNNAMED);
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
	tables(s);
	moment_peak(s);
	if (s->r->level > 2)
		moment_timeline(s);
	all_stacks(s);
	text_account(s);
	text_finish(s);
}

void report_text(const struct report *r, struct out *o)
{
	sheet_report(r, o, ESCAPE_TEXT, text);
}
