/* SPDX-License-Identifier: MIT */
/*
 * What samples tell where nothing can be traced.
 *
 * The source then looks at /proc now and then (source/sampled/). It tells, in
 * one pass, the resident set of each task, the size of each module, and the
 * kinds of memory as /proc/meminfo knows them. A ledger is either traced or
 * sampled, never both: the first event of a kind decides, and those of the
 * other kind are then rejected.
 *
 * In a sampled ledger
 *   a task's pages      are its resident set. Its peak is what the kernel says
 *                       that it ever had. Pages that tasks share count in each.
 *   a module's pages    are its image, in whole pages;
 *   kinds               are all memory in use, not only what was taken since
 *                       the start. KIND_OTHER is what no kind explains: pages
 *                       that a driver or the kernel itself took directly.
 * "At the peak" is the pass before the sample of MemFree that was the lowest.
 * All other peaks are those of the samples: what came and went between two
 * samples is not seen.
 */
#ifndef MEMSTRACK_SAMPLES_H
#define MEMSTRACK_SAMPLES_H

#include <stdint.h>
#include "ledger/count.h"
#include "ledger/kind_rules.h"
#include "source/event.h"
#include "source/session.h"

/* The largest slab caches are kept. */
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

#endif
