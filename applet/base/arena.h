/* SPDX-License-Identifier: MIT */
/*
 * The program's one block of memory: divided at start, then sealed.
 *
 * The caller maps the block, which must be zero, and owns it. The arena hands
 * out pieces in order and never takes one back. After arena_seal() every
 * request fails, so the first test shows a table that would grow while tracing.
 */
#ifndef MEMSTRACK_ARENA_H
#define MEMSTRACK_ARENA_H

#include <stddef.h>

struct arena {
	unsigned char *base;
	size_t size_bytes, used_bytes;
	int sealed;
	int failed;		/* -ENOMEM: a request has failed */
};

void arena_init(struct arena *a, void *base, size_t size_bytes);

/* A piece of the block, zero, aligned to 64 bytes; NULL when sealed or full. */
void *arena_take(struct arena *a, size_t count, size_t each_bytes);

void arena_seal(struct arena *a);

#endif
