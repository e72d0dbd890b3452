/*
 * Tasks: thread -> process -> parent.
 *
 * A row is a task. Pages are charged to the row of the process (the thread
 * group leader); rows of other threads only lead there and go when the thread
 * exits. A process row outlives its process, with name and peak; when the table
 * is full, rows of exited processes are used again, and counted: the one of the
 * smallest peak among RECYCLE_CHOICE; what it still holds goes to "(other)". A
 * pid that comes back is a new row. Row 0 is "(other)": tasks that found no
 * room. Row 1 is "(irq)".
 */
#ifndef MEMSTRACK_TASKS_H
#define MEMSTRACK_TASKS_H

#include <stdint.h>
#include "base/arena.h"
#include "ledger/count.h"
#include "ledger/hash.h"
#include "limits.h"

#define TASK_OTHER 0u
#define TASK_IRQ 1u
#define TASKS_FIXED 2u

enum task_state { TASK_UNUSED, TASK_LIVE, TASK_EXITED };

struct task {
	struct count pages;
	uint64_t start_ns;
	uint32_t tid, tgid, parent_tgid;
	uint32_t rss_start_pages;	/* ran before tracing: from /proc */
	uint32_t process;		/* row that is charged */
	uint32_t threads;		/* live rows that lead to this one */
	uint32_t loading;		/* module row; 0: not loading one */
	uint32_t bulk_pages;		/* of the vmalloc that it is in */
	uint32_t next;			/* same bucket, or next unused; 0: none */
	uint32_t owners;		/* list of owners with a stack; 0: none */
	uint32_t state;
	char comm[COMM_BYTES];
};

struct tasks {
	struct task *row;
	struct hash hash;	/* by tid */
	uint32_t capacity, used;	/* used: rows ever taken, fixed included */
	uint32_t unused;		/* list of rows given back */
	uint32_t exited;		/* process rows in that state */
	uint32_t hand;			/* the row recycled last */
	uint64_t recycled, recycled_peak; /* rows; largest peak dropped, pages */
	uint64_t full;			/* tasks that went to "(other)" */
};

uint64_t tasks_bytes(uint32_t rows);
/* *t is zeroed. */
int tasks_init(struct tasks *t, struct arena *a, uint32_t rows);

/* Row of the task that has or last had this number, or 0. A process that has
 * exited is still found until its number is used again: since 6.16 a task
 * gives its memory back after its exit was told. */
uint32_t tasks_find(const struct tasks *t, uint32_t tid);

/* A row never used or given back; 0: none. */
uint32_t tasks_take(struct tasks *t);

void tasks_insert(struct tasks *t, uint32_t row, uint32_t tid, uint32_t tgid,
		  uint32_t process, uint64_t time_ns);
void tasks_exit(struct tasks *t, uint32_t row);

/* The number of this row will be another's. */
void tasks_unhash(struct tasks *t, uint32_t row);

#endif
