/* SPDX-License-Identifier: MIT */
/*
 * What two reports say, by table and name.
 *
 * Rows of one name are one row here: a program is started many times, a load is
 * tried again. Their peaks stood at different instants, so the sum of them is no
 * figure but a bound. What is known to have been held at one instant is the
 * largest of: one row's peak, the sum of all now, the sum of all when the machine
 * held the most.
 *
 * The table is of fixed size. A row that finds no room is counted.
 */
#ifndef MEMSTRACK_DIFF_ROWS_H
#define MEMSTRACK_DIFF_ROWS_H

#include <stddef.h>
#include <stdint.h>
#include "limits.h"

enum diff_table {
	DIFF_TOTAL, DIFF_MODULE, DIFF_IMAGE, DIFF_VMALLOC, DIFF_TASK,
	DIFF_KIND, DIFF_INITCALL, DIFF_SITE, DIFF_SLAB_CACHE, DIFF_CACHE,
	DIFF_BEFORE, DIFF_RAM, DIFF_TABLES,
};

enum diff_side { BEFORE, AFTER, SIDES };

/* No bound is known. */
#define NO_BOUND INT64_MAX

/* Bytes; negative only for rows that make a sum smaller. */
struct held {
	uint32_t rows;		/* 0: the report does not have this name */
	int64_t now, at_peak;	/* sums */
	int64_t peak;		/* the largest */
	int64_t most;		/* the sum of the peaks, or NO_BOUND */
};

struct diff_row {
	struct held side[SIDES];
	uint32_t table, name, name_len;
};

struct diff_rows {
	struct diff_row row[DIFF_ROWS_MAX];
	uint32_t slot[DIFF_ROWS_MAX * 2];	/* by hash: a row and 1 */
	char names[DIFF_NAMES_BYTES];
	uint32_t used, names_used;
	uint64_t full[SIDES];			/* rows without room */
};

/* The row of this name, or NULL if it is not there and `add` is 0 or there is no
 * room. */
struct diff_row *diff_row(struct diff_rows *r, enum diff_table t,
			  const char *name, size_t len, int add);

/* Adds a row of a report to what its side has under this name. */
void diff_add(struct diff_rows *r, enum diff_side side, enum diff_table t,
	      const char *name, size_t len, const struct held *held);

/* Forgets all that one side had. */
void diff_forget(struct diff_rows *r, enum diff_side side);

/* a + b, within PARSED_NUMBER_MAX. */
int64_t diff_sum(int64_t a, int64_t b);

#endif
