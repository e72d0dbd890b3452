/* SPDX-License-Identifier: MIT */
/*
 * The record of events from before init (source/before.h), put in front of our
 * own source's.
 *
 * Our source begins first, at T0; then the kernel's record is ended and read.
 * Its events up to T0 are applied in front, and our own source's from T0 on. A
 * record that cannot be read, or not within a second, is a note.
 */
#ifndef MEMSTRACK_BEFORE_INIT_H
#define MEMSTRACK_BEFORE_INIT_H

#include "tracer/engine.h"

/* Before memory is taken: returns the bytes of the arena that a record needs;
 * 0: there is none. */
uint64_t before_init_find(struct engine *g);
/* After the source was opened. */
void before_init_open(struct engine *g);

static inline int before_init_found(const struct engine *g)
{
	return g->before.root != NULL;
}

/* Free memory at T0. */
struct before_init_memory {
	struct event_out out;		/* first; for proc_pcp() */
	struct event lists;		/* type 0: not known */
	uint64_t free_pages;
};

/* The source is enabled. Applies the record, and returns T0. */
uint64_t before_init_read(struct engine *g, struct before_init_memory *m);

/* Tells the memory of the record's buffers. */
void before_init_tell(struct engine *g, uint64_t now_ns);

#endif
