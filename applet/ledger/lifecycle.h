/*
 * Tasks and modules coming and going, as events tell it.
 *
 * Returns 1 when the event changed the books, 0 when there was nothing to
 * change, -1 when it could not be kept.
 */
#ifndef MEMSTRACK_LIFECYCLE_H
#define MEMSTRACK_LIFECYCLE_H

#include "ledger/ledger.h"

/* Row of the live task that an event speaks of, made if need be; TASK_OTHER
 * when the table is full. */
uint32_t lifecycle_task(struct ledger *l, const struct event *e);

/* Row of the process that a page event is charged to, and the module that the
 * task is loading (0: none). */
uint32_t lifecycle_charged(struct ledger *l, const struct event *e,
			   uint32_t *loading);

int lifecycle_fork(struct ledger *l, const struct event *e);
int lifecycle_comm(struct ledger *l, const struct event *e);	/* and task */
int lifecycle_exit(struct ledger *l, const struct event *e);

/* The task's window, if it has one, closes: `failed`, or its module was never
 * named. */
void loading_end(struct ledger *l, uint32_t task, int failed);

int lifecycle_load_enter(struct ledger *l, const struct event *e);
int lifecycle_load_exit(struct ledger *l, const struct event *e);
int lifecycle_module_load(struct ledger *l, const struct event *e);
int lifecycle_module_free(struct ledger *l, const struct event *e);
int lifecycle_module_range(struct ledger *l, const struct event *e);

#endif
