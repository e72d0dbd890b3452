/* SPDX-License-Identifier: MIT */
/*
 * The rows of one line of a report, in bytes, under the names by which they are
 * compared.
 */
#ifndef MEMSTRACK_TAKEN_ROW_H
#define MEMSTRACK_TAKEN_ROW_H

#include "base/parsed.h"
#include "diff/told.h"

/* A line of this type, which may have none, one or several rows. */
void taken_rows(struct taken *k, const struct parsed *o,
		const struct word *type);

/* A line that tells how many rows of a table are not shown. */
void taken_rest(struct taken *k, const struct parsed *o);

/* The sums of the machine, after the last line. One that is not told has no
 * row. */
void taken_totals(struct taken *k);

#endif
