/*
 * /proc/slabinfo: how many pages each slab cache has.
 *
 * In order of their size, one at a time: each time the file is read anew, and
 * no table of caches is needed. What grows or shrinks meanwhile may be told
 * twice or not at all. A read takes the kernel 1.5 ms for 235 caches, on a
 * machine of 2 CPUs: as many reads, a third of a second.
 */
#ifndef MEMSTRACK_SLABINFO_H
#define MEMSTRACK_SLABINFO_H

#include "source/session.h"

/* *s becomes the next smaller: 1, or 0 where there is none. */
int slabinfo_next(struct slab *s);

#endif
