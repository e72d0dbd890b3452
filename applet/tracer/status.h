/* SPDX-License-Identifier: MIT */
/* Lines outside of a report, on how things stand. */
#ifndef MEMSTRACK_STATUS_H
#define MEMSTRACK_STATUS_H

#include "tracer/engine.h"

/* One line: free memory, what is traced, and who holds most of it. */
void status_say(const struct engine *g, uint64_t now_ns, const char *what);

/* One line: why the unpacking of the initramfs failed, and what would do. */
void status_say_unpacking(const struct engine *g);

#endif
