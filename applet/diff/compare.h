/* SPDX-License-Identifier: MIT */
/*
 * Two reports, row by row: what grew, shrank, came and went.
 *
 * --by=peak compares the most that is known to have been held at one instant
 * (rows.h), --by=now what is held at the report. Of a row with a bound only
 * (`most`), growth is certain as far as the figure after is above the bound
 * before. A row that a report does not have was 0 there, but only if the report
 * shows its whole table.
 */
#ifndef MEMSTRACK_DIFF_COMPARE_H
#define MEMSTRACK_DIFF_COMPARE_H

#include "config/config.h"
#include "diff/told.h"

struct diff {
	struct config config;
	struct taken side[SIDES];
	struct diff_rows rows;
	uint32_t order[DIFF_ROWS_MAX];
};

/* Bytes that a name held. */
struct span {
	int known;		/* 0: the report may have it, and not show it */
	int there;		/* the report has the name */
	int64_t least, most;	/* most: a bound, or NO_BOUND */
};

struct change {
	struct span side[SIDES];
	int64_t grown;		/* of the two that are known; else of 0 */
};

void change_get(struct diff *d, const struct diff_row *row, struct change *c);

/* "grew", "shrank", "came", "went", "same", "unknown". */
const char *change_word(const struct change *c);

/* NULL: the table is compared. Else why not, and *side is the report that is the
 * reason; "": no report has it. */
const char *why_not(const struct diff *d, enum diff_table t,
		    enum diff_side *side);

/* Rows that are not shown, because their change is less than --min or there are
 * more than --top. */
struct left {
	uint32_t rows;
	uint32_t unknown;		/* of these, in no sum */
	int64_t grew, shrank;		/* sums; shrank is negative */
};

/* Sorts the rows of a table that are shown into d->order, the largest change
 * first; returns how many. Rows for which --fail fails or is unsure are shown
 * whatever --min says. */
uint32_t diff_rank(struct diff *d, enum diff_table t, struct left *left);

/* What --fail asks, of all tables. */
struct judged {
	uint32_t failed;	/* rows that certainly grew by more */
	uint32_t doubtful;	/* that may have */
	int certain;		/* there are none, and no record was lost */
	const struct diff_row *worst;
};

void diff_judge(struct diff *d, struct judged *j);

#endif
