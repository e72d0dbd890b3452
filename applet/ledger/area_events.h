/* SPDX-License-Identifier: MIT */
/*
 * Areas of vmalloc are created and freed, as the events tell: see areas.h.
 *
 * Functions return 1 when the event changed the books, 0 when there was nothing
 * to change, -1 when the books had no room for it.
 */
#ifndef MEMSTRACK_AREA_EVENTS_H
#define MEMSTRACK_AREA_EVENTS_H

#include "ledger/ledger.h"

int area_enter(struct ledger *l, const struct event *e);
int area_bulk(struct ledger *l, const struct event *e);
int area_alloc(struct ledger *l, const struct event *e);
int area_free(struct ledger *l, const struct event *e);
int area_seen(struct ledger *l, const struct event *e);
int areas_seen(struct ledger *l, const struct event *e);

#endif
