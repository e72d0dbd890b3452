/* SPDX-License-Identifier: MIT */
/*
 * Rows of a difference for people: the name, what it held before and after, the
 * change; behind these what must be known of them.
 */
#ifndef MEMSTRACK_DIFF_SHOW_H
#define MEMSTRACK_DIFF_SHOW_H

#include "diff/write.h"

#define DIFF_NAME_COLUMN 36		/* the first figure ends 10 columns on */
#define DIFF_FIGURE_COLUMNS 10

/* 512B, 12K, 3.4M; objects of slab are of a few bytes. */
void show_bytes(struct line *l, int64_t bytes, int with_sign);
void show_name(struct diff_sheet *s, const struct diff_row *row);
void show_row(struct diff_sheet *s, const struct diff_row *row);
/* The rows that are not shown, if there are any. `title`: of the table, if it
 * shows none. */
void show_left(struct diff_sheet *s, const struct left *left,
	       const char *title);

#endif
