/* SPDX-License-Identifier: MIT */
/* A picture on the screen: see top.h, view. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/base.h"
#include "base/system.h"
#include "host/top/top.h"

/* A smaller screen has fewer lines besides the rows. */
#define ROWS_FOR_KEYS 5u
#define ROWS_FOR_TABLES 6u
#define ROWS_FOR_TRACED 10u
#define INDENT 4u

struct draw {
	struct view *view;
	const struct top_picture *picture;
	const struct symbols *naming;
	struct screen *screen;
	struct line line;
	unsigned int row;	/* the next of the screen */
	unsigned int until;	/* and the first one below the rows */
	uint32_t lines;		/* of stacks, on the screen or not */
	char text[LINE_BYTES];
};

static void show(struct draw *d, int reverse)
{
	screen_line(d->screen, d->row++, d->text, d->line.len, reverse);
	d->line.len = 0;
}

static void show_tables(struct draw *d)
{
	for (unsigned int t = 0; t < TOP_TABLES; t++) {
		const struct top_rows *rows = &d->picture->table[t];
		const int here = t == d->view->table;

		if (!rows->used && !here)
			continue;
		line_str(&d->line, here ? "[" : " ");
		line_value(&d->line, "%u ", t + 1);
		line_str(&d->line, table_title((enum top_table)t));
		line_value(&d->line, ": %u", rows->used + rows->others);
		line_str(&d->line, here ? "]" : " ");
	}
	line_str(&d->line, " sorted by ");
	line_str(&d->line, sort_name(d->view->sort));
	show(d, 0);
}

static void show_owner(struct draw *d)
{
	const struct view *v = d->view;
	const struct top_row *r = rows_find(&d->picture->table[v->table],
					    v->number, v->key);

	line_str(&d->line, "stacks of ");
	if (r)
		columns_name(&d->line, d->naming, v->table, r);
	else
		line_str(&d->line, "a row that is not in this picture");
	show(d, 0);
}

static void show_keys(struct draw *d)
{
	const struct view *v = d->view;
	const int wide = d->screen->cols >= 72;

	if (v->message[0])
		line_str(&d->line, v->message);
	else if (v->in_stacks)
		line_str(&d->line, wide ?
			 "q quit  b back to the table  arrows  p pause" :
			 "q quit  b back  p pause");
	else
		line_str(&d->line, wide ?
			 "q quit  t table  s sort  arrows, Enter stacks  "
			 "p pause  space now" :
			 "q quit t table s sort Enter p");
	if (v->paused)
		line_str(&d->line, "  PAUSED");
	show(d, 0);
}

/* A line of stacks, if it is on the screen. */
static void show_line(struct draw *d)
{
	if (d->lines >= d->view->first && d->row < d->until)
		show(d, 0);
	d->line.len = 0;
	d->lines++;
}

static void indent(struct draw *d)
{
	while (d->line.len < INDENT)
		line_char(&d->line, ' ');
}

/* As many frames in a line as fit, as in a report. */
static void show_frames(struct draw *d, const struct top_stack *s)
{
	const struct top_stacks *k = &d->picture->stacks;

	indent(d);
	for (uint32_t i = s->first; i < s->first + s->frames; i++) {
		char text[LINE_BYTES];
		struct line name = { .text = text };

		if (i != s->first)
			line_str(&name, "< ");
		naming_write(d->naming, &name, k->frame[i].text,
			     k->frame[i].addr, 1);
		if (d->line.len > INDENT &&
		    d->line.len + name.len >= d->screen->cols) {
			show_line(d);
			indent(d);
		}
		text[name.len] = '\0';
		line_str(&d->line, text);
		line_char(&d->line, ' ');
	}
	show_line(d);
}

static void show_stacks(struct draw *d)
{
	const struct top_stacks *k = &d->picture->stacks;

	for (uint32_t i = 0; i < k->used; i++) {
		columns_stack(&d->line, k, i);
		show_line(d);
		if (k->stack[i].frames)
			show_frames(d, &k->stack[i]);
	}
	if (k->others)
		line_value(&d->line, "... and %u more stack%s", k->others);
	else if (!k->used)
		line_str(&d->line, "no stack is kept of this row");
	if (k->cut)
		line_str(&d->line, "; no room for the frames of all stacks");
	if (d->line.len)
		show_line(d);
	if (d->view->first >= d->lines)
		d->view->first = d->lines ? d->lines - 1 : 0;
}

static void show_rows(struct draw *d)
{
	struct view *v = d->view;
	const struct top_rows *t = &d->picture->table[v->table];

	for (uint32_t i = v->first; i < t->used && d->row < d->until; i++) {
		line_char(&d->line, i == v->at ? '>' : ' ');
		columns_row(&d->line, d->naming, v->table,
			    &t->row[v->order[i]], d->screen->cols);
		show(d, 0);
	}
	if (t->others && d->row < d->until) {
		line_fill(&d->line, " ... and %u more row%s", &t->others);
		show(d, 0);
	}
}

/* The marked row stays on the screen. */
static void scroll(struct view *v)
{
	if (v->at < v->first)
		v->first = v->at;
	if (v->page && v->at >= v->first + v->page)
		v->first = v->at - v->page + 1;
}

void view_draw(struct view *v, const struct top_picture *p,
	       const struct symbols *n, struct screen *s)
{
	struct draw d = {
		.view = v, .picture = p, .naming = n, .screen = s,
		.line = { .page_kib = p->page_bytes >> 10, .text = d.text },
		.until = s->rows - (s->rows >= ROWS_FOR_KEYS),
	};

	screen_clear(s);
	columns_title(&d.line, p);
	show(&d, 0);
	if (s->rows >= ROWS_FOR_TRACED) {
		columns_traced(&d.line, p);
		show(&d, 0);
	}
	if (v->in_stacks)
		show_owner(&d);
	else if (s->rows >= ROWS_FOR_TABLES)
		show_tables(&d);
	if (!v->in_stacks) {
		columns_heading(&d.line, v->table, s->cols);
		show(&d, 1);
	}
	v->page = d.until > d.row ? d.until - d.row : 0;
	if (v->in_stacks) {
		show_stacks(&d);
	} else {
		scroll(v);
		show_rows(&d);
	}
	d.row = d.until;
	if (s->rows >= ROWS_FOR_KEYS)
		show_keys(&d);
}

/*
 * --- once
 *
 * All rows of a picture as text, where standard output is no terminal.
 */

static int write_line(struct line *l)
{
	const ssize_t n = print_line(STDOUT_FILENO, "%.*s", (int)l->len,
				     l->text);

	l->len = 0;
	return n < 0 ? -errno : 0;
}

static int print_table(struct top *t, struct line *l, enum top_table table,
		       unsigned int cols)
{
	const struct top_rows *rows = &t->picture.table[table];
	int error;

	t->view.table = table;
	view_order(&t->view, &t->picture);
	naming_look(&t->naming, &t->picture, table, 0);
	columns_heading(l, table, cols);
	error = write_line(l);
	for (uint32_t i = 0; i < rows->used && !error; i++) {
		line_char(l, ' ');
		columns_row(l, &t->naming, table,
			    &rows->row[t->view.order[i]], cols);
		error = write_line(l);
	}
	if (rows->others && !error) {
		line_fill(l, " ... and %u more row%s", &rows->others);
		error = write_line(l);
	}
	return error;
}

int top_once(struct top *t)
{
	char text[LINE_BYTES];
	struct line l = {
		.page_kib = t->picture.page_bytes >> 10, .text = text,
	};
	unsigned int rows, cols;
	int error;

	terminal_size(&rows, &cols);
	if (cols > SCREEN_COLS)
		cols = SCREEN_COLS;
	columns_title(&l, &t->picture);
	error = write_line(&l);
	columns_traced(&l, &t->picture);
	if (!error)
		error = write_line(&l);
	for (unsigned int i = 0; i < TOP_TABLES && !error; i++)
		if (t->picture.table[i].used)
			error = print_table(t, &l, (enum top_table)i,
					    cols ? cols : DEFAULT_COLS);
	return error ? complain("top", "standard output: %s",
				error_text(error)) : 0;
}
