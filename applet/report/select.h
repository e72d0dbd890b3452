/*
 * What a report shows, in the order it shows it.
 *
 * text.c, json.c and report_collect() follow one walk, so that all three speak
 * of the same rows and stacks. Rows that never held a page are not shown.
 * Order: peak, the largest first; then name, pid, row. Stacks follow their row
 * from level 2 on.
 *
 *	             rows of a table      stacks of a row
 *	level 1      10 (callers: 3)      none
 *	level 2      10                   3
 *	level 3      all                  all
 *
 * Loads that failed before the kernel told the module's name have little to
 * say, and udev makes dozens: it loads a module once for each device that asks
 * for it. Below level 3 they are one row, behind the others, but for those that
 * hold more than 64K or a hundredth of what was traced.
 *
 * A module that is gone and still holds pages is shown at every level, but when
 * memory runs out (BY_HELD): then only what holds most now. `top`
 * replaces 10, 3 and all, and bounds the stacks; `throttle` ends a table at
 * the row with which those shown hold so much of the peak, for at_peak is what
 * adds up, peaks do not; or of what is held, where that is the order. The room
 * for sorting is the ledger's scratch; what should not fit joins what is not
 * shown.
 */
#ifndef MEMSTRACK_SELECT_H
#define MEMSTRACK_SELECT_H

#include "report/report.h"
#include "report/shown.h"

void select_walk(const struct report *r,
		 void (*show)(void *context, const struct shown *shown),
		 void *context);

#endif
