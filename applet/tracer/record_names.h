/* SPDX-License-Identifier: MIT */
/* The names in a recorded trace, for replays on other machines. */
#ifndef MEMSTRACK_RECORD_NAMES_H
#define MEMSTRACK_RECORD_NAMES_H

#include "tracer/kallsyms.h"

/* Writes into the recorded trace the names of all addresses that any report of
 * this trace may print, as many at a time as the table has room for. */
void record_names(struct kallsyms *k, struct engine *g);

#endif
