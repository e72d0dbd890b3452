/* SPDX-License-Identifier: MIT */
/*
 * A report in any format, or a part of it; and the shortest format.
 *
 * That is the whole answer in one line, for places with little room: a network
 * console, a line of a log that a program reads, what pstore keeps of a panic.
 *
 * The lines of the answer stand in it one after another, " | " between them,
 * then the largest modules and tasks. What does not fit is left out, as a whole
 * piece, and counted. When memory runs out this line is written instead of the
 * report; it is one record of the kernel's log.
 */
#include "report/report.h"
#include "report/parts.h"

#define BETWEEN " | "
/* For the number of pieces that are left out. */
#define LEFT_OUT_ROOM 40u

struct joiner {
	struct out out;			/* first: a joiner is an out */
	struct line line;
	uint64_t left_out;
	char text[LINE_BYTES];
};

/* Columns become single spaces. */
static void join(struct out *o, const char *text, size_t len)
{
	struct joiner *j = (struct joiner *)o;

	if (j->line.len + len + sizeof(BETWEEN) + LEFT_OUT_ROOM > LINE_BYTES) {
		j->left_out++;
		return;
	}
	line_str(&j->line, j->line.len ? BETWEEN : "");
	for (size_t i = 0; i < len; i++)
		if (text[i] != ' ' || (i && text[i - 1] != ' '))
			line_char(&j->line, text[i]);
}

static void put_largest(struct sheet *s, const struct verdict *v, enum table t)
{
	const struct largest *k = t == TABLE_TASKS ? v->at.task : v->at.module;
	const char *before = t == TABLE_TASKS ? "tasks " : "modules ";

	for (uint32_t i = 0; i < LARGEST && k[i].pages; i++) {
		line_str(&s->line, i ? ", " : before);
		row_write(&s->line, s->ledger, t, k[i].row);
		line_value(&s->line, " %p", k[i].pages);
	}
	if (s->line.len)
		sheet_emit(s);
}

static void brief(struct sheet *s)
{
	struct verdict v;

	s->columns = 0;
	text_verdict(s);
	verdict_get(s->r, &v);
	put_largest(s, &v, TABLE_MODULES);
	put_largest(s, &v, TABLE_TASKS);
	if (!is_sampled(s->ledger)) {
		sheet_figures(s, "traced %p now, most %p at %t",
			      FIGURE_NOW_PAGES, FIGURE_PEAK_PAGES,
			      FIGURE_PEAK_NS);
		sheet_emit(s);
	}
}

void report_brief(const struct report *r, struct out *o)
{
	struct joiner j = { .out.line = join, .line.text = j.text };
	struct report whole = *r;

	if (is_oom(r) && !r->names_wait) {
		report_oom_collect(r);
		r->name(r->context);
	}
	whole.lines_max = 0;
	sheet_report(&whole, &j.out, ESCAPE_TEXT, brief);
	if (j.left_out)
		line_fill(&j.line, BETWEEN "%u more had no room", &j.left_out);
	o->line(o, j.line.text, j.line.len);
}

void report_write(const struct report *r, enum format format, struct out *o)
{
	if (has_feature(FEATURE_SECTIONS) && r->sections && r->sections[0])
		report_sections(r, o);
	else if (format > FORMAT_LINE || of_books(r->ledger))
		report_write_of_host(r, format, o);
	else if (format == FORMAT_LINE)
		report_brief(r, o);
	else if (has_feature(FEATURE_JSON) && format == FORMAT_JSON)
		report_json(r, o);
	else
		report_text(r, o);
}

static void objects(struct sheet *s)
{
	slab_write(s);
	if (sheet_is_json(s))
		json_finish(s);
	else
		text_finish(s);
}

void report_objects(const struct report *r, enum format format, struct out *o)
{
	const int json = has_feature(FEATURE_JSON) && format == FORMAT_JSON;

	sheet_report(r, o, json ? ESCAPE_JSON : ESCAPE_TEXT, objects);
}
