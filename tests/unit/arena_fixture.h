/* SPDX-License-Identifier: MIT */
/* Memory for the table under test. */
#ifndef ARENA_FIXTURE_H
#define ARENA_FIXTURE_H

#include <stdint.h>
#include <string.h>
#include "base/base.h"

#define ARENA_BYTES (1u << 20)

/* An arena of so many bytes, all of them zero; the one before is gone. */
static inline struct arena *arena_fresh(size_t bytes)
{
	static _Alignas(64) unsigned char memory[ARENA_BYTES];
	static struct arena arena;

	memset(memory, 0, sizeof(memory));
	arena_init(&arena, memory, bytes);
	return &arena;
}

/* Did the table take so much, but for what aligns its parts? */
static inline int arena_took(const struct arena *a, uint64_t bytes,
			     uint32_t parts)
{
	return a->used_bytes >= bytes && a->used_bytes <= bytes + parts * 63;
}

#endif
