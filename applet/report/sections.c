/*
 * The report in the shape of the older memstrack, for scripts that read that:
 * markers around each section, its lines between.
 *
 * Figures are ours: a node of a tree is a stack that has held pages, printed
 * from the outermost frame in, so that each figure is one that was counted. A
 * tree of frames that stacks share would need sums of peaks.
 */
#include <string.h>
#include "../boot/sections.h"
#include "../source/session.h"
#include "sheet.h"

#define SLAB_COLUMNS 17

struct part {
	struct sheet *s;
	struct section section;
	unsigned int rows, stacks;	/* of the row, so far */
};

static int is_json(const struct part *p)
{
	return p->section.type == SECTION_TASK_TOP_JSON;
}

/* A node of a tree: its name goes between. */
static void begin_node(struct part *p, unsigned int depth)
{
	struct line *l = &p->s->line;

	while (depth--)
		line_str(l, "  ");
	if (is_json(p))
		line_char(l, '"');
}

static void end_node(struct part *p, const uint64_t *pages, int is_leaf)
{
	line_fill(&p->s->line, !is_json(p) ? " Pages: %u (peak: %u)" :
		  "\": {\"pages_alloc\": %u, \"pages_alloc_peak\": %u", pages);
	if (is_json(p) && !is_leaf)
		line_str(&p->s->line, ", \"tracenodes\": {");
	sheet_emit(p->s);
}

/* From the outermost frame in; returns the depth of the last. */
static unsigned int put_chain(struct part *p, const struct shown *k,
			      uint32_t node)
{
	const struct stacks *stacks = &p->s->ledger->stacks;
	unsigned int depth;

	if (node < stacks->roots || node == NO_LEAF)
		return 2;
	depth = put_chain(p, k, stack_parent(&stacks->node[node])) + 1;
	begin_node(p, depth);
	sheet_frame(p->s, stacks->node[node].addr);
	end_node(p, k->pages, node == k->leaf);
	return depth;
}

/* What a row has beside its stacks has no peak that was counted. */
static void show_stack(struct part *p, const struct shown *k)
{
	const int framed = k->leaf != NO_LEAF &&
			   k->leaf >= p->s->ledger->stacks.roots;
	unsigned int depth;

	if (k->pages[PAGES_PEAK] == UNKNOWN)
		return;
	if (is_json(p) && p->stacks++)
		line_char(&p->s->line, ',');
	begin_node(p, 2);
	line_fill(&p->s->line, framed ? "stack %u of %u" :
		  "stack %u of %u: none",
		  (const uint64_t[]){ k->index, k->count });
	end_node(p, k->pages, !framed);
	depth = put_chain(p, k, k->leaf);
	if (!is_json(p))
		return;
	while (depth-- > 2)
		line_str(&p->s->line, "}}");
	sheet_line(p->s, "}", NULL);
}

static void end_rows(struct part *p)
{
	if (is_json(p) && p->rows)
		sheet_line(p->s, "}}", NULL);
}

static void show_row(struct part *p, const struct shown *r)
{
	static const char texts[] =
		/* before the name, behind it, and for the pages */
		"Module \0" "\0" " using %M, peak allocation %M\0"
		"Top stack usage of module \0" ":\0" "\0"
		"Task \0" " (%u)\0" " using %u pages, peak usage %u pages\0"
		"\0" "\0" " Pages: %u (peak: %u)\0"
		"{\"task_name\": \"\0" "\", \"pid\" :\"%u\"\0"
		", \"pages_alloc\": %u, \"pages_alloc_peak\": %u, "
			"\"tracenodes\": {";
	const struct ledger *g = p->s->ledger;
	const char *text = text_at(texts, 3 * p->section.type);
	struct line *l = &p->s->line;
	const uint64_t tid = g->tasks.row[r->row].tid;

	end_rows(p);
	if (p->rows++ && is_json(p))
		line_char(l, ',');
	p->stacks = 0;
	line_str(l, text);
	line_name(l, row_name(g, r->table, r->row), LINE_BYTES);
	text = text_after(text);
	line_fill(l, text, &tid);
	sheet_line(p->s, text_after(text), r->pages);
}

/* Pages of no module have no row there. */
static void show(void *context, const struct shown *shown)
{
	struct part *p = context;

	if (shown->table == TABLE_MODULES &&
	    row_is_fixed(TABLE_MODULES, shown->row))
		return;
	if (shown->kind == SHOWN_ROW)
		show_row(p, shown);
	if (shown->kind == SHOWN_STACK)
		show_stack(p, shown);
}

static void show_slabs(struct sheet *s)
{
	struct slab slab = { .pages = UINT64_MAX };

	if (!s->r->next_slab) {
		sheet_line(s, "(not recorded)", NULL);
		return;
	}
	sheet_line(s, "Top Slab Usage:", NULL);
	while (s->r->next_slab(&slab)) {
		const uint64_t tenths = (slab.pages * s->line.page_kib * 10 +
					 512) / 1024;
		size_t len = strnlen(slab.name, SLAB_COLUMNS);

		while (len++ < SLAB_COLUMNS)
			line_char(&s->line, ' ');
		line_name(&s->line, slab.name, sizeof(slab.name));
		sheet_line(s, ": %m MB", &tenths);
	}
}

static void put_marker(struct part *p, const char *end)
{
	struct line *l = &p->s->line;

	line_str(l, "======== Report format ");
	line_name(l, p->section.name, p->section.name_len);
	line_str(l, end);
	sheet_emit(p->s);
}

static void put_section(struct part *p)
{
	struct sheet *s = p->s;
	const struct report part = select_section(s->r, &p->section);

	p->rows = 0;
	sheet_emit(s);
	put_marker(p, ": ========");
	s->line.escape = is_json(p) ? ESCAPE_JSON : ESCAPE_TEXT;
	if (is_json(p))
		sheet_line(s, "[", NULL);
	if (p->section.type == SECTION_SLAB)
		show_slabs(s);
	else
		select_walk(&part, show, p);
	end_rows(p);
	if (is_json(p))
		sheet_line(s, "]", NULL);
	s->line.escape = ESCAPE_TEXT;
	put_marker(p, " END ========");
}

static void write_sections(struct sheet *s)
{
	const uint64_t lost = s->ledger->total.lost;
	struct part p = { .s = s };
	const char *at;

	if (lost)
		sheet_line(s, "(%u records lost: figures may be too high or "
			   "too low)", &lost);
	for (at = s->r->sections; at && !section_next(&at, &p.section);)
		put_section(&p);
}

void report_sections(const struct report *r, struct out *o)
{
	sheet_report(r, o, ESCAPE_TEXT, write_sections);
}

void report_write(const struct report *r, enum format format, struct out *o)
{
	if (r->sections && r->sections[0])
		report_sections(r, o);
	else if (format == FORMAT_JSON)
		report_json(r, o);
	else
		report_text(r, o);
}
