/* SPDX-License-Identifier: MIT */
/* The one block of memory: see base.h, arena. */
#include <errno.h>
#include <stdint.h>
#include "base/base.h"

#define ARENA_ALIGN ((size_t)64)	/* a cache line */

void arena_init(struct arena *a, void *base, size_t size_bytes)
{
	*a = (struct arena){ .base = base, .size_bytes = size_bytes };
}

void *arena_take(struct arena *a, size_t count, size_t each_bytes)
{
	size_t room = (a->size_bytes - a->used_bytes) & ~(ARENA_ALIGN - 1);
	size_t bytes;
	void *piece;

	if (a->sealed || count > room / each_bytes) {
		a->failed = -ENOMEM;
		return NULL;
	}
	bytes = (count * each_bytes + ARENA_ALIGN - 1) & ~(ARENA_ALIGN - 1);
	piece = a->base + a->used_bytes;
	a->used_bytes += bytes;
	return piece;
}

void arena_seal(struct arena *a)
{
	a->sealed = 1;
}
