/* SPDX-License-Identifier: MIT */
/* The lines as they happen, of --level=3. */
#ifndef MEMSTRACK_LIVE_H
#define MEMSTRACK_LIVE_H

#include "run/parts.h"

void live_exec(struct run *r, const struct process *p, uint64_t time_ns);
void live_exit(struct run *r, const struct process *p);

#endif
