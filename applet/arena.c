/* The one block of memory: see arena.h. */
#include <stdint.h>
#include <string.h>
#include "arena.h"

#define ARENA_ALIGN 64u	/* a cache line */

void arena_init(struct arena *a, void *base, size_t size_bytes)
{
	a->base = base;
	a->size_bytes = size_bytes;
	a->used_bytes = 0;
	a->sealed = 0;
}

void *arena_take(struct arena *a, size_t count, size_t each_bytes)
{
	size_t room = a->size_bytes - a->used_bytes;
	size_t bytes;
	void *piece;

	if (a->sealed || (each_bytes && count > SIZE_MAX / each_bytes))
		return NULL;
	bytes = count * each_bytes;
	if (bytes > SIZE_MAX - ARENA_ALIGN)
		return NULL;
	bytes = (bytes + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
	if (bytes > room)
		return NULL;
	piece = a->base + a->used_bytes;
	a->used_bytes += bytes;
	memset(piece, 0, bytes);
	return piece;
}

void arena_seal(struct arena *a)
{
	a->sealed = 1;
}
