/*
 * A task's window of loading: from its entry of init_module or finit_module to
 * the exit, what it allocates is its module's.
 */
#ifndef MEMSTRACK_WINDOW_H
#define MEMSTRACK_WINDOW_H

#include "ledger/ledger.h"

void window_open(struct ledger *l, uint32_t task, uint32_t module);

/* If the task has one. The load `failed`, or it did where the module was never
 * named. */
void window_close(struct ledger *l, uint32_t task, int failed);

#endif
