/* SPDX-License-Identifier: MIT */
/*
 * What is traced, by any kind of source that reads tracepoints.
 */
#ifndef MEMSTRACK_TRACED_H
#define MEMSTRACK_TRACED_H

#include "source/tracefs/tracepoints.h"

struct traced {
	enum tracepoint tp;
	uint8_t chain;		/* with call chain; 2: if slab wants them */
	uint8_t anon;		/* only first touches; else all others */
	uint8_t at_once;	/* wakes the tracer at once */
	uint8_t guarded;	/* and signals the guard: nobody may cause this
				 * but who may reboot */
};

/* Frees come first: perf's rings belong to the event of frees. */
extern const struct traced traced[EVENTS_PER_CPU_MAX];

/* The first of these are of pages. */
#define PAGE_EVENTS 3u

#define TRACED_FILTER_BYTES 128

static inline int traced_chain(const struct tracefs *t, const struct traced *o)
{
	return o->chain == 1 || (o->chain && t->slab_chains);
}

/* The filter for the kernel, or NULL for all events. `split`: first touches
 * have an event of their own. Our own pages are traced too: without them 30 to
 * 50 pages would be missing from the balance. */
const char *traced_filter(const struct tracefs *t, int split,
			  const struct traced *o, char *text, size_t size);

#endif
