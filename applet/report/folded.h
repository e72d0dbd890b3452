/* SPDX-License-Identifier: MIT */
/*
 * The lines of a report for flame graphs: see folded.c.
 */
#ifndef MEMSTRACK_FOLDED_H
#define MEMSTRACK_FOLDED_H

#include "report/sheet.h"

struct folded {
	struct sheet *s;
	int at_peak;		/* else now */
	uint64_t pages;		/* written so far */
};

/* A line for each stack of a module or a task, and for what has none. */
void folded_modules(struct folded *f);
void folded_tasks(struct folded *f);

#endif
