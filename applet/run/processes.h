/* SPDX-License-Identifier: MIT */
/*
 * The processes of a run: a table of fixed size, one row each, never given back.
 *
 * A process that finds no room is counted. Row 0 is none. A pid that is used
 * again gets a new row, and is found as the newest process that had it.
 */
#ifndef MEMSTRACK_PROCESSES_H
#define MEMSTRACK_PROCESSES_H

#include <stdint.h>
#include "base/arena.h"
#include "base/hash.h"
#include "limits.h"

/* What is known of a process. */
enum known {
	ENDED = 1,		/* it has exited */
	HAS_STATUS = 2,
	HAS_STATS = 4,		/* its sizes, by taskstats */
	HAS_USAGE = 8,		/* by wait4: the largest of it and of those
				 * that it has waited for */
	IN_TREE = 16,
	OOM_VICTIM = 32,	/* the kernel killed it, as memory ran out */
	LINE_DUE = 64,		/* the line on its exit waits for its status */
	HAS_START = 128,
	HAS_PAGES = 256,	/* at the tree's peak: the ledger still has its
				 * row */
};

struct process {
	ROW_ALIGN uint64_t start_ns;	/* CLOCK_MONOTONIC */
	uint64_t task_ns;	/* the same in the ledger's row */
	uint64_t end_ns, run_ns;
	uint64_t rss_kib, vm_kib, rss_mib_us, vm_mib_us;
	uint64_t peak_pages;	/* of the kernel, on its account */
	uint64_t at_peak_pages, left_pages;
	uint32_t pid, parent;
	uint32_t next;		/* in the bucket; 0: none */
	uint32_t status;	/* as wait() gives it */
	uint32_t known;
	char comm[COMM_BYTES];
	char argv[RUN_ARGV_BYTES];	/* "": not had */
};

struct processes {
	struct process *row;
	uint32_t *order;	/* for a report: rows, sorted */
	struct hash hash;	/* by pid */
	uint32_t capacity, used;	/* used: with row 0 */
	uint64_t full;		/* processes without a row */
};

uint64_t processes_bytes(uint32_t rows);
/* *p is zeroed. 0 or -ENOMEM. */
int processes_init(struct processes *p, struct arena *a, uint32_t rows);

/* The newest process with this pid, or 0. */
uint32_t processes_find(const struct processes *p, uint32_t pid);
/* A new row, or 0: there is no room. */
uint32_t processes_add(struct processes *p, uint32_t pid, uint32_t parent,
		       uint64_t start_ns);

/* Marks those that descend from `root`, if all were added, of any tree: a
 * process is in the tree if its parent was, when it exited. Orphans have the
 * parent `reaper`. */
void processes_mark_tree(struct processes *p, uint32_t root, uint32_t reaper);

/* Fills order[] with those in the tree: by start, or by peak RSS, the largest
 * first. Returns how many. */
uint32_t processes_sort(struct processes *p, int by_size);

#endif
