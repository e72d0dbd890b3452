/* SPDX-License-Identifier: MIT */
/*
 * What the user looks at: which table, in which order, which row, or the stacks
 * of a row; and how this is laid out on a screen of any size.
 */
#ifndef MEMSTRACK_VIEW_H
#define MEMSTRACK_VIEW_H

#include "top/columns.h"
#include "top/keys.h"
#include "top/screen.h"

struct view {
	enum top_table table;
	enum sort sort;
	int in_stacks;
	int paused;
	/* The row that is marked, or whose stacks are shown. It stays the same
	 * row where the order changes. */
	uint32_t number;
	uint64_t key;
	uint32_t at;		/* its place in the order */
	uint32_t first;		/* the first row, or line of stacks, on the
				 * screen */
	uint32_t page;		/* rows on the screen */
	uint16_t order[PICTURE_ROWS];
	char message[80];	/* instead of the keys; "": none */
};

/* Puts the rows of the table in order, and finds the marked one again. */
void view_order(struct view *v, const struct top_picture *p);

/* What a key changes here. 1: the tracer must be asked at once. */
int view_key(struct view *v, const struct top_picture *p, enum key key);

void view_draw(struct view *v, const struct top_picture *p,
	       const struct naming *n, struct screen *s);

#endif
