/* SPDX-License-Identifier: MIT */
/*
 * What changes the objects of slab besides their own events: /proc/slabinfo is
 * read, a module's row or text becomes another one's.
 */
#ifndef MEMSTRACK_SLAB_EVENTS_H
#define MEMSTRACK_SLAB_EVENTS_H

#include "ledger/ledger.h"

/* As in apply.c: 1 applied, 0 ignored, -1 rejected. */
int cache_seen(struct ledger *l, const struct event *e);

/* Another module gets this row: what it holds is `heir`'s. */
void objects_forget_module(struct ledger *l, uint32_t module, uint32_t heir);
/* This range replaces older text: sites in it keep the names of that text. */
void objects_retire_sites(struct ledger *l, uint64_t base, uint64_t end);

#endif
