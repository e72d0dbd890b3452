/*
 * What a page's owner is: one task through one stack, with its own count.
 *
 * Owners below tasks.capacity are built in, one a task row: its pages without
 * a stack (first touches of anonymous memory), found without any search. The
 * rest are found by a hash of (task, leaf) and hang on their task's list, so
 * that they go, or go over to "(other)", when its row is used again. When the
 * table is full, owners that hold nothing are used again, and counted: the one of
 * the smallest peak among RECYCLE_CHOICE.
 */
#ifndef MEMSTRACK_OWNERS_H
#define MEMSTRACK_OWNERS_H

#include <stdint.h>
#include "base/arena.h"
#include "ledger/tasks.h"

struct owner {
	uint32_t task, leaf;	/* leaf: stack node; a root if no stack */
	uint32_t now, peak;	/* pages */
	uint32_t next;		/* same bucket, or next unused; 0: none */
	uint32_t task_next, task_prev;
};

struct owners {
	struct owner *row;
	struct hash hash;	/* by task and leaf */
	uint32_t capacity, used, unused;
	uint32_t fixed;		/* rows built in: tasks.capacity */
	uint32_t idle;		/* rows not built in that hold nothing */
	uint32_t hand;		/* the row recycled last */
	uint64_t recycled, recycled_peak; /* rows; largest peak dropped, pages */
	uint64_t full;		/* charged to the task without its stack */
};

/* `rows` include the built-in ones; *o is zeroed. */
uint64_t owners_bytes(uint32_t rows);
int owners_init(struct owners *o, struct arena *a, uint32_t tasks,
		uint32_t rows);

/* The owner of a task's pages through a leaf; where the table is full, the
 * task's own. */
uint32_t owners_enter(struct owners *o, struct tasks *t, uint32_t task,
		      uint32_t leaf);

/* What is taken away is added as a negative number. */
static inline void owners_add(struct owners *o, uint32_t i, uint32_t pages)
{
	struct owner *w = &o->row[i];

	if (i >= o->fixed)
		o->idle -= !w->now;
	w->now += pages;
	if (w->now > w->peak)
		w->peak = w->now;
	if (i >= o->fixed)
		o->idle += !w->now;
}

/* A task row is used again: owners that hold nothing go, the others become
 * `heir`'s. The task's built-in owner must hold nothing: it cannot be another
 * task's. */
void owners_drop_task(struct owners *o, struct tasks *t, uint32_t task,
		      uint32_t heir);

#endif
