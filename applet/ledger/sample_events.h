/* SPDX-License-Identifier: MIT */
/*
 * Samples, as a pass over /proc tells them: see samples.h.
 *
 * Functions return 1 when the event changed the books, -1 when the books had no
 * room for it, or are not those of a sampled machine.
 */
#ifndef MEMSTRACK_SAMPLE_EVENTS_H
#define MEMSTRACK_SAMPLE_EVENTS_H

#include "ledger/ledger.h"

/* The ledger is a sampled one from now on: 1; 0 if it has traced a page. */
int sample_begin(struct ledger *l);

int sample_cache(struct ledger *l, const struct event *e);
int sample_task(struct ledger *l, const struct event *e);
int sample_module(struct ledger *l, const struct event *e);
int sample_kind(struct ledger *l, const struct event *e);

#endif
