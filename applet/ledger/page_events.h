/*
 * Pages given out and given back, as events tell it: see pages.h.
 *
 * On each, total, task, module and every node of the stack move together.
 * Returns 1 when the event changed the books, 0 when there was nothing to
 * change, -1 when it cannot be true or could not be kept.
 */
#ifndef MEMSTRACK_PAGE_EVENTS_H
#define MEMSTRACK_PAGE_EVENTS_H

#include "ledger/ledger.h"

int page_alloc(struct ledger *l, const struct event *e);
int page_free(struct ledger *l, const struct event *e);

#endif
