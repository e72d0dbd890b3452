/* SPDX-License-Identifier: MIT */
/* What the ledger keeps over time, what it gets in samples, and RAM. */
#ifndef MEMSTRACK_LEDGER_HISTORY_H
#define MEMSTRACK_LEDGER_HISTORY_H

#include <stdint.h>
#include "base/base.h"
#include "ledger/tables.h"
#include "limits.h"
#include "source/event.h"

/*
 * --- timeline
 *
 * The use of memory over the whole trace, in a bounded number of points.
 *
 * Points are taken at samples of free memory, which come when the rings are
 * drained: they cause no wakeup. When all points are used, every second point
 * is dropped and the step between points doubles. A point refers to rows, which
 * another task or module may get later: if the row's task or module began after
 * the point, the point means an earlier one.
 */

#define LARGEST 3u

struct largest {
	uint32_t row, pages;		/* pages 0: none */
};

struct moment {
	ROW_ALIGN uint64_t time_ns;
	uint64_t slab_bytes;		/* in objects that were traced */
	uint32_t free_pages, traced_pages, areas_pages;
	uint32_t kind[KINDS];		/* pages */
	/* Set by need_point(), except in snapshot_peak(). */
	uint32_t swappable_pages;
	uint8_t settled;
	int64_t hard_pages;
	struct largest module[LARGEST];	/* with image and vmalloc */
	struct largest task[LARGEST];	/* with vmalloc */
};

struct timeline {
	struct moment *point;		/* TIMELINE_POINTS */
	uint32_t points;
	uint64_t step_ns;
};

uint64_t timeline_bytes(void);
/* *t is zeroed. */
int timeline_init(struct timeline *t, struct arena *a);

/* A new point for the caller to fill. NULL: the last point is too recent. */
struct moment *timeline_point(struct timeline *t, uint64_t time_ns);

/*
 * --- phases
 *
 * What the boot does, as hooks say (memstrack mark NAME): a phase lasts until the
 * next one begins.
 */

struct phase {
	ROW_ALIGN uint64_t time_ns;	/* its begin */
	char name[PHASE_NAME_BYTES];
};

struct phases {
	struct phase phase[PHASES_MAX];	/* the first ones */
	uint32_t used, more;
};

/* The name of the phase at this time, or NULL. */
const char *phase_at(const struct phases *p, uint64_t time_ns);

/*
 * --- history
 *
 * The pages of each module and each task at each point of the timeline, and
 * when tasks and loads ended: the data for a picture of the boot.
 *
 * A column of a series belongs to a row of modules or of tasks, and has the
 * row's pages at each point. A row gets a column at the first point at which it
 * holds pages. If all columns are taken, the column with the smallest peak goes
 * to the new row, if this row holds more: so the largest rows, which a picture
 * shows, keep their columns. The pages of a row at points before it had a
 * column are not known; they count in the total of the point, but in no column.
 * When another task or module gets the row, the column keeps the name of the
 * old one and holds 0 from then on.
 *
 * The ledger keeps a history only if layout.history is set.
 */

#define COLUMN_CLOSED UINT32_MAX

struct column {
	uint32_t row;			/* or COLUMN_CLOSED */
	uint32_t peak;			/* pages, of all points */
	uint32_t tid;			/* of a task, if closed */
	char name[MODULE_NAME_BYTES];	/* if closed */
};

struct series {
	struct column *column;		/* HISTORY_COLUMNS */
	uint32_t *pages;		/* TIMELINE_POINTS of each column */
	uint64_t *total;		/* of all rows, at each point */
	uint64_t *end_ns;		/* of each row: its task's life or its
					 * module's load; 0: not ended */
	uint8_t *of_row;		/* its column + 1; 0: none */
	uint32_t columns;
};

struct history {
	int on;
	struct series modules, tasks;
};

/* Does anybody read it: JSON, or the pictures that are made here? */
FEATURE_INLINE int has_history(void)
{
	return has_feature(FEATURE_JSON | FEATURE_SVG | FEATURE_CHROME);
}

FEATURE_INLINE int history_is_on(const struct history *h)
{
	return has_history() && h->on;
}

uint64_t history_bytes(uint32_t module_rows, uint32_t task_rows);
/* The part of history_bytes() for a row of either table. */
#define HISTORY_ROW_BYTES (sizeof(uint64_t) + 1)
/* *h is zeroed. */
int history_init(struct history *h, struct arena *a, uint32_t module_rows,
		 uint32_t task_rows);

/* Drops every second of this many points, like the timeline. */
void history_thin_out(struct history *h, uint32_t points);
/* Stores what all rows hold now as this point. */
void history_point(struct history *h, uint32_t point, const struct modules *m,
		   const struct tasks *t);

/* These do nothing if there is no history. */
void history_end(struct series *s, uint32_t row, uint64_t time_ns);
/* Another module or task gets this row. Call this before the row changes. */
void history_forget_module(struct history *h, const struct modules *m,
			   uint32_t row);
void history_forget_task(struct history *h, const struct tasks *t,
			 uint32_t row);

static inline uint32_t history_pages(const struct series *s, uint32_t column,
				     uint32_t point)
{
	return s->pages[column * TIMELINE_POINTS + point];
}

/*
 * --- samples
 *
 * Samples, where nothing can be traced.
 *
 * The source then reads /proc now and then (source/sampled/). In one pass it
 * emits the resident set of each task, the size of each module, and the kinds
 * of memory in /proc/meminfo. A ledger is either traced or sampled, never both:
 * the first event decides, and events of the other sort are then rejected.
 *
 * In a sampled ledger
 *   a task's pages      are its resident set. Its peak is the kernel's VmHWM.
 *                       Pages that tasks share count in each task;
 *   a module's pages    are its image, in whole pages;
 *   kinds               are all memory in use, not only memory allocated since
 *                       the start. KIND_OTHER is what no kind explains: pages
 *                       that a driver or the kernel itself allocated directly.
 * "At the peak" is the pass before the lowest sample of MemFree. All other
 * peaks are peaks of samples: what came and went between two samples is not
 * seen.
 */

/* The number of slab caches that are kept: the largest ones. */
#define CACHES_MAX 16u

struct cache_row {
	struct count pages;
	char name[SLAB_NAME_BYTES];
};

struct samples {
	int on;				/* this ledger is sampled */
	uint32_t pass, caches;
	uint32_t tasks;			/* in this pass, so far */
	uint32_t meminfo[MEMINFO_LINES];	/* pages, in this pass */
	uint64_t kills, kills_start;	/* of the OOM killer */
	int kills_counted;
	struct count kind[KINDS];
	uint32_t kind_start[KINDS];	/* pages, in the first pass */
	struct cache_row cache[CACHES_MAX];
};

/*
 * --- ram rows
 *
 * The parts of RAM (EVENT_RAM): kept by the firmware, the kernel's image,
 * reserved at boot, and used before tracing.
 *
 * The rows are those at the start of tracing. A report adds what is traced and
 * what is free now (report/parts.h, ram).
 */

/* 4 EiB. */
#define RAM_KIB_MAX (UINT64_C(1) << 52)

struct ram_row {
	uint64_t kib;
	uint8_t group;			/* enum ram_group */
	uint8_t within;			/* another row contains it */
	char name[RAM_NAME_BYTES];
};

struct ram_rows {
	struct ram_row row[RAM_ROWS_MAX];
	uint32_t used;
};

/* Can there be rows: from this machine, or from a recording? */
FEATURE_INLINE int has_ram_rows(void)
{
	return has_feature(FEATURE_RAM | FEATURE_REPLAY);
}

/* Adds to the row of this group and name, or makes the row. 1; -1: the event
 * cannot be true, or there is no room. */
int ram_rows_add(struct ram_rows *r, const struct event *e);

/* The size of a row; 0: there is no such row. */
uint64_t ram_rows_kib(const struct ram_rows *r, enum ram_group group,
		      const char *name);

/*
 * --- need
 *
 * How much memory was needed at the worst moment: memory in use, less the pages
 * of files that could have been given back and read again.
 *
 * Memory in use is known after every event, and so are the pages that were read
 * from files since tracing began: by the flags of their allocation, or by their
 * call chain once functions are known (tables.h, kinds). But only samples show
 * how many of all pages of files, also those from before, could be given back.
 * Between two samples the smaller number counts, so that no moment looks better
 * than it was. need_sample_due() asks for a sample as soon as a new worst
 * moment may have come, so that this moment looks only a little worse.
 *
 * If swap has room for anonymous pages, only a part of these pages is needed in
 * memory: the part that memory holds, compressed, of the pages that were
 * swapped out. This part is known once swap is used, and then counts for all
 * moments.
 */

/* Pages, counted from the start like ledger_used(). */
struct need {
	int known;
	int64_t other;		/* could be given back at the last sample, minus
				 * pages read from files since tracing began */
	int64_t most, worst;	/* in use without pages read from files, at most
				 * since that sample; and, without `other` too,
				 * at the worst moment */
	uint64_t most_ns, worst_ns;
	uint64_t anon, shmem, slab;	/* at the sample after worst_ns */
	uint64_t swappable;	/* anonymous pages for which swap had room; */
	uint64_t swap_frees;	/* of 1024 of these, so many are not needed */
};

/* The pages that swap would free, of this many. */
static inline uint64_t need_swaps(const struct need *n, uint64_t pages)
{
	return pages * n->swap_frees / 1024;
}

/* a - b. A forged trace may have any numbers, so the difference may wrap. */
static inline int64_t need_less(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

/* The pages that could not be given back at a point with these figures. */
static inline int64_t need_at(const struct need *n, int64_t hard_pages,
			      uint64_t swappable_pages)
{
	return need_less(hard_pages, (int64_t)need_swaps(n, swappable_pages));
}

static inline void need_begin(struct need *n, int64_t used, uint64_t now_ns)
{
	n->most = used;
	n->most_ns = now_ns;
}

static inline void need_used(struct need *n, int64_t used, uint64_t now_ns)
{
	if (used <= n->most)
		return;
	n->most = used;
	n->most_ns = now_ns;
}

/* May the worst moment be more than this many pages worse than is known? */
static inline int need_sample_due(const struct need *n, uint64_t pages)
{
	return n->known &&
	       need_less(need_less(n->most, n->other), n->worst) >
	       (int64_t)pages;
}

/* This many more pages turn out to be read from files. */
static inline void need_rebase(struct need *n, uint64_t pages)
{
	n->most = need_less(n->most, (int64_t)pages);
	n->other = need_less(n->other, (int64_t)pages);
}

/*
 * --- books
 *
 * A ledger that was not traced: the kernel itself records who holds which page
 * (page_owner), and `memstrack view` enters these records here.
 *
 * Only what is held now is known: no row has a peak. The table of pages stays
 * empty.
 */

struct books {
	int on;
	int without_tasks;		/* the records have no tasks */
	uint64_t records;
	uint64_t wrong_lines;		/* skipped */
	uint64_t migrated_pages;	/* charged to their first owner */
	uint64_t counts;		/* records of allocations, not pages */
	uint64_t silent;		/* records without a number of pages */
	uint64_t full_frames;		/* frames whose names had no room */
};

#endif
