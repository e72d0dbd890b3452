/* SPDX-License-Identifier: MIT */
/*
 * Who holds which page: all tables, and the totals beside them.
 *
 * No system call, no clock, no allocation: the same events give the same ledger
 * on any machine. ledger_apply() (events.h) takes an event and calls the
 * *_events.c file of its kind, which changes all tables together, so that the
 * parts always add up. No table depends on the ledger that contains it.
 *
 * Conservation: seen = applied + ignored + rejected.
 *   applied   the event changed the books
 *   ignored   the event is valid but changes nothing: a failed allocation, a
 *             free of pages from before tracing, the exit of an unknown task
 *   rejected  the event cannot be true or has no room: a page outside RAM, an
 *             order too large, a record that does not fit its format, a full
 *             table
 */
#ifndef MEMSTRACK_LEDGER_LEDGER_H
#define MEMSTRACK_LEDGER_LEDGER_H

#include <stdint.h>
#include "base/base.h"
#include "ledger/history.h"
#include "ledger/objects.h"
#include "ledger/tables.h"
#include "source/event.h"

struct totals {
	uint64_t seen, applied, ignored, rejected;
	uint64_t allocs, frees;		/* events; frees from before included */
	uint64_t failed_allocs;		/* the kernel had no page */
	uint64_t before_frees;		/* pages from before tracing, freed */
	uint64_t missed_frees;		/* pages allocated while held, or found
					 * free: a free is missing */
	uint64_t settled_pages;		/* of late events: tables.h, late */
	uint64_t untracked_pages;	/* no room in the page table */
	uint64_t outside_ram;		/* events */
	uint64_t bad_records;		/* EVENT_REJECTED, or unknown type */
	uint64_t lost;			/* records lost by the rings */
	uint64_t alloc_pages;		/* of all allocations that were seen */
	uint64_t unseen_pages;		/* at most, of allocations that were not
					 * seen; up to here: */
	uint64_t unseen_lost;		/* the records lost by then */
	uint64_t late;			/* events older than the one before */
	uint64_t anon_pages;		/* allocated without a call chain */
};

/* Memory used before tracing, with the kernel's name. */
struct figure_kib {
	uint64_t kib;
	char name[FIGURE_NAME_BYTES];
};

/* Memory in use before tracing, by code: EVENT_TAG. */
struct tag_row {
	uint64_t bytes, calls;
	char name[MODULE_NAME_BYTES];
	uint32_t at_least;		/* the kernel missed allocations */
};

struct tag_rows {
	uint32_t used;
	uint32_t ended, is_part;	/* part: the file was not read to its
					 * end */
	uint64_t all, wrong_lines;
	struct tag_row row[TAGS_SHOWN];
};

/* The kernel could not unpack the whole initramfs, and went on with what it
 * had. */
struct unpack {
	char error[MODULE_NAME_BYTES];	/* the kernel's message; "": none */
	uint64_t bytes;		/* in rootfs; UINT64_MAX: not known */
	uint64_t limit_pages;	/* of rootfs; 0: none; UINT64_MAX: not known */
	char file[MODULE_NAME_BYTES];	/* the last one; "": not known */
	uint64_t cut_bytes;	/* missing in this file; 0: it is whole */
	uint64_t inodes;	/* of rootfs, if none was left */
};

/* One of the largest parts of the initramfs: a file, or a directory with all
 * below it. */
struct initramfs_row {
	uint64_t bytes;
	char name[MODULE_NAME_BYTES];
};

/* An allocation of several pages in one piece failed, and the kernel warned
 * (EVENT_WARNS). */
struct failure {
	uint64_t pages, order, time_ns;	/* of the first such allocation */
	uint64_t count;			/* of such allocations */
	uint64_t free_pages, look_ns, block_pages;	/* EVENT_BLOCKS; look_ns
							 * 0: it did not come */
	uint64_t kinds_known;		/* 0: module[] of `at` includes movable
					 * pages */
	struct moment at;		/* module[]: the most unmovable pages */
	uint32_t module, task;		/* rows: who allocated */
};

/* A tmpfs that had no room or no inode left in a look. */
struct full_mount {
	uint64_t since_ns, last_ns;	/* the first and last of the looks in a
					 * row that found it full */
	uint64_t size_bytes;		/* its limit; 0: no limit */
	uint64_t pages, inodes;		/* inodes 0: some are left */
	uint64_t unseen_pages;		/* of files, in no account */
	char name[MODULE_NAME_BYTES];	/* the end of its path */
};

struct full {
	uint32_t mounts;		/* rows */
	uint32_t more, more_now;	/* mounts without a row, in the last
					 * look and in this one */
	uint64_t look_ns;		/* the last look */
	struct full_mount mount[FULL_MOUNTS];	/* in order of time */
};

/* The record of events from before init comes before all other events. What was
 * held at its end was still held when free memory was first sampled: so the
 * balance leaves this memory out. */
struct before_init {
	uint32_t marks;			/* EVENT_BEFORE_INIT so far: 1: in the
					 * record; 2: it has ended */
	uint64_t start_ns, end_ns;
	uint64_t events, lost;
	uint64_t used_pages;		/* ledger_used() at its end */
	uint64_t held_pages;		/* traced and held at its end */
	uint64_t freed_pages;		/* from before the record */
	uint64_t handed_pages;		/* handed to the allocator; not in use
					 * before */
};

/* The OOM killer has chosen a task. */
struct kill {
	uint64_t time_ns;
	uint32_t tid;			/* 0: not known */
};

enum { MOVES_STRUCT = 1, MOVES_PAGE };

/* A task that moves pages. While it compacts, other pages that it frees were
 * free before, or their content has moved: they are not from before tracing. */
struct mover {
	uint32_t tid;
	uint8_t compacts;
	uint8_t moves;			/* the old page is not freed yet: */
	uint64_t from;			/* MOVES_PAGE: its pfn; MOVES_STRUCT:
					 * the address of its page struct */
	int64_t on;			/* distance to the new one: in pages; in
					 * bytes */
};

/* A task that compresses pages: the pages that it has allocated for compressed
 * data, the oldest first, and that have not got their new owner yet (events.h,
 * compress events). */
struct squeezer {
	uint32_t tid;
	uint32_t first, pages;		/* of pfn[], in a circle */
	uint64_t pfn[SQUEEZED_PAGES];
};

/* Maps page structs to pages: page structs lie in the order of their pages. The
 * first moves of a trace reveal the mapping, by the pages that are freed behind
 * them; until then moves are lost. */
struct page_structs {
	uint64_t at, pfn;		/* of one page; 0: none was seen */
	uint32_t bytes;			/* of a page struct; 0: not known yet */
	uint32_t strays;		/* moves in a row that did not fit */
};

/* Memory that came or went while we trace (events.h, growth), in pages. */
struct growth {
	uint64_t first_ns, last_ns;	/* 0: never */
	uint64_t more_pages, less_pages;
	int64_t pages;			/* the allocator's growth: now, */
	int64_t peak_pages;		/* when the most was used, */
	int64_t fall_pages;		/* when MemFree had fallen most, */
	int64_t lowest_pages;		/* and when MemFree was lowest */
	uint64_t due_pages;		/* came, but no free was seen yet */
	uint64_t last_block;		/* the last large free that counted as
					 * pages from before tracing */
	uint64_t start_pages, ram_pages;	/* RAM at the start, and now */
	uint64_t structs_bytes;		/* page structs of RAM that came */
};

struct ledger {
	struct tasks tasks;
	struct count traced;		/* all pages held */
	uint64_t last_ns;
	uint32_t epoch;			/* see tables.h, count */
	uint32_t figures;
	uint8_t memory_sampled, pcp_sampled;
	struct modules modules;
	uint64_t tree_pages;		/* of all pages, of the followed tree */
	int tree;			/* followed, by ledger_follow() */
	int kdump;			/* a crash kernel */
	uint64_t peak_ns;
	uint64_t used_peak_pages, used_peak_ns;	/* see ledger_used() */
	uint32_t *scratch;		/* report/: rows to be sorted */
	uint32_t scratch_capacity;
	struct pages pages;
	struct stacks stacks;
	struct owners owners;
	struct areas areas;
	struct initcalls initcalls;
	struct timeline timeline;
	struct phases phases;
	struct history history;
	struct kill kill[KILLS_MAX];	/* the first ones */
	uint32_t kills;
	uint64_t low_ns;		/* when a report found memory low; 0:
					 * never */
	int ran_out;			/* the machine ran out of memory, and a
					 * task was killed */
	struct kinds kinds;
	struct samples samples;
	struct slab_ledger slab;
	struct before_init before_init;
	struct late missed_allocs, missed_frees;
	struct mover mover[MOVERS_MAX];
	uint32_t movers;		/* rows that have been used */
	struct squeezer squeezer[SQUEEZERS_MAX];
	uint32_t squeezers, squeezer_next;	/* rows in use; the next one */
	struct page_structs page_structs;
	struct totals total;
	/* Free pages on per-CPU lists, which MemFree does not count. */
	uint64_t pcp_start_pages, pcp_now_pages;
	uint64_t free_start_pages, free_now_pages;
	uint64_t free_lowest_pages, free_lowest_ns;
	int64_t fall_most;		/* ledger_fall() */
	struct growth growth;
	struct need need;
	uint64_t kept_pages[KEPTS];	/* the last EVENT_KEPT of each */
	uint64_t cma_looks, cma_least_pages;	/* KEPT_CMA: number of events,
						 * and their least pages */
	struct figure_kib figure[FIGURES_MAX];
	struct tag_rows tags;
	char source[SOURCE_NAME_BYTES];	/* of the events; "": not known */
	struct ram_rows ram;
	struct unpack unpack;
	struct initramfs_row initramfs[INITRAMFS_PARTS];
	uint32_t initramfs_rows;
	struct full full;
	struct failure failure[FAILURES_MAX];	/* the first ones */
	uint32_t failures;
	struct books books;
};

/* The largest share of all rings, for layout_divide(): of a kernel that preempts,
 * and of one that does not. */
#define RINGS_MOST 600u
#define RINGS_MOST_UNPREEMPTED 750u

struct layout_rings {
	uint32_t count;			/* each a power of two */
	uint32_t most_per_mille;
};

/* Divides a budget (bytes, rings included) by fixed shares. Keeps all numbers
 * in `want` that are not 0. `rings`: NULL for the usual share. 0; -ENOMEM: the
 * budget is too small for the floors; -EINVAL: too few nodes or owners. */
int layout_divide(struct layout *l, const struct layout *want,
		  const struct ram *ram, uint64_t budget_bytes,
		  const struct layout_rings *rings);
uint64_t layout_bytes(const struct layout *l, const struct ram *ram);
/* The bytes of a flat page table that comes besides the budget, or 0: for memory
 * that is offline and may be used before long, and for a large machine. Of all
 * memory total_bytes are online. */
uint64_t layout_flat_beside(const struct ram *ram, uint64_t total_bytes,
			    uint32_t page_size);
/* The bytes that the rings get besides their share if objects of slab are
 * traced. */
uint64_t layout_slab_rings(const struct layout *want);
/* Reduces, in a divided layout, what a sampled ledger does not use: pages,
 * stacks, owners and rings. */
void layout_for_samples(struct layout *l);

/* The fall of free memory since its first sample, in pages, corrected for
 * memory that came or went while we trace; negative: a rise. */
uint64_t ledger_fall(const struct ledger *l);

/* Are objects of slab traced? */
FEATURE_INLINE int ledger_has_objects(const struct ledger *l)
{
	return has_feature(FEATURE_SLAB) && l->slab.on;
}

/* Is this ledger sampled (history.h, samples)? */
FEATURE_INLINE int is_sampled(const struct ledger *l)
{
	return has_feature(FEATURE_SAMPLES) && l->samples.on;
}

/* Does it hold the kernel's own records (history.h, books)? */
FEATURE_INLINE int of_books(const struct ledger *l)
{
	return has_feature(FEATURE_VIEW) && l->books.on;
}

int ledger_init(struct ledger *l, struct arena *a, const struct layout *want,
		const struct ram *ram);

/* The number of pages used, compared with the first sample of free memory
 * (negative: fewer). These are all pages that were seen allocated, in any way,
 * and not freed, minus the freed pages from before tracing. Exact after every
 * event, except that other bulk allocations are left out (tables.h, areas).
 * MemFree, in contrast, can only be sampled, and does not count the pages on
 * per-CPU lists. In a sampled ledger the result is the fall of MemFree; if a
 * tree of processes is followed, the pages that the tree holds. */
uint64_t ledger_used(const struct ledger *l);

/* From now on the peak is that of a tree of processes: this process and all its
 * descendants. 0, or -ESRCH: the process is not known. */
int ledger_follow(struct ledger *l, uint32_t pid);

/* Checks all sums that can be computed in two ways. NULL, or a text about the
 * first wrong sum. Walks all tables: for tests and sanitized builds. */
const char *ledger_check(const struct ledger *l);

/*
 * --- snapshot
 *
 * The free and held memory at one instant, and the modules and tasks that held
 * most of it.
 */

/* This instant. The caller has zeroed *p and set its time. */
void snapshot_now(const struct ledger *l, struct moment *p);

/* Offers a row to an ordered list of the `most` largest rows. */
void snapshot_offer(struct largest *best, uint32_t most, uint32_t row,
		    uint32_t pages);

/* The instant at which most memory was used. */
void snapshot_peak(const struct ledger *l, struct moment *p);

/* The modules that now hold the most pages that the kernel cannot move. Uses
 * the ledger's scratch. *p is zeroed. */
void snapshot_unmovable(const struct ledger *l, struct moment *p);

#endif
