/* SPDX-License-Identifier: MIT */
/*
 * One report, as its lines tell it.
 *
 * Lines are those of --format=json, with anything before and behind them: the
 * prefix and the stamp of a kernel log, what a serial console adds, lines of
 * others between. If there are several reports, the last one counts.
 */
#ifndef MEMSTRACK_TAKEN_H
#define MEMSTRACK_TAKEN_H

#include <stddef.h>
#include "diff/told.h"

void taken_begin(struct taken *k, const char *path, enum diff_side side,
		 struct diff_rows *rows);
/* One line, without its newline. */
void taken_line(struct taken *k, const char *line, size_t len);
/* After the last line: 0, or -ENODATA: no report was among the lines. */
int taken_end(struct taken *k);

/* The names in JSON. */
const char *text_told(enum text_told i);
const char *number_told(enum number_told i);

/* All of the last report was there. */
int taken_is_whole(const struct taken *k);

#endif
