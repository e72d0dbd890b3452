/*
 * Tasks and modules coming and going, as events tell it.
 *
 * Returns 1 when the event changed the books, 0 when there was nothing to
 * change, -1 when it could not be kept.
 */
#ifndef MEMSTRACK_LIFECYCLE_H
#define MEMSTRACK_LIFECYCLE_H

#include "ledger.h"

/* Row of the task that an event speaks of, made if need be; TASK_OTHER when
 * the table is full. */
uint32_t lifecycle_task(struct ledger *l, const struct event *e);

int lifecycle_fork(struct ledger *l, const struct event *e);
int lifecycle_comm(struct ledger *l, const struct event *e);
int lifecycle_exit(struct ledger *l, const struct event *e);
int lifecycle_seen(struct ledger *l, const struct event *e);
int lifecycle_load_enter(struct ledger *l, const struct event *e);
int lifecycle_load_exit(struct ledger *l, const struct event *e);
int lifecycle_module_load(struct ledger *l, const struct event *e);
int lifecycle_module_free(struct ledger *l, const struct event *e);
int lifecycle_module_range(struct ledger *l, const struct event *e);

#endif
