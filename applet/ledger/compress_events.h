/* SPDX-License-Identifier: MIT */
/*
 * Pages of programs are compressed: whose are they then?
 *
 * Who reclaims memory, mostly kswapd, takes a page for what it compresses
 * (zsmalloc) and, a few pages later, frees the pages that it has compressed. So
 * of each free the first owner is known, and the oldest page that this task has
 * taken for compressed ones and not yet given becomes that owner's. Where pages
 * compress well, fewer are taken than freed, and the owners of some frees get
 * none.
 */
#ifndef MEMSTRACK_COMPRESS_EVENTS_H
#define MEMSTRACK_COMPRESS_EVENTS_H

#include "ledger/ledger.h"

/* A page was charged to this owner. */
void compress_take(struct ledger *l, const struct event *e, uint32_t owner);
/* A page is about to be freed. */
void compress_give(struct ledger *l, const struct event *e);

#endif
