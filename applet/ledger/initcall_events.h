/* SPDX-License-Identifier: MIT */
/*
 * Initcalls start and end, and take pages: initcalls.h.
 */
#ifndef MEMSTRACK_INITCALL_EVENTS_H
#define MEMSTRACK_INITCALL_EVENTS_H

#include "ledger/ledger.h"

/* As in apply.c: 1 applied, 0 ignored, -1 rejected. */
int initcall_start(struct ledger *l, const struct event *e);
int initcall_finish(struct ledger *l, const struct event *e);
/* EVENT_INITCALL_CALLER. */
int initcall_function(struct ledger *l, const struct event *e);

/* The initcall that an event says this task is in, with INITCALL_TOLD; or 0. */
uint32_t initcall_told(struct ledger *l, const struct event *e);

/* Returns the owner. If it is new, and no event told its initcall, the call
 * chain of this event does. */
uint32_t initcall_owner(struct ledger *l, const struct event *e,
			uint32_t owner);

static inline uint32_t initcall_of_owner(const struct ledger *l,
					 uint32_t owner)
{
	return l->owners.initcall[owner] & ~INITCALL_TOLD;
}

/* Adds `pages` of an owner; a negative number takes away. */
static inline void initcall_charge(struct ledger *l, uint32_t owner,
				   uint32_t pages)
{
	const uint32_t row = initcall_of_owner(l, owner);

	if (row)
		count_add(&l->initcalls.row[row].pages, l->epoch, pages);
}

#endif
