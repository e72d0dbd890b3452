/*
 * After a loss: pages that the ledger holds although the kernel has them free.
 *
 * If the record of a free was lost, its page stays charged until it is taken
 * again. /proc/kpageflags tells which pages lie in the kernel's free lists
 * (KPF_BUDDY; Documentation/admin-guide/mm/pagemap.rst; before Linux 4.7 only of
 * the first page of a block). Free pages on per-CPU lists do not show there, so
 * some stay charged.
 *
 * What is read may be over when it is applied. Between the two lies a drain of
 * the rings: a page that was given out after its flag was read has its event in
 * there, or has it later. A page that was given back before has its event in
 * there, because a page is free only after its event was written.
 */
#ifndef MEMSTRACK_HEAL_H
#define MEMSTRACK_HEAL_H

#include "tracer/engine.h"

#define HEAL_PAGES 512u		/* whose flags are read at once: 4 KiB */

struct heal {
	int flags_fd;		/* -1: this kernel does not tell */
	int passing;		/* a pass over all of RAM has begun */
	uint64_t lost;		/* records, when it began */
	uint32_t range;		/* of RAM, and the place in it, where it is */
	uint64_t at;
	uint64_t pfn;		/* the pages that were looked at last */
	uint32_t count;
	uint64_t flags[HEAL_PAGES];
};

void heal_open(struct heal *h);

/* Records were lost: looks at the next pages. 0: nothing is left to look at; 1:
 * `count` pages were read, or none of those that were tried is held. */
int heal_look(struct heal *h, struct engine *g);

/* Each event of the drain that follows. */
void heal_see(struct heal *h, const struct event *e);

/* After it: those that are free and held become EVENT_FREE, EVENT_FOUND. */
void heal_settle(const struct heal *h, struct engine *g);

#endif
