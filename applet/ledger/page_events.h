/* SPDX-License-Identifier: MIT */
/*
 * Pages are allocated and freed, as the events tell: see pages.h.
 *
 * For each page, the total, the task, the module and every node of the stack
 * change together. Functions return 1 when the event changed the books, 0 when
 * there was nothing to change, -1 when the event cannot be true or the books
 * had no room for it.
 */
#ifndef MEMSTRACK_PAGE_EVENTS_H
#define MEMSTRACK_PAGE_EVENTS_H

#include "ledger/ledger.h"

int page_alloc(struct ledger *l, const struct event *e);
int page_free(struct ledger *l, const struct event *e);
/* Of the kernel's own books: so many pages are held, whichever they are. */
int page_held(struct ledger *l, const struct event *e);

/* The leaf of a call chain: in the tree of the innermost module on it; else of
 * the one that the task is loading; else of none. */
uint32_t page_leaf(struct ledger *l, const struct event *e, uint32_t loading);

/* What was free after an allocation of several pages had failed. */
int page_blocks(struct ledger *l, const struct event *e);

#endif
