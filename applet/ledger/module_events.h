/* SPDX-License-Identifier: MIT */
/*
 * Modules are loaded and freed, as the events tell: see modules.h.
 *
 * Functions return 1 when the event changed the books, 0 when there was nothing
 * to change, -1 when the books had no room for it.
 */
#ifndef MEMSTRACK_MODULE_EVENTS_H
#define MEMSTRACK_MODULE_EVENTS_H

#include "ledger/ledger.h"

/* The row of the live module of this name, made if needed; or MODULE_OTHER. */
uint32_t module_named(struct ledger *l, const struct event *e);

int load_enter(struct ledger *l, const struct event *e);
int load_exit(struct ledger *l, const struct event *e);
int module_load(struct ledger *l, const struct event *e);
int module_free(struct ledger *l, const struct event *e);
int module_range(struct ledger *l, const struct event *e);

#endif
