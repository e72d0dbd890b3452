/*
 * The report for people: a head, modules, tasks, the stacks of each.
 *
 * Lines are mostly under 100 columns, numbers right-aligned under their
 * headings. The last line says how many came before it, so that a report that
 * was cut off is seen to be.
 */
#include "text.h"

#define NAME_COLUMN 34		/* first figure ends 10 further */
#define FIGURE_COLUMNS 10
#define FRAMES_INDENT 6
#define LINE_COLUMNS 98

void text_emit(struct text *t)
{
	t->out->line(t->out, t->line.text, t->line.len);
	t->lines++;
	line_start(&t->line);
}

void text_put(struct text *t, const char *template, const uint64_t *value)
{
	line_fill(&t->line, template, value);
}

void text_name(struct text *t, const char *name, size_t size)
{
	line_name(&t->line, name, size, LINE_BYTES, ESCAPE_TEXT);
}

static uint64_t kib(const struct text *t, uint64_t pages)
{
	return pages_kib(t->r, pages);
}

/* column: 1 now, 2 peak, 3 at peak. */
static void put_figure(struct text *t, size_t column, uint64_t pages)
{
	size_t from;

	line_char(&t->line, ' ');
	from = t->line.len;
	text_put(t, "%k", (const uint64_t[]){ kib(t, pages) });
	line_right(&t->line, from, NAME_COLUMN + column * FIGURE_COLUMNS);
}

static void visit_table(struct visitor *v, enum table table)
{
	struct text *t = (struct text *)v;

	line_str(&t->line, table == TABLE_MODULES ? "module" : "task");
	line_pad(&t->line, NAME_COLUMN);
	line_str(&t->line, "       now      peak   at peak");
	text_emit(t);
}

static void task_remark(struct text *t, const struct task *k)
{
	if (k->state == TASK_EXITED)
		line_str(&t->line, "  exited");
	if (k->rss_start_pages)
		text_put(t, "  had %k at start",
			 (const uint64_t[]){ kib(t, k->rss_start_pages) });
}

/* What the figures of a row do not tell. */
static void module_remark(struct text *t, const struct module *m)
{
	static const char remarks[][16] = {
		[MODULE_LOADING] = "  loading",
		[MODULE_FAILED] = "  failed load",
		[MODULE_GONE] = "  gone",
	};

	if (m->state >= ARRAY_LEN(remarks))
		return;
	line_str(&t->line, remarks[m->state]);
	if (m->pages.now && (m->state == MODULE_FAILED ||
			     m->state == MODULE_GONE))
		text_put(t, m->pages.now == 1 ? ", still holds %u page" :
			 ", still holds %u pages",
			 (const uint64_t[]){ m->pages.now });
}

static void visit_row(struct visitor *v, const struct shown_row *r)
{
	struct text *t = (struct text *)v;
	const struct ledger *g = t->r->ledger;
	int fixed = row_is_fixed(r->table, r->row);
	size_t size;
	const char *name = row_name(g, r->table, r->row, &size);

	text_name(t, name, size);
	if (r->table == TABLE_TASKS && !fixed)
		text_put(t, "[%u]",
			 (const uint64_t[]){ g->tasks.row[r->row].tid });
	line_pad(&t->line, NAME_COLUMN);
	put_figure(t, 1, r->now);
	put_figure(t, 2, r->peak);
	put_figure(t, 3, r->at_peak);
	if (r->table == TABLE_TASKS && !fixed)
		task_remark(t, &g->tasks.row[r->row]);
	else if (!fixed)
		module_remark(t, &g->modules.row[r->row]);
	text_emit(t);
}

/* Innermost first, as many frames a line as fit. */
static void put_frames(struct text *t, uint32_t leaf)
{
	const struct stacks *s = &t->r->ledger->stacks;
	struct line frame;

	for (uint32_t i = leaf; i >= s->roots; i = stack_parent(&s->node[i])) {
		line_start(&frame);
		t->frames++;
		t->unnamed += !frame_write(&frame, t->r, s->node[i].addr,
					   ESCAPE_TEXT);
		if (i != leaf && t->line.len + 3 + frame.len > LINE_COLUMNS)
			text_emit(t);
		if (!t->line.len)
			line_pad(&t->line, FRAMES_INDENT);
		else
			line_char(&t->line, ' ');
		if (i != leaf)
			line_str(&t->line, "< ");
		for (size_t n = 0; n < frame.len; n++)
			line_char(&t->line, frame.text[n]);
	}
	text_emit(t);
}

static void visit_stack(struct visitor *v, const struct shown_row *r,
			const struct shown_stack *s)
{
	struct text *t = (struct text *)v;
	const struct ledger *g = t->r->ledger;
	int framed = s->leaf != NO_LEAF && s->leaf >= g->stacks.roots;

	text_put(t, framed ? "  stack %u of %u" : "  stack %u of %u: none",
		 (const uint64_t[]){ s->index, s->count });
	line_pad(&t->line, NAME_COLUMN);
	put_figure(t, 1, s->now);
	if (s->peak_known)
		put_figure(t, 2, s->peak);
	if (!framed && s->leaf != NO_LEAF) {
		size_t size;
		const char *name = row_name(g, TABLE_MODULES, s->leaf, &size);

		text_put(t, "  [", NULL);
		text_name(t, name, size);
		line_char(&t->line, ']');
	} else if (!framed && r->table == TABLE_TASKS && !g->owners.full) {
		text_put(t, "  first touches of anonymous memory", NULL);
	}
	text_emit(t);
	if (framed)
		put_frames(t, s->leaf);
}

static void visit_rest(struct visitor *v, enum table table,
		       const struct shown_row *r,
		       const struct shown_rest *rest)
{
	struct text *t = (struct text *)v;

	text_put(t, r ? "  ... and %u more stacks" : table == TABLE_MODULES ?
		 "... and %u more modules" : "... and %u more tasks",
		 (const uint64_t[]){ rest->count });
	line_pad(&t->line, NAME_COLUMN);
	put_figure(t, 1, rest->now);
	if (!r)
		put_figure(t, 3, rest->at_peak);
	text_emit(t);
}

static void finish(struct text *t)
{
	if (t->unnamed) {
		text_put(t, "note    %u of %u frames have no name: ",
			 (const uint64_t[]){ t->unnamed, t->frames });
		line_str(&t->line, t->unnamed == t->frames ?
			 "names were not to be had (kptr_restrict)" :
			 "code that is gone, or no room for more names "
			 "(rd.memstrack.mem)");
		text_emit(t);
	}
	text_put(t, "memstrack " MEMSTRACK_VERSION ": end of report, %u lines",
		 (const uint64_t[]){ t->lines });
	text_emit(t);
}

void report_text(const struct report *r, struct out *o)
{
	struct text t = {
		.visitor = { visit_table, visit_row, visit_stack, visit_rest },
		.r = r, .out = o,
	};

	text_head(&t);
	select_walk(r, &t.visitor);
	finish(&t);
}
