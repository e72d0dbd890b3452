/* SPDX-License-Identifier: MIT */
/*
 * A machine that gets more memory while we trace, or less: hotplug, or a driver
 * like virtio_mem.
 *
 * New RAM is added to the page table (EVENT_RANGE). It is memory only when it is
 * put online: the kernel then frees its pages to the allocator. These frees look
 * like those of pages from before tracing, but MemTotal has grown: EVENT_GROWN
 * says by how much, and comes before them. So a free of a page that nobody holds
 * is first a part of that. Memory that goes offline causes no event; only
 * MemTotal shrinks, and MemFree with it.
 *
 * What a balloon took is still the machine's: the balloon holds it.
 */
#ifndef MEMSTRACK_GROWTH_H
#define MEMSTRACK_GROWTH_H

#include "ledger/ledger.h"

/* Free memory was sampled: it may never have fallen so far. */
void growth_sampled(struct ledger *l);

/* EVENT_RANGE; EVENT_GROWN. */
int growth_range(struct ledger *l, const struct event *e);
int growth_told(struct ledger *l, const struct event *e);

/* The free of 2^order pages has so many that nobody holds. Returns how many of
 * them are not new. */
uint64_t growth_takes(struct ledger *l, uint64_t pages, uint32_t order);

#endif
