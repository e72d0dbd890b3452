/* SPDX-License-Identifier: MIT */
/*
 * The owner of a page: one task and one stack, with a count of its own.
 *
 * Owners below tasks.capacity are built in, one for each task row. They own
 * pages without a stack (first touches of anonymous memory) and are found
 * without a search. The other owners are found by a hash of (task, leaf). Each
 * of them hangs on the list of its task, so that it is dropped, or goes to
 * "(other)", when the task's row is used again. While an initcall runs, its
 * pages have owners of their own. When the table is full, an
 * owner that holds nothing is used again, and counted: the one with the
 * smallest peak among RECYCLE_CHOICE.
 */
#ifndef MEMSTRACK_OWNERS_H
#define MEMSTRACK_OWNERS_H

#include <stdint.h>
#include "base/arena.h"
#include "ledger/tasks.h"

struct owner {
	uint32_t task, leaf;	/* leaf: stack node, or a root for no stack */
	uint32_t now, peak;	/* pages */
	uint32_t next;		/* in bucket or unused list; 0: none */
	uint32_t task_next, task_prev;
};

struct owners {
	struct owner *row;
	uint16_t *initcall;	/* of each row, 0: none; see initcalls.h, which
				 * has the room for it */
	struct hash hash;	/* by task and leaf */
	uint32_t capacity, used, unused;
	uint32_t fixed;		/* number of built-in rows: tasks.capacity */
	uint32_t idle;		/* other rows that hold nothing */
	uint32_t hand;		/* the last row that was used again */
	uint64_t recycled, recycled_peak; /* rows; their largest peak, pages */
	uint64_t full;		/* charged to the task, without the stack */
};

/* `rows` includes the built-in ones; *o is zeroed. */
uint64_t owners_bytes(uint32_t rows);
int owners_init(struct owners *o, struct arena *a, uint32_t tasks,
		uint32_t rows);

/* The owner of a task's pages through a leaf, in the initcall that an event
 * told (0: none did; a chain may have). If the table is full, the task's
 * built-in owner. */
uint32_t owners_enter(struct owners *o, struct tasks *t, uint32_t task,
		      uint32_t leaf, uint32_t told);

/* To take pages away, add a negative number. */
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

/* A task row is used again: its owners that hold nothing are dropped, the
 * others become owners of `heir`. The task's built-in owner must hold nothing,
 * because it cannot move to another task. */
void owners_drop_task(struct owners *o, struct tasks *t, uint32_t task,
		      uint32_t heir);

#endif
