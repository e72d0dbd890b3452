/* SPDX-License-Identifier: MIT */
/*
 * Points of the timeline, one line each: the time, how much was free and held,
 * who held most of it, and which modules were loaded since the last point.
 */
#ifndef MEMSTRACK_MOMENT_H
#define MEMSTRACK_MOMENT_H

#include "report/sheet.h"

/* The moment of the peak; nothing if it was not sampled. */
void moment_peak(struct sheet *s);
void moment_timeline(struct sheet *s);

/* A list of modules, by their pages that cannot be moved. */
void moment_unmovable(struct sheet *s, const struct moment *m);

#endif
