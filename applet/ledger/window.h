/* SPDX-License-Identifier: MIT */
/*
 * A task's loading window, from its entry of init_module or finit_module to the
 * exit: all pages that the task allocates in it belong to the module.
 */
#ifndef MEMSTRACK_WINDOW_H
#define MEMSTRACK_WINDOW_H

#include "ledger/ledger.h"

void window_open(struct ledger *l, uint32_t task, uint32_t module);

/* Closes the task's window, if it has one. `failed`: the load failed. A module
 * that was never named has failed too. */
void window_close(struct ledger *l, uint32_t task, int failed);

#endif
