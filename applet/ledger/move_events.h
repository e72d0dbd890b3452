/* SPDX-License-Identifier: MIT */
/*
 * The kernel moves pages: in compaction, to another node, out of contiguous memory.
 *
 * The event names page structs, and the free of the old place follows. From the
 * first two moves of a trace, which are not followed, the ledger learns which page
 * a page struct is of. From then on a page goes on at its new place, with its
 * owner, as soon as the event comes: others may free it there before the old
 * place is freed.
 *
 * Compaction takes free pages without an event and frees those that it did not
 * need. What a task frees meanwhile, and nobody held, is not from before tracing.
 */
#ifndef MEMSTRACK_MOVE_EVENTS_H
#define MEMSTRACK_MOVE_EVENTS_H

#include "ledger/ledger.h"

/* As apply.h has it: 1, 0 or -1. The table of movers may be full. */
int move_page(struct ledger *l, const struct event *e);
int move_compaction(struct ledger *l, const struct event *e);

/* The row of the event's task; NULL: it moves nothing, or this is an interrupt. */
struct mover *mover_of(struct ledger *l, const struct event *e);
/* It frees some pages. 1: an old place, and that is all. */
int move_ends(struct ledger *l, const struct event *e, struct mover *m);

#endif
