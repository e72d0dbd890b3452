/* SPDX-License-Identifier: MIT */
/* Rows of a difference for people: see diff.h, show. */
#include <string.h>
#include "diff/diff.h"

#define NAME_ROOM 400u

void show_bytes(struct line *l, int64_t bytes, int with_sign)
{
	const uint64_t size = (uint64_t)(bytes < 0 ? -bytes : bytes);

	if (bytes < 0)
		line_char(l, '-');
	else if (with_sign && bytes)
		line_char(l, '+');
	line_fill(l, size % 1024 && size < 10000 ? "%uB" : "%b", &size);
}

static void put_figure(struct line *l, size_t column, int64_t bytes,
		       int with_sign)
{
	const size_t from = l->len;

	show_bytes(l, bytes, with_sign);
	line_right(l, from, column);
}

static void put_span(struct line *l, size_t column, const struct span *s)
{
	if (!s->known)
		line_figure(l, column, "?", 0);
	else if (!s->there)
		line_figure(l, column, "-", 0);
	else
		put_figure(l, column, s->least, 0);
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
			show_bytes(l, c->side[i].most, 0);
	}
}

void show_name(struct diff_sheet *s, const struct diff_row *row)
{
	line_name_within(&s->line, s->d->rows.names + row->name, row->name_len,
			 NAME_ROOM);
}

void show_row(struct diff_sheet *s, const struct diff_row *row)
{
	static const char *const hidden[SIDES] = {
		"  not known before", "  not known after",
	};
	struct line *l = &s->line;
	size_t column = DIFF_NAME_COLUMN;
	struct change c;

	change_get(s->d, row, &c);
	show_name(s, row);
	for (unsigned int i = 0; i < SIDES; i++)
		put_span(l, column += DIFF_FIGURE_COLUMNS, &c.side[i]);
	column += DIFF_FIGURE_COLUMNS;
	if (!c.side[BEFORE].known || !c.side[AFTER].known) {
		line_figure(l, column, "?", 0);
		line_str(l, hidden[c.side[BEFORE].known]);
	} else {
		put_figure(l, column, c.grown, 1);
		if (!c.side[BEFORE].there || !c.side[AFTER].there) {
			line_str(l, "  ");
			line_str(l, change_word(&c));
		}
	}
	put_bounds(l, &c);
	diff_emit(s);
}

/* The rows that are not shown, if there are any. `title`: of the table, if it
 * shows none. */
static void show_left(struct diff_sheet *s, const struct left *left,
		      const char *title)
{
	struct line *l = &s->line;

	if (!left->rows)
		return;
	line_str(l, title ? title : "... and more");
	line_value(l, ": %u row%s, ", left->rows);
	if (left->grew)
		show_bytes(l, left->grew, 1);
	line_str(l, left->grew && left->shrank ? ", " : "");
	if (left->shrank)
		show_bytes(l, left->shrank, 1);
	line_str(l, left->unknown < left->rows ? " together" : "");
	if (left->unknown)
		line_value(l, left->unknown < left->rows ? "; %u unknown" :
			   "all unknown", left->unknown);
	diff_emit(s);
}

/*
 * --- text
 *
 * The difference for people: the two kernels and the totals first, then a table
 * for each kind of row, the largest change first.
 */

static const char *const titles[DIFF_TABLES] = {
	[DIFF_TOTAL] = "all memory", [DIFF_MODULE] = "module",
	[DIFF_IMAGE] = "image of a module", [DIFF_VMALLOC] = "vmalloc of a module",
	[DIFF_TASK] = "task  (all of one name)", [DIFF_KIND] = "kind",
	[DIFF_INITCALL] = "initcall", [DIFF_SITE] = "slab objects by function",
	[DIFF_SLAB_CACHE] = "slab objects by cache",
	[DIFF_CACHE] = "slab cache", [DIFF_BEFORE] = "used before tracing",
	[DIFF_RAM] = "ram  (at the report)",
};

static void put_title(struct diff_sheet *s, enum diff_table t)
{
	struct line *l = &s->line;

	line_str(l, titles[t]);
	line_figure(l, DIFF_NAME_COLUMN + DIFF_FIGURE_COLUMNS, "before", 0);
	line_figure(l, DIFF_NAME_COLUMN + 2 * DIFF_FIGURE_COLUMNS, "after", 0);
	line_figure(l, DIFF_NAME_COLUMN + 3 * DIFF_FIGURE_COLUMNS, "change", 0);
	diff_emit(s);
}

static void put_not_compared(struct diff_sheet *s, enum diff_table t,
			     enum diff_side side, const char *why)
{
	const char *const report = side == BEFORE ? "before" : "after";

	line_str(&s->line, titles[t]);
	line_str(&s->line, ": not compared, ");
	if (!strcmp(why, "none"))
		line_str(&s->line, "the report does not have it: ");
	else
		line_str(&s->line, !strcmp(why, "sampled") ? "sampled only " :
			 "part of the modules ");
	line_str(&s->line, report);
	diff_emit(s);
}

static void put_table(struct diff_sheet *s, enum diff_table t)
{
	enum diff_side side;
	const char *why = why_not(s->d, t, &side);
	struct left left;
	uint32_t rows;

	if (why) {
		if (*why)
			put_not_compared(s, t, side, why);
		return;
	}
	rows = diff_rank(s->d, t, &left);
	if (rows)
		put_title(s, t);
	for (uint32_t i = 0; i < rows; i++)
		show_row(s, &s->d->rows.row[s->d->order[i]]);
	show_left(s, &left, rows ? NULL : titles[t]);
}

static void put_name_of_file(struct line *l, const char *before,
			     const char *text)
{
	line_str(l, before);
	line_name_within(l, text, LINE_BYTES, 200);
}

static void put_report(struct diff_sheet *s, enum diff_side side)
{
	const struct taken *k = &s->d->side[side];
	struct line *l = &s->line;

	put_name_of_file(l, side == BEFORE ? "before  " : "after   ",
			 k->text[KERNEL]);
	put_name_of_file(l, ", ", strcmp(k->path, "-") ? k->path :
			 "standard input");
	put_name_of_file(l, ": reason ", k->text[REASON]);
	if (k->text[SOURCE][0])
		put_name_of_file(l, ", by ", k->text[SOURCE]);
	if (k->number[LEVEL] != NO_VALUE)
		line_value(l, ", level %u", (uint64_t)k->number[LEVEL]);
	if (k->number[MEM_TOTAL_KIB] != NO_VALUE)
		line_value(l, ", MemTotal %k",
			   (uint64_t)k->number[MEM_TOTAL_KIB]);
	diff_emit(s);
}

static void say(struct diff_sheet *s, const char *text)
{
	put_name_of_file(&s->line, "note    ", text);
	diff_emit(s);
}

static void put_judged(struct diff_sheet *s, const struct judged *j)
{
	struct line *l = &s->line;
	struct change c;

	if (s->d->config.fail_bytes == UINT32_MAX)
		return;
	line_str(l, j->failed ? "FAILED  " : j->certain ? "passed  " :
		 "UNSURE  ");
	if (j->failed)
		line_value(l, "%u row%s grew by more than ", j->failed);
	else
		line_str(l, "no row certainly grew by more than ");
	show_bytes(l, s->d->config.fail_bytes, 0);
	if (j->worst) {
		change_get(s->d, j->worst, &c);
		line_str(l, ", most of all ");
		line_str(l, titles[j->worst->table]);
		line_str(l, ": ");
		show_name(s, j->worst);
		line_char(l, ' ');
		show_bytes(l, c.grown, 1);
	}
	if (j->doubtful)
		line_value(l, j->doubtful == 1 ? "; %u row may have" :
			   "; %u row%s may have", j->doubtful);
	diff_emit(s);
}

void diff_text(struct diff_sheet *s, const struct judged *j)
{
	struct line *l = &s->line;
	uint32_t before;

	line_str(l, "memstrack " MEMSTRACK_VERSION ": what changed, by ");
	line_str(l, s->d->config.by == DIFF_BY_NOW ?
		 "what is held at the report" :
		 "the most that was held at one instant");
	line_str(l, "; changes of ");
	show_bytes(l, s->d->config.min_bytes, 0);
	line_str(l, " and more");
	diff_emit(s);
	put_report(s, BEFORE);
	put_report(s, AFTER);
	diff_doubts(s, say);
	before = s->records;
	for (unsigned int t = 0; t < DIFF_TABLES; t++)
		put_table(s, (enum diff_table)t);
	if (s->records == before)
		say(s, "nothing changed");
	put_judged(s, j);
	s->last = 1;
	line_value(l, "memstrack " MEMSTRACK_VERSION ": end of diff, %u lines",
		   s->records + 1);
	if (s->records_cut)
		line_value(l, ", %u more not written", s->records_cut);
	diff_emit(s);
}
