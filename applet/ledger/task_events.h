/* SPDX-License-Identifier: MIT */
/*
 * Tasks start and end, as the events tell: see tasks.h.
 *
 * Functions of type int return 1 when the event changed the books, 0 when there
 * was nothing to change, -1 when the books had no room for it.
 */
#ifndef MEMSTRACK_TASK_EVENTS_H
#define MEMSTRACK_TASK_EVENTS_H

#include "ledger/ledger.h"

/* The row of the live task that caused an event. It is made if needed;
 * TASK_OTHER when the table is full. */
uint32_t task_of(struct ledger *l, const struct event *e);

/* The row of the process that a page event is charged to, and the module that
 * the task is loading (0: none). */
uint32_t task_charged(struct ledger *l, const struct event *e,
		      uint32_t *loading);

int task_fork(struct ledger *l, const struct event *e);
int task_comm(struct ledger *l, const struct event *e);	/* and EVENT_TASK */
int task_exit(struct ledger *l, const struct event *e);

#endif
