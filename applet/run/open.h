/* SPDX-License-Identifier: MIT */
/*
 * What there is to see a run by: memory, cgroup, tracer, taskstats. What cannot
 * be had becomes a note.
 */
#ifndef MEMSTRACK_RUN_OPEN_H
#define MEMSTRACK_RUN_OPEN_H

#include "run/parts.h"

/* All tables of ours but the tracer's. 0 or -ENOMEM. */
int run_take_memory(struct run *r);

/* The command has been forked, and waits. */
void run_open(struct run *r);

#endif
