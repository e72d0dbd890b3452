/*
 * The figures of a report, in one list for text and JSON: what balance.h makes
 * of the others, what was traced, what that cost, what was not seen, not kept
 * or not to be believed, and what of the report was written.
 *
 * The order is that within JSON records and, so that a template can take a run
 * of values, within the lines of text.
 */
#ifndef MEMSTRACK_FIGURES_H
#define MEMSTRACK_FIGURES_H

#include "report/report.h"

enum figure {
	FIGURE_FALL, FIGURE_TRACED, FIGURE_VMALLOC, FIGURE_BULK, FIGURE_CMA,
	FIGURE_BEFORE, FIGURE_PCP, FIGURE_REST, FIGURE_PERMILLE,

	FIGURE_TOTAL_KIB, FIGURE_LOWEST_KIB, FIGURE_USED_KIB,
	FIGURE_ADVICE_KIB,

	FIGURE_LEVEL, FIGURE_START_NS, FIGURE_END_NS, FIGURE_PAGE_SIZE,
	FIGURE_MEM_TOTAL_KIB, FIGURE_FREE_START_KIB, FIGURE_FREE_NOW_KIB,
	FIGURE_FREE_LOWEST_KIB, FIGURE_FREE_LOWEST_NS,
	FIGURE_NOW_PAGES, FIGURE_PEAK_PAGES, FIGURE_PEAK_NS, FIGURE_ALLOCS,
	FIGURE_FREES, FIGURE_BEFORE_FREES, FIGURE_SEEN, FIGURE_APPLIED,
	FIGURE_IGNORED, FIGURE_REJECTED, FIGURE_LOST,
	FIGURE_OWN_BYTES, FIGURE_CPU_NS,

	FIGURE_PAGES_BYTES, FIGURE_STACKS_BYTES, FIGURE_TASKS_BYTES,
	FIGURE_MODULES_BYTES, FIGURE_RING_BYTES, FIGURE_STACKS_ROWS,
	FIGURE_OWNERS_ROWS, FIGURE_TASKS_ROWS, FIGURE_MODULES_ROWS,
	FIGURE_SYMBOLS_ROWS, FIGURE_CPUS_TRACED, FIGURE_CPUS_ONLINE,

	FIGURE_LOST_RECORDS, FIGURE_LATE, FIGURE_MISSED_FREES,
	FIGURE_UNTRACKED_PAGES, FIGURE_OUTSIDE_RAM, FIGURE_BAD_RECORDS,
	FIGURE_FAILED_ALLOCS, FIGURE_TASKS_FULL, FIGURE_TASKS_RECYCLED,
	FIGURE_TASKS_RECYCLED_PEAK, FIGURE_MODULES_FULL,
	FIGURE_MODULES_RECYCLED, FIGURE_MODULES_RECYCLED_PEAK,
	FIGURE_RANGES_FULL, FIGURE_AREAS_FULL, FIGURE_STACKS_FULL,
	FIGURE_OWNERS_FULL,
	FIGURE_OWNERS_RECYCLED, FIGURE_OWNERS_RECYCLED_PEAK,
	FIGURE_ANON_PAGES, FIGURE_BEFORE_PAGES,

	FIGURE_LINES, FIGURE_CUT, FIGURE_FRAMES, FIGURE_UNNAMED,
	FIGURES,

	FIGURE_BALANCE = FIGURE_FALL, FIGURE_ADVICE = FIGURE_TOTAL_KIB,
	FIGURE_HEAD = FIGURE_LEVEL, FIGURE_OWN = FIGURE_PAGES_BYTES,
	FIGURE_COUNTERS = FIGURE_LOST_RECORDS, FIGURE_WRITTEN = FIGURE_LINES,

	/* Of rows: no values here, but names in JSON. */
	NUMBER_PAGES = FIGURES,		/* PAGE_COUNTS of select.h */
	NUMBER_PID = NUMBER_PAGES + 7, NUMBER_TGID, NUMBER_START_NS,
	NUMBER_RSS,
	NUMBER_ROWS,
};

/* Those of free memory and the balance are UNKNOWN until it was sampled; what
 * is written is 0. */
void figures_get(const struct report *r, uint64_t value[FIGURES]);

/* What JSON calls every figure and number, for text_at(). */
extern const char figure_names[];

/* The same for the counters, what to print behind one that is not 0. Behind a
 * '|' stands the parameter to raise; '^' is the highest peak of those of the
 * counter before; in parentheses, what is harmless; nothing where the head
 * tells it elsewhere. */
extern const char counter_texts[];

#endif
