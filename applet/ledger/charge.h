/* SPDX-License-Identifier: MIT */
/*
 * An owner of pages gets some, or gives some back: in the total, the task, the
 * module, the kind, the initcall and every node of the stack together.
 */
#ifndef MEMSTRACK_CHARGE_H
#define MEMSTRACK_CHARGE_H

#include "ledger/ledger.h"

/* `owner`: its row. A negative number takes away. */
void charge(struct ledger *l, const struct event *e, uint32_t owner,
	    uint32_t pages);

#endif
