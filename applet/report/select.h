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

#include <stdint.h>
#include "config/sections.h"
#include "report/line.h"
#include "report/report.h"

/* Callers of vmalloc have no stacks, and no value at the peak: areas are named
 * when they are looked at. */
enum table { TABLE_MODULES, TABLE_CALLERS, TABLE_TASKS, TABLES };

enum shown_kind {
	SHOWN_TABLE,		/* begins */
	SHOWN_ROW,
	SHOWN_STACK,		/* of the row before it */
	SHOWN_OTHER_STACKS,	/* of it, that are not shown */
	SHOWN_OTHER_ROWS,	/* of the table */
};

enum {
	PAGES_NOW, PAGES_PEAK, PAGES_AT_PEAK,
	/* Of modules alone, and on top of these. */
	PAGES_IMAGE, PAGES_VMALLOC, PAGES_IMAGE_PEAK, PAGES_VMALLOC_PEAK,
	PAGE_COUNTS,
	PAGES_IN_TASKS = PAGES_IMAGE,
};

#define NO_LEAF UINT32_MAX

struct shown {
	enum shown_kind kind;
	enum table table;
	uint32_t row;		/* of modules or tasks */
	uint32_t leaf;		/* of a stack: NO_LEAF: pages without one; a
				 * root: of this module, no room for frames */
	uint32_t index, count;	/* the index'th stack, from 1, of so many; or
				 * that many others */
	uint64_t pages[PAGE_COUNTS];	/* UNKNOWN where there is none */
};

void select_walk(const struct report *r,
		 void (*show)(void *context, const struct shown *shown),
		 void *context);

/* The next section of a report, its list at *at; *part shows what that does: all
 * rows, unless it says how many. 0: there is none. */
int select_section(const struct report *r, const char **at, struct section *n,
		   struct report *part);

/* "module", "vmalloc", "task"; TABLES: "stack". */
const char *table_name(unsigned int table);
/* A name as it is: bytes of all kinds. */
const char *row_name(const struct ledger *l, enum table t, uint32_t row);
/* Rows of the program: "(no module)", "(other)", "(irq)". A caller is one as
 * any other. */
int row_is_fixed(enum table t, uint32_t row);
/* Of modules: gone, or never there, and holding pages. */
int row_leaks(const struct ledger *l, uint32_t row);
/* "fixed" for these, else what became of its task or module: "live", "exited",
 * "loading", "failed", "gone". */
const char *row_state(const struct ledger *l, enum table t, uint32_t row);

/* " [module]" */
void module_write(struct line *l, const struct ledger *g, uint32_t row);
/* "symbol+0xoff [module]"; "(init)+0xoff [module]" for init text, whose symbols
 * the kernel drops, and "(gone)+0xoff [module]" for code of a module that is
 * gone, where other code has taken its place; or the address. Whether it had a
 * name. */
int frame_write(struct line *l, const struct report *r, uint64_t addr);

#endif
