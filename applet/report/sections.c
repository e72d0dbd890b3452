/* SPDX-License-Identifier: MIT */
/*
 * The report in the format of the older memstrack, for scripts that read it:
 * markers around each section, its lines between them.
 *
 * The figures are ours. A node of the printed tree is a stack that has held
 * pages, printed from the outermost frame inwards, so each figure was really
 * counted. A tree of frames shared by several stacks would need sums of peaks.
 */
#include <string.h>
#include "report/parts.h"
#include "report/report.h"
#include "source/event.h"

#define SLAB_COLUMNS 17

int part_next(const struct report *r, const char **at, struct section *n,
	      struct report *part)
{
	static const unsigned char levels[] = {
		[SECTION_MODULE_SUMMARY] = 1,
		[SECTION_MODULE_TOP] = 2,
		[SECTION_TASK_SUMMARY] = 1,
		[SECTION_TASK_TOP] = 3,
		[SECTION_TASK_TOP_JSON] = 3,
		[SECTION_SLAB] = 3,
	};

	if (!*at || section_next(at, n))
		return 0;
	*part = *r;
	/* With the rows all stacks are printed: 2 becomes 3. */
	part->level = levels[n->type] | (n->top != 0);
	part->top = n->top ? n->top : UINT32_MAX;
	part->order = n->by_peak ? BY_PEAK : BY_NOW;
	part->without_tables = n->type == SECTION_SLAB ? ~0u :
			       ~(1u << TABLE_TASKS);
	if (n->type == SECTION_MODULE_SUMMARY ||
	    n->type == SECTION_MODULE_TOP) {
		part->without_tables = ~(1u << TABLE_MODULES);
		/* The older program has no row for pages of no module. */
		part->first_row = MODULES_FIXED;
		part->throttle_percent = 100;
	}
	if (n->throttle_percent)
		part->throttle_percent = n->throttle_percent;
	return 1;
}

struct part {
	struct sheet *s;
	struct section section;
	unsigned int rows, stacks;	/* of the current row, so far */
};

static int is_json(const struct part *p)
{
	return p->s->line.escape == ESCAPE_JSON;
}

static void put(struct part *p, const char *text)
{
	line_str(&p->s->line, text);
}

/* Ends the line after the name of a node or task. */
static void end_node(struct part *p, const uint64_t *pages, int is_leaf)
{
	line_fill(&p->s->line, !is_json(p) ? " Pages: %u (peak: %u)" :
		  "\"pages_alloc\": %u, \"pages_alloc_peak\": %u", pages);
	if (is_json(p) && !is_leaf)
		put(p, ", \"tracenodes\": {");
	sheet_emit(p->s);
}

/* From the outermost frame inwards. Pages of a row without a stack have no
 * counted peak. */
static void show_stack(struct part *p, const struct shown *k)
{
	const struct stacks *stacks = &p->s->ledger->stacks;
	uint32_t frames[CHAIN_FRAMES_MAX], frame = k->leaf, count = 0;
	unsigned int depth = 2;

	if (k->value[PAGES_PEAK] == UNKNOWN)
		return;
	trim_probe(p->s, &frame);
	if (is_json(p) && p->stacks++)
		put(p, ",");
	do {
		for (unsigned int i = 0; i < depth; i++)
			put(p, "  ");
		if (is_json(p))
			put(p, "\"");
		if (depth > 2)
			sheet_frame(p->s, stacks->node[frames[--count]].addr);
		else if (sheet_stack(p->s, k))
			for (; frame >= stacks->roots; frame =
			     stack_parent(&stacks->node[frame]))
				frames[count++] = frame;
		if (is_json(p))
			put(p, "\": {");
		end_node(p, k->value, !count);
		depth++;
	} while (count);
	if (!is_json(p))
		return;
	while (depth-- > 3)
		put(p, "}}");
	sheet_line(p->s, "}", NULL);
}

/* Was there a row before? Then a comma comes before the next. */
static int end_row(struct part *p)
{
	const int was_one = is_json(p) && p->rows;

	if (was_one)
		sheet_line(p->s, "}}", NULL);
	return was_one;
}

/* The texts around the name of a row, and then around its pages; NULL: as for a
 * node. */
static const struct row_texts {
	const char *before, *behind, *pages;
} row_texts[] = {
	[SECTION_MODULE_SUMMARY] = {
		.before = "Module ",
		.behind = "",
		.pages = " using %M, peak allocation %M",
	},
	[SECTION_MODULE_TOP] = {
		.before = "Top stack usage of module ",
		.behind = ":",
		.pages = "",
	},
	[SECTION_TASK_SUMMARY] = {
		.before = "Task ",
		.behind = " (%u)",
		.pages = " using %u pages, peak usage %u pages",
	},
	[SECTION_TASK_TOP] = { .before = "", .behind = "", .pages = NULL },
	[SECTION_TASK_TOP_JSON] = {
		.before = "{\"task_name\": \"",
		.behind = "\", \"pid\" :\"%u\", ",
		.pages = NULL,
	},
};

static void show_row(struct part *p, const struct shown *r)
{
	const struct ledger *g = p->s->ledger;
	const struct row_texts *t = &row_texts[p->section.type];
	struct line *l = &p->s->line;
	const char *name = row_name(g, r->table, r->row);
	const uint64_t tid = r->table == TABLE_TASKS ?
			     g->tasks.row[r->row].tid : 0;

	if (end_row(p))
		put(p, ",");
	p->rows++;
	p->stacks = 0;
	line_str(l, t->before);
	line_name(l, *name || !of_books(g) ? name : "unknown");
	line_fill(l, t->behind, &tid);
	if (is_json(p) && is_sampled(p->s->ledger))
		put(p, "\"sampled\": 1, ");
	if (t->pages)
		sheet_line(p->s, t->pages, r->value);
	else
		end_node(p, r->value, 0);
}

/* A book has no peaks: what was held when it was written is the most known. */
static void show(void *context, const struct shown *shown)
{
	struct part *p = context;
	struct shown k = *shown;

	if (p->s->ledger->books.on)
		k.value[PAGES_PEAK] = k.value[PAGES_NOW];
	if (k.kind == SHOWN_ROW)
		show_row(p, &k);
	if (k.kind == SHOWN_STACK)
		show_stack(p, &k);
}

/* Slab caches, those with most pages first. */
struct slabs {
	struct slab row[SLABS_SHOWN];
	uint32_t count;
	uint64_t left_out;
};

/* Finds the place among the larger ones, and those as large that came before. */
static void keep_slab(void *context, const struct slab *s)
{
	struct slabs *k = context;
	uint32_t at = k->count;

	while (at && k->row[at - 1].pages < s->pages)
		at--;
	if (k->count < SLABS_SHOWN)
		k->count++;
	else
		k->left_out++;
	if (at == SLABS_SHOWN)
		return;
	memmove(&k->row[at + 1], &k->row[at],
		(k->count - 1 - at) * sizeof(k->row[0]));
	k->row[at] = *s;
}

static void show_slabs(struct sheet *s)
{
	struct slabs slabs;

	slabs.count = 0;
	slabs.left_out = 0;
	if (!s->r->each_slab) {
		sheet_line(s, "(not recorded)", NULL);
		return;
	}
	sheet_line(s, "Top Slab Usage:", NULL);
	s->r->each_slab(keep_slab, &slabs);
	for (const struct slab *k = slabs.row; k < slabs.row + slabs.count;
	     k++) {
		const uint64_t tenths = (k->pages * s->line.page_kib * 10 +
					 512) / 1024;
		size_t len = strnlen(k->name, SLAB_COLUMNS);

		while (len++ < SLAB_COLUMNS)
			line_char(&s->line, ' ');
		line_name(&s->line, k->name);
		sheet_line(s, ": %m MB", &tenths);
	}
	if (slabs.left_out)
		sheet_line(s, "(and %u smaller ones)", &slabs.left_out);
}

static void put_marker(struct part *p, const char *end)
{
	struct line *l = &p->s->line;

	line_str(l, "======== Report format ");
	line_name_within(l, p->section.name, p->section.name_len, LINE_BYTES);
	line_str(l, end);
	sheet_emit(p->s);
}

/* JSON says it in each row. */
static void put_sampled(struct part *p)
{
	static const char *const texts[] = {
		[SECTION_MODULE_SUMMARY] = "(sampled: images)",
		[SECTION_MODULE_TOP] = "(sampled: images, no stacks)",
		[SECTION_TASK_SUMMARY] = "(sampled: RSS)",
		[SECTION_TASK_TOP] = "(sampled: RSS, no stacks)",
		[SECTION_SLAB] = "(sampled)",
	};

	if (is_sampled(p->s->ledger) && !is_json(p))
		sheet_line(p->s, texts[p->section.type], NULL);
}

static void put_section(struct part *p, const struct report *part)
{
	struct sheet *s = p->s;

	p->rows = 0;
	sheet_emit(s);
	put_marker(p, ": ========");
	if (p->section.type == SECTION_TASK_TOP_JSON)
		s->line.escape = ESCAPE_JSON;
	put_sampled(p);
	if (is_json(p))
		sheet_line(s, "[", NULL);
	if (p->section.type == SECTION_SLAB)
		show_slabs(s);
	else
		select_walk(part, show, p);
	end_row(p);
	if (is_json(p))
		sheet_line(s, "]", NULL);
	s->line.escape = ESCAPE_TEXT;
	put_marker(p, " END ========");
}

static void write_sections(struct sheet *s)
{
	const uint64_t lost = s->ledger->total.lost;
	struct part p = { .s = s };
	const char *at = s->r->sections;
	struct report part;

	s->columns = 0;
	if (lost)
		sheet_line(s, "(%u records lost)", &lost);
	while (part_next(s->r, &at, &p.section, &part))
		put_section(&p, &part);
	s->last = 1;
	if (s->value[FIGURE_CUT]) {
		put(&p, "(cut)");
		sheet_line(s, MORE_NOT_WRITTEN, &s->value[FIGURE_CUT]);
	}
}

void report_sections(const struct report *r, struct out *o)
{
	sheet_report(r, o, ESCAPE_TEXT, write_sections);
}
