/* SPDX-License-Identifier: MIT */
/*
 * The lines as they happen, of --level=3.
 *
 * The rings are read in the same loop: so nothing waits here for who reads the
 * lines. A line that finds no room is dropped, and counted.
 */
#ifndef MEMSTRACK_LIVE_H
#define MEMSTRACK_LIVE_H

#include "run/parts.h"

void live_open(struct run *r);
/* The last line is written to its end, and what was dropped gets a note. */
void live_finish(struct run *r);

void live_exec(struct run *r, const struct process *p, uint64_t time_ns);
void live_exit(struct run *r, const struct process *p);

#endif
