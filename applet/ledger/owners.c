/* SPDX-License-Identifier: MIT */
/* Finds and recycles owners: see tables.h, owners. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include "ledger/tables.h"

uint64_t owners_bytes(uint32_t rows)
{
	return (uint64_t)rows * sizeof(struct owner) + hash_bytes(rows) +
	       idle_bytes(rows);
}

int owners_init(struct owners *o, struct arena *a, uint32_t tasks,
		uint32_t rows)
{
	if (rows <= tasks)
		return -EINVAL;
	o->capacity = rows;
	o->used = o->fixed = tasks;
	o->row = arena_take(a, rows, sizeof(*o->row));
	hash_init(&o->hash, a, rows);
	idle_init(&o->idle, a, tasks, rows);
	if (a->failed)
		return a->failed;
	for (uint32_t i = 0; i < tasks; i++)
		o->row[i].task = i;
	return 0;
}

static uint32_t *bucket_of(const struct owners *o, uint32_t task, uint32_t leaf)
{
	return hash_bucket(&o->hash, leaf, task);
}

static uint32_t by_event(const struct owners *o, uint32_t i)
{
	return o->initcall[i] & INITCALL_BY_EVENT ? o->initcall[i] : 0;
}

static uint32_t find(const struct owners *o, uint32_t task, uint32_t leaf,
		     uint32_t initcall)
{
	uint32_t i = *bucket_of(o, task, leaf);

	while (i && (o->row[i].leaf != leaf || o->row[i].task != task ||
		     by_event(o, i) != initcall))
		i = o->row[i].next;
	return i;
}

/* Owners that moved to "(other)" may have one leaf. Only the first one is in the
 * bucket, so that buckets stay short. */
static void link_owner(struct owners *o, struct tasks *t, uint32_t i)
{
	struct owner *w = &o->row[i];
	uint32_t *head = bucket_of(o, w->task, w->leaf);
	uint32_t *first = &t->row[w->task].owners;

	w->next = OWNER_UNHASHED;
	if (w->task != TASK_OTHER ||
	    !find(o, TASK_OTHER, w->leaf, by_event(o, i))) {
		w->next = *head;
		*head = i;
	}
	w->task_prev = 0;
	w->task_next = *first;
	if (*first)
		o->row[*first].task_prev = i;
	*first = i;
}

static void unlink_owner(struct owners *o, struct tasks *t, uint32_t i)
{
	struct owner *w = &o->row[i];
	uint32_t *link = bucket_of(o, w->task, w->leaf);

	while (w->next != OWNER_UNHASHED && *link != i)
		link = &o->row[*link].next;
	if (w->next != OWNER_UNHASHED)
		*link = w->next;
	if (w->task_prev)
		o->row[w->task_prev].task_next = w->task_next;
	else
		t->row[w->task].owners = w->task_next;
	if (w->task_next)
		o->row[w->task_next].task_prev = w->task_prev;
}

static uint32_t take(struct owners *o, struct tasks *t)
{
	uint32_t i = o->unused;

	if (i) {
		o->unused = o->row[i].next;
		return i;
	}
	if (o->used < o->capacity) {
		idle_set(&o->idle, o->used, 1);
		return o->used++;
	}
	i = idle_choose(&o->idle, &o->row->peak, sizeof(*o->row));
	if (i)
		unlink_owner(o, t, i);
	return i;
}

uint32_t owners_enter(struct owners *o, struct tasks *t, uint32_t task,
		      uint32_t leaf, uint32_t initcall)
{
	uint32_t i = find(o, task, leaf, initcall);

	if (i)
		return i;
	i = take(o, t);
	if (!i) {
		o->full++;
		return task;
	}
	o->row[i] = (struct owner){ .task = task, .leaf = leaf };
	o->initcall[i] = (uint16_t)initcall;
	link_owner(o, t, i);
	return i;
}

void owners_drop_task(struct owners *o, struct tasks *t, uint32_t task,
		      uint32_t heir)
{
	while (t->row[task].owners) {
		uint32_t i = t->row[task].owners;

		unlink_owner(o, t, i);
		if (o->row[i].now) {
			o->row[i].task = heir;
			link_owner(o, t, i);
			continue;
		}
		o->row[i].peak = 0;
		o->row[i].next = o->unused;
		o->unused = i;
	}
	o->row[task] = (struct owner){ .task = task };
}
