/* SPDX-License-Identifier: MIT */
/*
 * One event at a time, applied to the books (ledger.h).
 */
#ifndef MEMSTRACK_APPLY_H
#define MEMSTRACK_APPLY_H

#include "ledger/ledger.h"

void ledger_apply(struct ledger *l, const struct event *e);

#endif
