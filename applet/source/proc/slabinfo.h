/*
 * /proc/slabinfo: the number of pages of each slab cache.
 *
 * The caches come in the order of their size, one at a time. The file is read
 * anew for each, so no table of caches is needed. A cache that grows or shrinks
 * meanwhile may come twice or not at all. For 235 caches on a machine of 2 CPUs
 * the kernel takes 1.5 ms a read: a third of a second for all of them.
 */
#ifndef MEMSTRACK_SLABINFO_H
#define MEMSTRACK_SLABINFO_H

#include "source/session.h"

/* *s becomes the next smaller cache: 1, or 0 if there is none. */
int slabinfo_next(struct slab *s);

#endif
