/* SPDX-License-Identifier: MIT */
/* Areas of vmalloc and their callers: see tables.h, areas. */
#include <stddef.h>
#include <string.h>
#include "base/base.h"
#include "ledger/tables.h"

/* Row 0: no area. */
static uint32_t area_rows(uint32_t module_rows, uint32_t task_rows)
{
	return 1 + module_rows * AREAS_PER_MODULE + task_rows;
}

uint64_t areas_bytes(uint32_t module_rows, uint32_t task_rows)
{
	const uint32_t rows = area_rows(module_rows, task_rows);

	return (uint64_t)rows * sizeof(struct area) + hash_bytes(rows) +
	       (uint64_t)module_rows * sizeof(struct caller) +
	       hash_bytes(module_rows);
}

int areas_init(struct areas *a, struct arena *arena, uint32_t module_rows,
	       uint32_t task_rows)
{
	a->rows = area_rows(module_rows, task_rows);
	a->row = arena_take(arena, a->rows, sizeof(*a->row));
	hash_init(&a->hash, arena, a->rows);
	a->callers_capacity = module_rows < UINT16_MAX ? module_rows :
							 UINT16_MAX;
	a->caller = arena_take(arena, module_rows, sizeof(*a->caller));
	hash_init(&a->callers_hash, arena, module_rows);
	if (arena->failed)
		return arena->failed;
	memcpy(a->caller[CALLER_OTHER].name, "(other)", 8);
	a->used = a->callers = 1;
	return 0;
}

static uint32_t *bucket_of(const struct areas *a, uint64_t base)
{
	return hash_bucket(&a->hash, base, 0);
}

struct area *areas_find(const struct areas *a, uint64_t base)
{
	for (uint32_t i = *bucket_of(a, base); i; i = a->row[i].next)
		if (a->row[i].base == base)
			return &a->row[i];
	return NULL;
}

/* A row that was given back, else a new row, else 0. */
static uint32_t unused_row(struct areas *a)
{
	const uint32_t i = a->unused;

	if (i) {
		a->unused = a->row[i].next;
		return i;
	}
	return a->used < a->rows ? a->used++ : 0;
}

struct area *areas_take(struct areas *a, uint64_t base)
{
	uint32_t *head = bucket_of(a, base);
	const uint32_t i = unused_row(a);

	if (!i) {
		a->full++;
		return NULL;
	}
	a->row[i] = (struct area){ .base = base, .next = *head };
	*head = i;
	return &a->row[i];
}

void areas_give_back(struct areas *a, struct area *row)
{
	const uint32_t i = (uint32_t)(row - a->row);
	uint32_t *link = bucket_of(a, row->base);

	while (*link != i)
		link = &a->row[*link].next;
	*link = row->next;
	*row = (struct area){ .next = a->unused };
	a->unused = i;
}

uint16_t areas_caller(struct areas *a, uint32_t node, const char *name,
		      uint32_t module)
{
	const size_t size = CALLER_BYTES - 1;
	uint32_t *head = hash_bucket(&a->callers_hash,
				     text_hash(TEXT_HASH_BEGIN, name,
					       strnlen(name, size)), node);
	struct caller *c;

	for (uint32_t i = *head; i; i = c->next) {
		c = &a->caller[i];
		if (c->node == node && c->module == module &&
		    !strncmp(c->name, name, size))
			return (uint16_t)i;
	}
	if (a->callers == a->callers_capacity) {
		a->full++;
		return CALLER_OTHER;
	}
	c = &a->caller[a->callers];
	memcpy(c->name, name, strnlen(name, size));
	c->node = node;
	c->module = module;
	c->next = *head;
	*head = a->callers;
	return (uint16_t)a->callers++;
}

/* Addresses in the module may soon belong to other code. */
void areas_forget_module(struct areas *a, uint32_t module, uint32_t heir)
{
	for (uint32_t i = 1; i < a->callers; i++) {
		struct caller *c = &a->caller[i];

		if (c->module != module)
			continue;
		c->module = heir;
		if (c->node)
			memcpy(c->name, "(gone)", 7);
		c->node = 0;
	}
}
