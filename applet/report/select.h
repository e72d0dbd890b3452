/* SPDX-License-Identifier: MIT */
/*
 * What a report shows: tables, rows and stacks.
 *
 * text.c, json.c and report_collect() follow one walk, so that all three have
 * the same rows and stacks. Text follows it twice: all tables come first, then
 * the stacks. Rows that never held a page are not shown. The
 * order is by peak, the largest first; then by name, pid, row. From level 2 on,
 * the stacks of a row follow it in each walk.
 *
 *	             rows of a table      stacks of a row
 *	level 1      5 (callers: 3)       none
 *	level 2      10                   3
 *	level 3      all                  all
 *
 * Loads that failed before the kernel told the module's name say little, and
 * udev makes dozens of them: it loads a module once for each device that asks
 * for it. Below level 3 they are one row behind the others, unless one of them
 * holds more than 64K or a hundredth of what was traced.
 *
 * Tasks of one name, three or more, are the largest of them and a row for the
 * others below level 3, unless `top` asks for rows.
 *
 * Initcalls are shown at level 1 only if one of them took 64K or more.
 *
 * A module that is gone and still holds pages is shown at every level. When
 * memory runs out (BY_HELD), only the rows that hold most now are shown. `top`
 * replaces 10, 3 and all, and bounds the number of stacks. `throttle` ends a
 * table when the rows shown together have this share of at_peak (peaks
 * themselves cannot be added up); in the order BY_HELD, this share of what is
 * held. The ledger's scratch gives the room for sorting; rows that find no room
 * count as not shown.
 */
#ifndef MEMSTRACK_SELECT_H
#define MEMSTRACK_SELECT_H

#include "report/report.h"
#include "report/shown.h"

void select_walk(const struct report *r,
		 void (*show)(void *context, const struct shown *shown),
		 void *context);

#endif
