/* SPDX-License-Identifier: MIT */
/*
 * The lines of a diff, one after the other: what text and JSON share.
 */
#ifndef MEMSTRACK_DIFF_WRITE_H
#define MEMSTRACK_DIFF_WRITE_H

#include "diff/compare.h"
#include "report/line.h"
#include "report/report.h"

struct diff_sheet {
	struct line line;
	struct diff *d;
	struct out *out;
	uint32_t records, records_cut;
	int last;			/* the next line is the last */
	char text[LINE_BYTES];
};

void diff_emit(struct diff_sheet *s);

/* The tables' names in JSON. */
const char *diff_table_name(enum diff_table t);

/* What keeps the two from being compared fairly, and what is missing in them:
 * calls `say` for each sentence. */
void diff_doubts(struct diff_sheet *s,
		 void (*say)(struct diff_sheet *s, const char *text));

void diff_text(struct diff_sheet *s, const struct judged *j);
void diff_json(struct diff_sheet *s, const struct judged *j);

#endif
