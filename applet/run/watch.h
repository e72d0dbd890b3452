/* SPDX-License-Identifier: MIT */
/*
 * What events and records tell of processes -> the table (processes.h).
 *
 * The kernel sends the record of a task's end before the event of its end. But
 * the record may be read before the event of the task's start: so records wait,
 * until all events that are older were seen.
 */
#ifndef MEMSTRACK_WATCH_H
#define MEMSTRACK_WATCH_H

#include "run/parts.h"

/* An event that the ledger has applied. */
void watch_event(struct run *r, const struct event *e);

/* Reads records until there are none, or no room is left: then 1. */
int watch_read_ends(struct run *r);
/* Applies the records whose process is known. Those that were read before the
 * horizon and have none are of other processes. */
void watch_apply_ends(struct run *r, uint64_t horizon_ns);

/* What the ledger knows of the tree's pages, at the end. */
void watch_take_pages(struct run *r);

#endif
