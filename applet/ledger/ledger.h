/* SPDX-License-Identifier: MIT */
/*
 * Who holds which page: all tables, and the totals beside them.
 *
 * No system call, no clock, no allocation: the same events give the same ledger
 * on any machine. events.h, apply takes an event and calls the *_events.c file
 * of its kind, which changes all tables together, so that the parts always add
 * up. No table knows the ledger that holds it.
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
	uint64_t before_frees;		/* freed, allocated before tracing */
	uint64_t missed_frees;		/* allocated while held, or found free:
					 * a free is missing */
	uint64_t settled_pages;		/* of late events: tables.h, late */
	uint64_t untracked_pages;	/* no room in the page table */
	uint64_t outside_ram;		/* events */
	uint64_t bad_records;		/* EVENT_REJECTED */
	uint64_t lost;			/* records lost by the rings */
	uint64_t late;			/* events older than the event before */
	uint64_t anon_pages;		/* allocated without a call chain */
};

/* Memory used before tracing, under the kernel's name for it. */
struct figure_kib {
	uint64_t kib;
	char name[FIGURE_NAME_BYTES];
};

/* The kernel could not unpack the whole initramfs, and went on with what it
 * had. */
struct unpack {
	char error[MODULE_NAME_BYTES];	/* the kernel's word; "": none */
	uint64_t bytes;		/* in rootfs; UINT64_MAX: not known */
	uint64_t limit_pages;	/* of rootfs; 0: none; UINT64_MAX: not known */
	char file[MODULE_NAME_BYTES];	/* the last one; "": not known */
	uint64_t cut_bytes;	/* which it lacks; 0: it is whole */
	uint64_t inodes;	/* of rootfs, if none was left */
};

/* What holds most of the initramfs: a directory with all below it, or a file. */
struct initramfs_row {
	uint64_t bytes;
	char name[MODULE_NAME_BYTES];
};

/* An allocation of several pages in one piece failed, for somebody who has no
 * other way. */
struct failure {
	uint64_t pages, order, time_ns;	/* what was asked for first, */
	uint64_t count;			/* and how often */
	uint64_t free_pages, look_ns, block_pages;	/* EVENT_BLOCKS; look_ns
							 * 0: nobody looked */
	uint64_t kinds_known;		/* else movable pages count too, in */
	struct moment at;		/* module[]: who held them */
	uint32_t module, task;		/* rows: who asked */
};

/* A tmpfs that had no room or no inode left when it was looked at. */
struct full_mount {
	uint64_t since_ns, last_ns;	/* looks that found it full: the first
					 * of those in a row, and the last */
	uint64_t size_bytes;		/* what it may hold; 0: no limit */
	uint64_t pages, inodes;		/* inodes 0: some are left */
	uint64_t unseen_pages;		/* of files that no account has */
	char name[MODULE_NAME_BYTES];	/* the end of its path */
};

struct full {
	uint32_t mounts, more;		/* rows; mounts without one, at the last
					 * look */
	uint32_t more_now;		/* at this one */
	uint64_t look_ns;		/* the last one */
	struct full_mount mount[FULL_MOUNTS];	/* in order of time */
};

/* The record of events from before init, which comes before all else. What was
 * held at its end was held when free memory was first sampled: so the balance
 * leaves it out. */
struct before_init {
	uint32_t marks;			/* EVENT_BEFORE_INIT: 1 begins it, 2
					 * end it */
	uint64_t start_ns, end_ns;
	uint64_t events, lost;
	uint64_t used_pages;		/* at its end: ledger_used() */
	uint64_t held_pages;		/* traced */
	uint64_t freed_pages;		/* from before the record */
	uint64_t handed_pages;		/* to the allocator; were not in use */
};

/* The OOM killer has chosen a task. */
struct kill {
	uint64_t time_ns;
	uint32_t tid;			/* 0: not known */
};

enum { MOVES_STRUCT = 1, MOVES_PAGE };

/* A task that moves pages. Where it compacts, what it frees besides was free
 * before, or is held elsewhere now: no page from before tracing ends there. */
struct mover {
	uint32_t tid;
	uint8_t compacts;
	uint8_t moves;			/* it has not freed the old place yet: */
	uint64_t from;			/* that page, or, as EVENT_MOVE has it, its
					 * page struct */
	int64_t on;			/* how many pages; bytes then */
};

/* A task that compresses pages: what it has taken for that, the oldest first,
 * and has not given to who held them (events.h, compress events). */
struct squeezer {
	uint32_t tid;
	uint32_t first, pages;		/* of pfn[], in a circle */
	uint64_t pfn[SQUEEZED_PAGES];
};

/* Of which page a page struct is: they lie in the order of the pages. The first
 * moves of a trace tell it, by what is freed behind them; until then moves are
 * not followed. */
struct page_structs {
	uint64_t at, pfn;		/* of one of them; 0: none was seen */
	uint32_t bytes;			/* of each; 0: not known yet */
	uint32_t strays;		/* moves in a row that did not fit */
};

/* What came while we trace, and went (events.h, growth). In pages. */
struct growth {
	uint64_t first_ns, last_ns;	/* 0: never */
	uint64_t more_pages, less_pages;
	int64_t pages;			/* that the allocator has more now, */
	int64_t peak_pages;		/* when the most was used, */
	int64_t fall_pages;		/* when MemFree had fallen most, */
	int64_t lowest_pages;		/* and when it was the lowest */
	uint64_t due_pages;		/* came, and no free was seen of them */
	uint64_t last_block;		/* of pages counted as from before */
	uint64_t start_pages, ram_pages;	/* RAM at the start, and now */
	uint64_t structs_bytes;		/* page structs of what came */
};

struct ledger {
	struct tasks tasks;
	struct count traced;		/* all pages held */
	uint64_t tree_pages;		/* of these by the followed tree */
	int tree;			/* one is followed: ledger_follow() */
	uint32_t epoch;			/* see tables.h, count */
	int kdump;			/* a crash kernel */
	uint32_t figures;
	uint8_t memory_sampled, pcp_sampled;
	struct modules modules;
	uint64_t peak_ns, last_ns;
	uint64_t used_peak_pages, used_peak_ns;	/* see ledger_used() */
	uint32_t *scratch;		/* report/: rows to be sorted */
	uint32_t scratch_capacity;
	struct pages pages;
	struct stacks stacks;
	struct owners owners;
	struct areas areas;
	struct initcalls initcalls;
	struct timeline timeline;
	struct history history;
	struct kill kill[KILLS_MAX];	/* the first ones */
	uint32_t kills;
	uint64_t low_ns;		/* when memory was told to be low; 0: never */
	int ran_out;			/* the machine's, and a task was killed */
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
	uint64_t kept_pages[KEPTS];	/* of these: no room when last told */
	uint64_t cma_looks, cma_least_pages;	/* KEPT_CMA: how often it was told,
						 * and the least */
	struct figure_kib figure[FIGURES_MAX];
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

/* Divides a budget (bytes, rings included) by fixed shares. Numbers in `want`
 * that are not 0 are kept. `rings`: 0, or the number of rings of a kernel that
 * does not preempt; they are then made as large as the tables permit. -ENOMEM:
 * the budget is too small for the floors. */
int layout_divide(struct layout *l, const struct layout *want,
		  const struct ram *ram, uint64_t budget_bytes, uint32_t rings);
uint64_t layout_bytes(const struct layout *l, const struct ram *ram);
/* What the rings get besides their share because objects of slab are traced. */
uint64_t layout_slab_rings(const struct layout *want);
/* Takes from a divided layout what a sampled ledger has no use for: pages,
 * stacks and rings. */
void layout_for_samples(struct layout *l);

/* By how many pages free memory has fallen since it was first sampled, not counting
 * what came or went while we trace; negative: it has risen. */
uint64_t ledger_fall(const struct ledger *l);

int ledger_init(struct ledger *l, struct arena *a, const struct layout *want,
		const struct ram *ram);

/* How many pages more are used than when free memory was first sampled
 * (negative: fewer). These are all pages that were seen allocated, in any way,
 * and not freed, minus the freed pages from before tracing. Exact after every
 * event, except that other bulk allocations are left out (tables.h, areas).
 * MemFree, in contrast, can only be sampled, and leaves out the pages on
 * per-CPU lists. In a sampled ledger it is the fall of MemFree. If a tree of
 * processes is followed, it is what the tree holds. */
uint64_t ledger_used(const struct ledger *l);

/* From now on the peak is that of a tree of processes: this process, and all
 * that it and its children make. 0, or -ESRCH: the process is not known. */
int ledger_follow(struct ledger *l, uint32_t pid);

/* Checks every sum that can be taken in two ways. NULL, or a text that names
 * the first sum that is wrong. Walks all tables: for tests and sanitized
 * builds. */
const char *ledger_check(const struct ledger *l);

/*
 * --- snapshot
 *
 * The free and held memory at one instant, and the modules and tasks that held
 * most of it.
 */

/* This instant. The caller sets the time; *p is zeroed. */
void snapshot_now(const struct ledger *l, struct moment *p);

/* Keeps so many rows, the largest, in order. */
void snapshot_offer(struct largest *best, uint32_t most, uint32_t row,
		    uint32_t pages);

/* The instant at which most memory was used. */
void snapshot_peak(const struct ledger *l, struct moment *p);

/* The modules that at this instant hold most pages which the kernel cannot
 * move. The ledger's scratch is used. *p is zeroed. */
void snapshot_unmovable(const struct ledger *l, struct moment *p);

#endif
