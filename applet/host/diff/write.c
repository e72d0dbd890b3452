/* SPDX-License-Identifier: MIT */
/*
 * The difference, as text or as one JSON object a line: its head, then a table
 * for each kind of row, the largest change first.
 */
#include <string.h>
#include "host/diff/diff.h"
#include "report/report.h"

#define NAME_COLUMN_END 36	/* the first figure ends FIGURE_WIDTH columns on */
#define FIGURE_WIDTH 10
#define NAME_ROOM 400u

static const struct { const char *key, *title; } tables[DIFF_TABLES] = {
	[DIFF_TOTAL] = { "total", "all memory" },
	[DIFF_MODULE] = { "module", "module" },
	[DIFF_IMAGE] = { "image", "image of a module" },
	[DIFF_VMALLOC] = { "vmalloc", "vmalloc of a module" },
	[DIFF_TASK] = { "task", "task  (all of one name)" },
	[DIFF_KIND] = { "kind", "kind" },
	[DIFF_INITCALL] = { "initcall", "initcall" },
	[DIFF_SITE] = { "slab", "slab objects by function" },
	[DIFF_SLAB_CACHE] = { "slab_cache", "slab objects by cache" },
	[DIFF_CACHE] = { "cache", "slab cache" },
	[DIFF_BEFORE] = { "before", "used before tracing" },
	[DIFF_TAG] = { "before_tag", "tags before tracing" },
	[DIFF_RAM] = { "ram", "ram  (at the report)" },
};

/* --- tables */

/* Rounded half away from 0. */
static int64_t kib(int64_t bytes)
{
	return bytes < 0 ? -((512 - bytes) / 1024) : (bytes + 512) / 1024;
}

static void json_bound(struct sheet *s, const char *key, const struct span *k)
{
	if (k->most != k->least)
		json_signed(s, key, k->most == NO_BOUND ? NO_VALUE :
			    kib(k->most));
}

static void json_row(struct sheet *s, const struct diff_row *row,
		     const struct change *c)
{
	const struct span *before = &c->side[BEFORE], *after = &c->side[AFTER];

	json_begin(s, "diff");
	json_string(s, "table", tables[row->table].key, DIFF_TEXT_ROOM);
	line_text(&s->line, "name", diff_of(s)->rows.names + row->name,
		  row->name_len, JSON_NAME_ROOM);
	json_signed(s, "before_kib", before->known ? kib(before->least) :
		    NO_VALUE);
	json_signed(s, "after_kib", after->known ? kib(after->least) :
		    NO_VALUE);
	json_string(s, "change", change_word(c), DIFF_TEXT_ROOM);
	json_bound(s, "before_at_most_kib", before);
	json_bound(s, "after_at_most_kib", after);
	json_end(s);
}

/* 512B, 12K, 3.4M; objects of slab are of a few bytes. */
static void put_bytes(struct line *l, int64_t bytes, const char *plus)
{
	const uint64_t size = (uint64_t)(bytes < 0 ? -bytes : bytes);

	line_str(l, bytes < 0 ? "-" : bytes ? plus : "");
	line_fill(l, size % 1024 && size < 10000 ? "%uB" : "%b", &size);
}

static size_t column_end(unsigned int figure)
{
	return NAME_COLUMN_END + (figure + 1) * FIGURE_WIDTH;
}

/* The figure after `before` and `after` is the change. */
static void put_figures(struct line *l, const struct change *c)
{
	for (unsigned int i = 0; i <= SIDES; i++) {
		const struct span *s = &c->side[i % SIDES];
		const size_t from = l->len;

		if (!s->known || (i == SIDES && !c->side[AFTER].known))
			line_char(l, '?');
		else if (i == SIDES)
			put_bytes(l, c->grown, "+");
		else if (!s->there)
			line_char(l, '-');
		else
			put_bytes(l, s->least, "");
		line_right(l, from, column_end(i));
	}
}

/* "at most 1.2M, 3.4M": where the figures are of one instant, and more may have
 * been held at another. */
static void put_bounds(struct line *l, const struct change *c)
{
	const char *before = "  at most ";

	if (c->side[BEFORE].least == c->side[BEFORE].most &&
	    c->side[AFTER].least == c->side[AFTER].most)
		return;
	for (unsigned int i = 0; i < SIDES; i++) {
		line_str(l, before);
		before = ", ";
		if (c->side[i].most == NO_BOUND)
			line_char(l, '?');
		else
			put_bytes(l, c->side[i].most, "");
	}
}

static void put_row_name(struct sheet *s, const struct diff_row *row)
{
	line_name_within(&s->line, diff_of(s)->rows.names + row->name,
			 row->name_len, NAME_ROOM);
}

static void text_row(struct sheet *s, const struct diff_row *row,
		     const struct change *c)
{
	struct line *l = &s->line;

	put_row_name(s, row);
	put_figures(l, c);
	if (!c->side[BEFORE].known || !c->side[AFTER].known) {
		line_str(l, "  not known ");
		line_str(l, diff_sides[c->side[BEFORE].known]);
	} else if (!c->side[BEFORE].there || !c->side[AFTER].there) {
		line_str(l, "  ");
		line_str(l, change_word(c));
	}
	put_bounds(l, c);
	sheet_emit(s);
}

static void put_title(struct sheet *s, enum diff_table t)
{
	line_str(&s->line, tables[t].title);
	for (unsigned int i = 0; i <= SIDES; i++)
		line_figure(&s->line, column_end(i), i == SIDES ? "change" :
			    diff_sides[i], 0);
	sheet_emit(s);
}

static void put_not_compared(struct sheet *s, enum diff_table t,
			     enum diff_side side, const char *why)
{
	if (diff_is_json(s)) {
		json_begin(s, "diff_none");
		json_string(s, "table", tables[t].key, DIFF_TEXT_ROOM);
		json_string(s, "of", diff_sides[side], DIFF_TEXT_ROOM);
		json_string(s, "why", why, DIFF_TEXT_ROOM);
		json_end(s);
		return;
	}
	line_str(&s->line, tables[t].title);
	line_str(&s->line, ": not compared, ");
	line_str(&s->line, !strcmp(why, "none") ?
		 "the report does not have it: " : why);
	line_str(&s->line, !strcmp(why, "sampled") ? " only " :
		 !strcmp(why, "none") ? "" : " ");
	line_str(&s->line, diff_sides[side]);
	sheet_emit(s);
}

/* The rows that are not shown. Without a row that is shown, the line names the
 * table. */
static void put_left(struct sheet *s, enum diff_table t,
		     const struct left *left, int is_only)
{
	const int some_known = left->unknown < left->rows;
	struct line *l = &s->line;

	if (diff_is_json(s)) {
		const int64_t value[] = {
			left->rows, left->unknown, kib(left->grew),
			kib(left->shrank),
		};

		json_begin(s, "diff_left");
		json_string(s, "table", tables[t].key, DIFF_TEXT_ROOM);
		line_numbers(l, "%i", "rows unknown grew_kib shrank_kib",
			     (const uint64_t *)value);
		json_end(s);
		return;
	}
	line_str(l, is_only ? tables[t].title : "... and more");
	line_value(l, ": %u row%s, ", left->rows);
	if (left->grew)
		put_bytes(l, left->grew, "+");
	line_str(l, left->grew && left->shrank ? ", " : "");
	if (left->shrank)
		put_bytes(l, left->shrank, "");
	line_str(l, some_known ? " together" : "");
	if (left->unknown)
		line_value(l, some_known ? "; %u unknown" : "all unknown",
			   left->unknown);
	sheet_emit(s);
}

static void put_table(struct sheet *s, enum diff_table t)
{
	struct diff *d = diff_of(s);
	enum diff_side side;
	const char *why = why_not(d, t, &side);
	struct left left;
	uint32_t rows;

	if (why) {
		if (*why)
			put_not_compared(s, t, side, why);
		return;
	}
	rows = diff_rank(d, t, &left);
	if (rows && !diff_is_json(s))
		put_title(s, t);
	for (uint32_t i = 0; i < rows; i++) {
		const struct diff_row *row = &d->rows.row[d->order[i]];
		struct change c;

		change_get(d, row, &c);
		(diff_is_json(s) ? json_row : text_row)(s, row, &c);
	}
	if (left.rows)
		put_left(s, t, &left, !rows);
}

/* --- the end */

static void end_text(struct sheet *s, const struct judged *j)
{
	const struct config *k = &diff_of(s)->config;
	struct line *l = &s->line;
	struct change c;

	if (k->fail_bytes != UINT32_MAX) {
		line_str(l, j->failed ? "FAILED  " : j->certain ? "passed  " :
			 "UNSURE  ");
		if (j->failed)
			line_value(l, "%u row%s grew by more than ", j->failed);
		else
			line_str(l, "no row certainly grew by more than ");
		put_bytes(l, k->fail_bytes, "");
		if (j->worst) {
			change_get(diff_of(s), j->worst, &c);
			line_str(l, ", most of all ");
			line_str(l, tables[j->worst->table].title);
			line_str(l, ": ");
			put_row_name(s, j->worst);
			line_char(l, ' ');
			put_bytes(l, c.grown, "+");
		}
		if (j->doubtful)
			line_value(l, j->doubtful == 1 ? "; %u row may have" :
				   "; %u row%s may have", j->doubtful);
		sheet_emit(s);
	}
	s->last = 1;
	line_value(l, "memstrack " MEMSTRACK_VERSION ": end of diff, %u lines",
		   s->value[FIGURE_LINES] + 1);
	if (s->value[FIGURE_CUT])
		line_value(l, ", %u more not written", s->value[FIGURE_CUT]);
	sheet_emit(s);
}

static void end_json(struct sheet *s, const struct judged *j)
{
	const struct config *c = &diff_of(s)->config;
	const uint64_t value[] = {
		c->min_bytes,
		c->fail_bytes == UINT32_MAX ? UNKNOWN : c->fail_bytes,
		j->failed, j->doubtful, (uint64_t)j->certain,
		s->value[FIGURE_LINES], s->value[FIGURE_CUT],
	};

	s->last = 1;
	json_begin(s, "diff_end");
	json_string(s, "by", c->by == DIFF_BY_NOW ? "now" : "peak", DIFF_TEXT_ROOM);
	json_numbers(s, "min_bytes fail_bytes failed doubtful certain records "
			"records_cut", value);
	json_end(s);
}

static void put_heading(struct sheet *s)
{
	const struct config *c = &diff_of(s)->config;

	line_str(&s->line, "memstrack " MEMSTRACK_VERSION ": what changed, by ");
	line_str(&s->line, c->by == DIFF_BY_NOW ? "what is held at the report" :
		 "the most that was held at one instant");
	line_str(&s->line, "; changes of ");
	put_bytes(&s->line, c->min_bytes, "");
	line_str(&s->line, " and more");
	sheet_emit(s);
}

void diff_write(void *account, enum format f, struct out *o)
{
	struct diff *d = account;
	const struct report r = { .lines_max = d->config.lines, .context = d };
	const int json = f == FORMAT_JSON;
	struct sheet s;
	uint64_t lines;

	sheet_begin(&s, &r, o, json ? ESCAPE_JSON : ESCAPE_TEXT);
	if (!json)
		put_heading(&s);
	diff_head(&s);
	lines = s.value[FIGURE_LINES];
	for (unsigned int t = 0; t < DIFF_TABLES; t++)
		put_table(&s, (enum diff_table)t);
	if (!json && s.value[FIGURE_LINES] == lines)
		diff_note(&s, "nothing changed");
	(json ? end_json : end_text)(&s, &d->judged);
}
