/*
 * What a report shows, in the order it shows it.
 *
 * text.c, json.c and report_collect() are visitors of one walk, so that all
 * three speak of the same rows and stacks. Rows that never held a page are not
 * shown. Order: peak, the largest first; then name, pid, row. Stacks follow
 * their row from level 2 on.
 *
 *	             rows of a table      stacks of a row
 *	level 1      10                   none
 *	level 2      10                   3
 *	level 3      all                  all
 *
 * `top` replaces 10 and all, and bounds the stacks; `throttle` ends a table at
 * the row with which those shown hold so much of the peak: at_peak is what
 * adds up, peaks do not. The room for sorting is the ledger's scratch; what
 * should not fit joins what is not shown.
 */
#ifndef MEMSTRACK_SELECT_H
#define MEMSTRACK_SELECT_H

#include <stdint.h>
#include "line.h"
#include "report.h"

enum table { TABLE_MODULES, TABLE_TASKS };

struct shown_row {
	enum table table;
	uint32_t row;		/* of modules or tasks */
	uint32_t now, peak, at_peak;	/* pages */
};

#define NO_LEAF UINT32_MAX

struct shown_stack {
	uint32_t leaf;		/* NO_LEAF: pages without a stack; a root:
				 * of this module, but no room for frames */
	uint32_t now, peak;	/* pages */
	int peak_known;		/* a module's pages without a stack: no peak */
	uint32_t index, count;	/* the index'th, from 1, of so many */
};

/* Rows or stacks that are not shown. */
struct shown_rest {
	uint32_t count;
	uint64_t now, at_peak;	/* pages; at_peak: of rows only */
};

struct visitor {
	void (*table)(struct visitor *v, enum table t);
	void (*row)(struct visitor *v, const struct shown_row *r);
	void (*stack)(struct visitor *v, const struct shown_row *r,
		      const struct shown_stack *s);
	/* stacks: the rest of r's; else (r NULL) of the table's rows */
	void (*rest)(struct visitor *v, enum table t,
		     const struct shown_row *r, const struct shown_rest *rest);
};

/* NULL members are not called. */
void select_walk(const struct report *r, struct visitor *v);

/* Names as they are, bytes of all kinds; *size bounds them. */
const char *row_name(const struct ledger *l, enum table t, uint32_t row,
		     size_t *size);
/* Rows of the program: "(no module)", "(other)", "(irq)". */
int row_is_fixed(enum table t, uint32_t row);

uint64_t pages_kib(const struct report *r, uint64_t pages);

/* "symbol+0xoff [module]", or the address; whether it had a name. */
int frame_write(struct line *l, const struct report *r, uint64_t addr,
		enum escape e);

#endif
