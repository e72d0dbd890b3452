/*
 * A section of the older program's, as a report of ours that shows the same.
 */
#ifndef MEMSTRACK_PART_H
#define MEMSTRACK_PART_H

#include "config/sections.h"
#include "report/report.h"

/* The next section of a report, its list at *at; *part shows what that does: all
 * rows, unless it says how many. 0: there is none. */
int part_next(const struct report *r, const char **at, struct section *n,
	      struct report *part);

#endif
