/* SPDX-License-Identifier: MIT */
/*
 * The free and held memory at one instant, and the modules and tasks that held
 * most of it.
 */
#ifndef MEMSTRACK_SNAPSHOT_H
#define MEMSTRACK_SNAPSHOT_H

#include "ledger/ledger.h"
#include "ledger/timeline.h"

/* This instant. The caller sets the time; *p is zeroed. */
void snapshot_now(const struct ledger *l, struct moment *p);

/* Keeps so many rows, the largest, in order. */
void snapshot_offer(struct largest *best, uint32_t most, uint32_t row,
		    uint32_t pages);

/* The instant at which most memory was used. */
void snapshot_peak(const struct ledger *l, struct moment *p);

/* The modules that at this instant hold most pages which the kernel cannot move.
 * The ledger's scratch is used. *p is zeroed. */
void snapshot_unmovable(const struct ledger *l, struct moment *p);

#endif
