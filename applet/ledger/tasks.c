/* SPDX-License-Identifier: MIT */
/* Finds, takes and gives back rows of tasks: see tables.h, tasks. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include "ledger/tables.h"

uint64_t tasks_bytes(uint32_t rows)
{
	return (uint64_t)rows * sizeof(struct task) + hash_bytes(rows) +
	       idle_bytes(rows);
}

static void fix_row(struct tasks *t, uint32_t row, const char *name)
{
	struct task *k = &t->row[row];

	k->process = row;
	k->state = TASK_LIVE;
	memcpy(k->comm, name, strlen(name));
}

int tasks_init(struct tasks *t, struct arena *a, uint32_t rows)
{
	if (rows <= TASKS_FIXED)
		return -EINVAL;
	t->capacity = rows;
	t->used = TASKS_FIXED;
	t->row = arena_take(a, rows, sizeof(*t->row));
	hash_init(&t->hash, a, rows);
	idle_init(&t->idle, a, TASKS_FIXED, rows);
	if (a->failed)
		return a->failed;
	fix_row(t, TASK_OTHER, "(other)");
	fix_row(t, TASK_IRQ, "(irq)");
	return 0;
}

static uint32_t *bucket_of(const struct tasks *t, uint32_t tid)
{
	return hash_bucket(&t->hash, tid, 0);
}

uint32_t tasks_find(const struct tasks *t, uint32_t tid)
{
	uint32_t row = *bucket_of(t, tid);

	while (row && t->row[row].tid != tid)
		row = t->row[row].next;
	return row;
}

uint32_t tasks_take(struct tasks *t)
{
	uint32_t row = t->unused;

	if (row) {
		t->unused = t->row[row].next;
		return row;
	}
	return t->used < t->capacity ? t->used++ : 0;
}

void tasks_insert(struct tasks *t, uint32_t row, uint32_t tid, uint32_t tgid,
		  uint32_t process, uint64_t time_ns)
{
	uint32_t *head = bucket_of(t, tid);
	struct task *k = &t->row[row];

	*k = (struct task){
		.tid = tid, .tgid = tgid, .process = process,
		.start_ns = time_ns, .next = *head, .state = TASK_LIVE,
		.life = k->life + 1,
	};
	*head = row;
	if (process != row)
		t->row[process].threads++;
}

void tasks_unhash(struct tasks *t, uint32_t row)
{
	uint32_t *link = bucket_of(t, t->row[row].tid);

	while (*link && *link != row)
		link = &t->row[*link].next;
	if (*link)
		*link = t->row[row].next;
}

/* A process keeps its row. The row of a thread holds nothing and is given
 * back. */
void tasks_exit(struct tasks *t, uint32_t row)
{
	struct task *k = &t->row[row];

	if (k->process == row) {
		k->state = TASK_EXITED;
		return;
	}
	tasks_unhash(t, row);
	t->row[k->process].threads--;
	k->state = TASK_UNUSED;
	k->next = t->unused;
	t->unused = row;
}
