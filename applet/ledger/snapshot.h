/*
 * What was free and held at one instant, and which modules and tasks held
 * most of it.
 */
#ifndef MEMSTRACK_SNAPSHOT_H
#define MEMSTRACK_SNAPSHOT_H

#include "ledger/ledger.h"
#include "ledger/timeline.h"

/* Now: all but the time, which the caller sets. */
void snapshot_now(const struct ledger *l, struct moment *p);

/* The instant when the most memory was used. */
void snapshot_peak(const struct ledger *l, struct moment *p);

#endif
