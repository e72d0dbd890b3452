/* SPDX-License-Identifier: MIT */
/*
 * The tracer's one block of memory: see memory.c.
 */
#ifndef MEMSTRACK_MEMORY_H
#define MEMSTRACK_MEMORY_H

#include "tracer/engine.h"

/* Takes the arena with the ledger in it, for a source of this kind with so many
 * rings, and leaves `extra_bytes` of room. 0, or -errno after one line through
 * the sink. */
int memory_take(struct engine *g, const struct source_kind *kind, uint32_t cpus,
		uint64_t extra_bytes);

/* Gives it back. */
void memory_return(struct engine *g);

/* All memory of the tracer, rings included. */
uint64_t memory_own_bytes(const struct engine *g);

#endif
