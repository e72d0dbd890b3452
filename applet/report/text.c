/*
 * The report for people: a head, modules, tasks, the stacks of each.
 *
 * Lines are mostly under 100 columns, numbers right-aligned under their
 * headings. The last line says how many came before it, so that a report that
 * was cut off is seen to be.
 */
#include <string.h>
#include "text.h"

#define NAME_COLUMN 34		/* first figure ends 10 further */
#define FIGURE_COLUMNS 10
#define COLUMNS (PAGES_VMALLOC + 1)
#define FRAMES_INDENT 6
#define LINE_COLUMNS 98

void text_line(struct sheet *s, const char *template, const uint64_t *value)
{
	line_fill(&s->line, template, value);
	sheet_emit(s);
}

void text_name(struct sheet *s, const char *name, size_t size)
{
	line_name(&s->line, name, size, LINE_BYTES, ESCAPE_TEXT);
}

static void put_pages(struct sheet *s, const uint64_t pages[PAGE_COUNTS])
{
	struct line figure = { .page_kib = s->line.page_kib };
	size_t column = NAME_COLUMN;

	for (int i = 0; i < COLUMNS; i++) {
		column += FIGURE_COLUMNS;
		if (pages[i] == PAGES_UNKNOWN)
			continue;
		figure.len = 0;
		line_fill(&figure, "%p", &pages[i]);
		line_pad(&s->line, column - figure.len);
		line_append(&s->line, &figure);
	}
}

static void show_table(struct sheet *s, const struct shown *t)
{
	static const char titles[TABLES][16] = {
		"module", "vmalloc", "task",
	};

	line_str(&s->line, titles[t->table]);
	line_pad(&s->line, NAME_COLUMN);
	line_str(&s->line, "       now      peak");
	if (t->table != TABLE_CALLERS)
		line_str(&s->line, "   at peak");
	if (t->table == TABLE_MODULES)
		line_str(&s->line, "     image   vmalloc");
	sheet_emit(s);
}

/* What the figures of a row do not tell. */
static void put_remark(struct sheet *s, const struct shown *r)
{
	const struct ledger *g = s->r->ledger;
	const char *state = row_state(g, r->table, r->row);
	uint64_t rss;

	if (strcmp(state, "live")) {
		line_str(&s->line, "  ");
		line_str(&s->line, state);
	}
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

static void text_module(struct sheet *s, uint32_t row)
{
	line_str(&s->line, " [");
	text_name(s, row_name(s->r->ledger, TABLE_MODULES, row), LINE_BYTES);
	line_char(&s->line, ']');
}

static void show_row(struct sheet *s, const struct shown *r)
{
	const struct ledger *g = s->r->ledger;
	int fixed = row_is_fixed(r->table, r->row);

	text_name(s, row_name(g, r->table, r->row), LINE_BYTES);
	if (r->table == TABLE_TASKS && !fixed)
		line_fill(&s->line, "[%u]",
			  (const uint64_t[]){ g->tasks.row[r->row].tid });
	if (r->table == TABLE_CALLERS && g->areas.caller[r->row].module)
		text_module(s, g->areas.caller[r->row].module);
	put_pages(s, r->pages);
	if (!fixed && r->table != TABLE_CALLERS)
		put_remark(s, r);
	sheet_emit(s);
}

/* Innermost first, as many frames a line as fit. */
static void put_frames(struct sheet *s, uint32_t leaf)
{
	const struct stacks *k = &s->r->ledger->stacks;

	for (uint32_t i = leaf; i >= k->roots; i = stack_parent(&k->node[i])) {
		struct line frame = { 0 };

		sheet_frame(s, &frame, k->node[i].addr, ESCAPE_TEXT);
		if (i != leaf && s->line.len + 3 + frame.len > LINE_COLUMNS)
			sheet_emit(s);
		line_pad(&s->line, s->line.len ? 0 : FRAMES_INDENT);
		if (i != leaf)
			line_str(&s->line, "< ");
		line_append(&s->line, &frame);
	}
	sheet_emit(s);
}

static void show_stack(struct sheet *s, const struct shown *k)
{
	const struct ledger *g = s->r->ledger;
	int framed = k->leaf != NO_LEAF && k->leaf >= g->stacks.roots;

	line_fill(&s->line, framed ? "  stack %u of %u" :
		  "  stack %u of %u: none",
		  (const uint64_t[]){ k->index, k->count });
	put_pages(s, k->pages);
	if (!framed && k->leaf != NO_LEAF) {
		line_char(&s->line, ' ');
		text_module(s, k->leaf);
	} else if (!framed && k->table == TABLE_TASKS && !g->owners.full) {
		line_str(&s->line, "  first touches of anonymous memory");
	}
	sheet_emit(s);
	if (framed)
		put_frames(s, k->leaf);
}

static void show_others(struct sheet *s, const struct shown *other)
{
	static const char more[TABLES][24] = {
		"... and %u more modules", "... and %u more callers",
		"... and %u more tasks",
	};

	line_fill(&s->line, other->kind == SHOWN_OTHER_STACKS ?
		  "  ... and %u more stacks" : more[other->table],
		  (const uint64_t[]){ other->count });
	put_pages(s, other->pages);
	sheet_emit(s);
}

static void show(void *context, const struct shown *shown)
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
	default:
		show_others(s, shown);
	}
}

static void finish(struct sheet *s)
{
	const uint64_t *frames = &s->count[SHEET_FRAMES];

	if (s->count[SHEET_UNNAMED])
		text_line(s, s->count[SHEET_UNNAMED] == *frames ?
			  "note    of %u frames %u have no name: none to be "
			  "had (kptr_restrict)" :
			  "note    of %u frames %u have no name: code that is "
			  "gone, or raise rd.memstrack.mem", frames);
	text_line(s, "memstrack " MEMSTRACK_VERSION ": end of report, %u lines",
		  s->count);
}

void report_text(const struct report *r, struct out *o)
{
	struct sheet s = { 0 };

	sheet_start(&s, r, o);
	text_head(&s);
	select_walk(r, show, &s);
	text_tail(&s);
	finish(&s);
}
