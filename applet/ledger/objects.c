/* SPDX-License-Identifier: MIT */
/* Objects of slab by address: see objects.h. */
#include <stddef.h>
#include "ledger/objects.h"

uint64_t objects_bytes(uint32_t rows)
{
	return (uint64_t)rows * sizeof(struct object) + hash_bytes(rows);
}

int objects_init(struct objects *o, struct arena *a, uint32_t rows)
{
	o->row = arena_take(a, rows, sizeof(*o->row));
	hash_init(&o->hash, a, rows);
	o->rows = rows;
	o->used = 1;
	return a->failed;
}

static uint32_t *bucket_of(const struct objects *o, uint64_t addr)
{
	return hash_bucket(&o->hash, addr, 0);
}

struct object *objects_find(const struct objects *o, uint64_t addr)
{
	for (uint32_t i = *bucket_of(o, addr); i; i = o->row[i].next)
		if (o->row[i].addr == addr)
			return &o->row[i];
	return NULL;
}

/* Takes the row that was freed first. Skips rows whose object is live again:
 * they are still in the queue. */
static uint32_t take_freed(struct objects *o)
{
	while (o->freed_first) {
		const uint32_t i = o->freed_first;
		struct object *k = &o->row[i];
		uint32_t *link;

		o->freed_first = k->freed_next;
		if (!o->freed_first)
			o->freed_last = 0;
		k->freed_next = 0;
		k->flags &= (uint8_t)~OBJECT_QUEUED;
		if (k->flags & OBJECT_LIVE)
			continue;
		link = bucket_of(o, k->addr);
		while (*link != i)
			link = &o->row[*link].next;
		*link = k->next;
		return i;
	}
	return 0;
}

struct object *objects_take(struct objects *o, uint64_t addr)
{
	uint32_t *head = bucket_of(o, addr);
	uint32_t i = o->used < o->rows ? o->used++ : take_freed(o);

	if (!i)
		return NULL;
	o->row[i] = (struct object){ .addr = addr, .next = *head };
	*head = i;
	return &o->row[i];
}

void objects_begin(struct objects *o, struct object *k)
{
	o->live += !(k->flags & OBJECT_LIVE);
	k->flags |= OBJECT_LIVE;
}

/* A row may still be in the queue from an earlier free. */
void objects_end(struct objects *o, struct object *k)
{
	const uint32_t i = (uint32_t)(k - o->row);

	o->live -= k->flags & OBJECT_LIVE;
	k->flags &= (uint8_t)~OBJECT_LIVE;
	if (k->flags & OBJECT_QUEUED)
		return;
	k->flags |= OBJECT_QUEUED;
	if (o->freed_last)
		o->row[o->freed_last].freed_next = i;
	else
		o->freed_first = i;
	o->freed_last = i;
}
