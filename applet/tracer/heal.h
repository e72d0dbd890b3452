/* SPDX-License-Identifier: MIT */
/*
 * After a loss: pages that the ledger holds although the kernel has them free.
 *
 * If the record of a free was lost, its page stays charged until it is
 * allocated again. /proc/kpageflags tells which pages are in the kernel's free
 * lists (KPF_BUDDY; Documentation/admin-guide/mm/pagemap.rst; before Linux 4.7
 * only the first page of a block has this flag). Free pages on per-CPU lists do
 * not show there, so some pages stay charged.
 *
 * A flag may be out of date when it is applied. So the rings are drained after
 * the flags were read and before they are applied. If a page was allocated
 * after its flag was read, the event comes in this drain or later. If a page
 * was freed before that, the event comes in this drain: a page is free only
 * after its event was written.
 */
#ifndef MEMSTRACK_HEAL_H
#define MEMSTRACK_HEAL_H

#include "tracer/engine.h"

#define HEAL_PAGES 512u		/* whose flags are read at once: 4 KiB */

struct heal {
	int flags_fd;		/* -1: the kernel has no such file */
	int passing;		/* a pass over all of RAM has begun */
	uint64_t lost;		/* records, when the pass began */
	uint32_t cpus_came;	/* and CPUs: what was freed on them before */
	uint32_t range;		/* of RAM: where the pass is */
	uint64_t at;		/* in this range */
	uint64_t pfn;		/* the pages that were looked at last */
	uint32_t count;
	uint64_t flags[HEAL_PAGES];
};

void heal_open(struct heal *h);

/* Reads the flags of the next pages, if records were lost or CPUs came. 0: no
 * page is left. 1: the flags of `count` pages were read; `count` is 0 if nobody
 * holds any of the pages looked at. */
int heal_look(struct heal *h, struct engine *g);

/* Called for each event of the drain that follows. */
void heal_see(struct heal *h, const struct event *e);

/* Called after the drain: makes an EVENT_FREE with EVENT_FOUND for each page
 * that is free and still charged. */
void heal_settle(const struct heal *h, struct engine *g);

#endif
