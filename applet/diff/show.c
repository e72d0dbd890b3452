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

void show_left(struct diff_sheet *s, const struct left *left,
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
