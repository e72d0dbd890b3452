/* SPDX-License-Identifier: MIT */
/* All rows of a picture as text, where standard output is no terminal. */
#include <errno.h>
#include <unistd.h>
#include "base/base.h"
#include "base/system.h"
#include "top/top.h"

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
