/* SPDX-License-Identifier: MIT */
/*
 * The parts of a report, in sequence: tables, their rows, the stacks of each
 * row.
 */
#ifndef MEMSTRACK_SHOWN_H
#define MEMSTRACK_SHOWN_H

#include <stdint.h>

/* Kinds and initcalls have no stacks. Callers of vmalloc have no stacks and no value at the
 * peak, because areas get their names only when vmallocinfo is read. */
enum table {
	TABLE_MODULES, TABLE_TASKS, TABLE_KINDS, TABLE_INITCALLS,
	TABLE_CALLERS, TABLES
};

enum shown_kind {
	SHOWN_TABLE,		/* the table begins */
	SHOWN_ROW,
	SHOWN_STACK,		/* of the row before it */
	SHOWN_OTHER_STACKS,	/* stacks of this row, not shown */
	SHOWN_FAILED_LOADS,	/* many modules in one row: see select.h */
	SHOWN_SAME_NAME,	/* more tasks of the name of the row before */
	SHOWN_OTHER_ROWS,	/* of the table */
};

enum {
	PAGES_NOW, PAGES_PEAK, PAGES_AT_PEAK,
	/* Only modules have these, besides the counts above; tasks have
	 * vmalloc, if it is known whose it is. */
	PAGES_IMAGE, PAGES_VMALLOC, PAGES_IMAGE_PEAK, PAGES_VMALLOC_PEAK,
	PAGE_COUNTS,
	PAGES_IN_TASKS = PAGES_IMAGE,
};

#define NO_LEAF UINT32_MAX

struct shown {
	enum shown_kind kind;
	enum table table;
	uint32_t row;		/* of the table; enum page_kind for kinds */
	uint32_t leaf;		/* of a stack: NO_LEAF: pages without one; a
				 * root: of this module, no room for frames */
	uint32_t index, count;	/* stack `index`, from 1, of `count`; or
				 * `count` others, failed loads or tasks */
	uint64_t pages[PAGE_COUNTS];	/* UNKNOWN: the row has none */
	uint64_t leak;		/* of failed loads: row_leak() */
};

#endif
