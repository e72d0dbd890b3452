/* SPDX-License-Identifier: MIT */
/*
 * Tasks: thread -> process -> parent.
 *
 * Each task has a row. Pages are charged to the row of the process (the thread
 * group leader); the row of another thread only leads to it, and is given back
 * when the thread exits. The row of a process stays after the process has
 * exited, with name and peak. When the table is full, a row of an exited
 * process is used again, and counted: the one with the smallest peak among
 * RECYCLE_CHOICE. The pages that it still holds go to "(other)". A pid that is
 * used again gets a new row. Row 0 is "(other)": tasks that found no room. Row
 * 1 is "(irq)".
 */
#ifndef MEMSTRACK_TASKS_H
#define MEMSTRACK_TASKS_H

#include <stdint.h>
#include "base/arena.h"
#include "ledger/count.h"
#include "base/hash.h"
#include "limits.h"

#define TASK_OTHER 0u
#define TASK_IRQ 1u
#define TASKS_FIXED 2u

enum task_state { TASK_UNUSED, TASK_LIVE, TASK_EXITED };

struct task {
	struct count pages;
	struct count vmalloc;		/* areas that it took: areas.h */
	uint64_t start_ns;
	uint32_t tid, tgid, parent_tgid;
	uint32_t rss_start_pages;	/* if it ran before tracing; from
					 * /proc */
	uint32_t process;		/* the row that is charged */
	uint32_t threads;		/* live rows that lead to this one */
	uint32_t loading;		/* row of the module it loads; 0:
					 * none */
	uint32_t bulk_pages;		/* of the vmalloc that it is in now */
	union {
		uint32_t caller;	/* of that: a stack node; 0: unknown */
		uint32_t pass;		/* samples.h: the last one with it */
	};
	uint32_t next;			/* in the bucket or unused list; 0:
					 * none */
	uint32_t owners;		/* list: owners with a stack; 0: none */
	uint8_t state;
	uint8_t in_tree;		/* see ledger_follow() */
	uint16_t vmallocs;		/* that it is in, one in another */
	char comm[COMM_BYTES];
};

/* All pages of a task, of both kinds. */
static inline uint32_t task_holds(const struct task *k)
{
	return k->pages.now + k->vmalloc.now;
}

/* The sum of its peaks serves only to sort. */
static inline uint32_t task_weight(const struct task *k)
{
	return k->pages.peak + k->vmalloc.peak;
}

struct tasks {
	struct task *row;
	struct hash hash;	/* by tid */
	uint32_t capacity, used;	/* used: rows ever taken, with the fixed
					 * ones */
	uint32_t unused;		/* list of rows that were given back */
	uint32_t exited;		/* process rows in state TASK_EXITED */
	uint32_t hand;			/* the last row that was used again */
	uint64_t recycled, recycled_peak; /* rows; their largest peak, pages */
	uint64_t full;			/* tasks charged to "(other)" */
};

uint64_t tasks_bytes(uint32_t rows);
/* *t is zeroed. */
int tasks_init(struct tasks *t, struct arena *a, uint32_t rows);

/* The row of the task that has this number or had it last, or 0. A process that
 * has exited is found until its number is used again: since 6.16 a task frees
 * its memory after the event of its exit. */
uint32_t tasks_find(const struct tasks *t, uint32_t tid);

/* A row that was never used, or was given back; 0: none. */
uint32_t tasks_take(struct tasks *t);

void tasks_insert(struct tasks *t, uint32_t row, uint32_t tid, uint32_t tgid,
		  uint32_t process, uint64_t time_ns);
void tasks_exit(struct tasks *t, uint32_t row);

/* Another task will get the number of this row. */
void tasks_unhash(struct tasks *t, uint32_t row);

#endif
