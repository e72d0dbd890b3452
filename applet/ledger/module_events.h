/*
 * Modules coming and going, and their loads, as events tell it: see modules.h.
 *
 * Returns 1 when the event changed the books, 0 when there was nothing to
 * change, -1 when it could not be kept.
 */
#ifndef MEMSTRACK_MODULE_EVENTS_H
#define MEMSTRACK_MODULE_EVENTS_H

#include "ledger/ledger.h"

int load_enter(struct ledger *l, const struct event *e);
int load_exit(struct ledger *l, const struct event *e);
int module_load(struct ledger *l, const struct event *e);
int module_free(struct ledger *l, const struct event *e);
int module_range(struct ledger *l, const struct event *e);

#endif
