/* SPDX-License-Identifier: MIT */
/*
 * Which source: the one that was asked for, or the first of its kinds (kind.h)
 * that works on this kernel.
 */
#ifndef MEMSTRACK_CHOOSE_H
#define MEMSTRACK_CHOOSE_H

#include "tracer/engine.h"

/* Takes the tracer's memory with `extra_bytes` of room, and opens a source with
 * it. 0, or -errno after one line or more through the sink. */
int choose_source(struct engine *g, uint64_t extra_bytes);

#endif
