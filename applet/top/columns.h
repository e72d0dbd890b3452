/* SPDX-License-Identifier: MIT */
/*
 * The lines of a picture, as text of a given width: its title, the heading of a
 * table, a row, a stack.
 *
 *	 task                       now     peak   change
 *	>load[88]                123.7M   123.7M   +40.0M exited
 *
 * At 40 columns the name has what the three figures leave. Wider lines have
 * image and vmalloc of modules, and a note.
 */
#ifndef MEMSTRACK_COLUMNS_H
#define MEMSTRACK_COLUMNS_H

#include "report/line.h"
#include "top/naming.h"
#include "top/rows.h"

enum sort { SORT_NOW, SORT_PEAK, SORT_CHANGE, SORT_NAME, SORTS };

const char *sort_name(enum sort s);
/* "tasks", "modules", "initcalls", "slab sites" */
const char *table_title(enum top_table t);

void columns_title(struct line *l, const struct top_picture *p);
/* What was traced, and what was lost. */
void columns_traced(struct line *l, const struct top_picture *p);
void columns_heading(struct line *l, enum top_table t, unsigned int width);
void columns_row(struct line *l, const struct naming *n, enum top_table t,
		 const struct top_row *r, unsigned int width);
/* The row's name alone. */
void columns_name(struct line *l, const struct naming *n, enum top_table t,
		  const struct top_row *r);
/* "stack 1 of 3" and its figures. */
void columns_stack(struct line *l, const struct top_stacks *k, uint32_t stack);

#endif
