/*
 * Points of the timeline, a line each: when, how much was free and held, by
 * whom most of it, and what was loaded since the point before.
 */
#ifndef MEMSTRACK_MOMENT_H
#define MEMSTRACK_MOMENT_H

#include "report/sheet.h"

/* The moment of the peak; nothing where it was not sampled. */
void moment_peak(struct sheet *s);
void moment_timeline(struct sheet *s);

#endif
