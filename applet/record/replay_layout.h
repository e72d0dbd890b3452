/* SPDX-License-Identifier: MIT */
/* The sizes of a replay's tables: see replay_layout.c. */
#ifndef MEMSTRACK_REPLAY_LAYOUT_H
#define MEMSTRACK_REPLAY_LAYOUT_H

#include "config/config.h"
#include "record/trace.h"

/* The most memory that the tables of a replay may take. */
#define REPLAY_ARENA_BYTES (UINT64_C(1) << 30)

/* Changes the recorded layout to the sizes that the options give. NULL; or a text
 * that says which sizes cannot be. */
const char *replay_layout(const struct config *c, struct trace_header *h);

#endif
