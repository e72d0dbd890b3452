/* SPDX-License-Identifier: MIT */
/*
 * Which module and which task held how many pages at each point of the
 * timeline, and when tasks and loads ended: what a picture of the boot needs.
 *
 * A series has a column for a row of modules or of tasks, with its pages at each
 * point. A row gets a column at the first point at which it holds pages. If all
 * columns are taken, the row with the smallest peak loses its column, if the new
 * one holds more: so the largest rows, which a picture shows, keep theirs. The
 * pages of a row at points before it had a column are not known; they count in
 * the total of that point and in no column. When another task or module gets the
 * row, the column keeps its name and holds 0 from then on.
 *
 * It is only there if a picture is wanted (layout.history).
 */
#ifndef MEMSTRACK_HISTORY_H
#define MEMSTRACK_HISTORY_H

#include <stdint.h>
#include "base/arena.h"
#include "ledger/modules.h"
#include "ledger/tasks.h"
#include "limits.h"

#define COLUMN_CLOSED UINT32_MAX

struct column {
	ROW_ALIGN uint64_t since_ns;	/* not known before; 0: known */
	uint32_t row;			/* or COLUMN_CLOSED */
	uint32_t peak;			/* pages, of all points */
	uint32_t tid;			/* of a task, if closed */
	char name[MODULE_NAME_BYTES];	/* if closed */
};

struct series {
	struct column *column;		/* HISTORY_COLUMNS */
	uint32_t *pages;		/* TIMELINE_POINTS of each column */
	uint64_t *total;		/* of all rows, at each point */
	uint64_t *end_ns;		/* of each row: its task's life or its
					 * module's load; 0: not ended */
	uint8_t *of_row;		/* its column + 1; 0: none */
	uint32_t columns;
};

struct history {
	int on;
	struct series modules, tasks;
};

uint64_t history_bytes(uint32_t module_rows, uint32_t task_rows);
/* What a row of either table takes of them. */
#define HISTORY_ROW_BYTES (sizeof(uint64_t) + 1)
/* *h is zeroed. */
int history_init(struct history *h, struct arena *a, uint32_t module_rows,
		 uint32_t task_rows);

/* Every second of so many points is dropped, as in the timeline. */
void history_thin_out(struct history *h, uint32_t points);
/* What is held now is what was held at this point. */
void history_point(struct history *h, uint32_t point, uint64_t time_ns,
		   const struct modules *m, const struct tasks *t);

/* These do nothing if there is no history. */
void history_end(struct series *s, uint32_t row, uint64_t time_ns);
/* Something new gets this row: call it before the row changes. */
void history_forget_module(struct history *h, const struct modules *m,
			   uint32_t row);
void history_forget_task(struct history *h, const struct tasks *t,
			 uint32_t row);

static inline uint32_t history_pages(const struct series *s, uint32_t column,
				     uint32_t point)
{
	return s->pages[column * TIMELINE_POINTS + point];
}

#endif
