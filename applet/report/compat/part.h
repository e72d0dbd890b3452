/* SPDX-License-Identifier: MIT */
/*
 * A section of the older program, as a report of ours that shows the same.
 */
#ifndef MEMSTRACK_PART_H
#define MEMSTRACK_PART_H

#include "config/sections.h"
#include "report/report.h"

/* Reads the next section of the list at *at, and makes *part a report that
 * shows what this section does: all rows, unless the section bounds them. 0:
 * there is none. */
int part_next(const struct report *r, const char **at, struct section *n,
	      struct report *part);

#endif
