/* SPDX-License-Identifier: MIT */
/*
 * When the events are opened.
 *
 * To switch an event on, the kernel changes its own code, and each CPU must see
 * the change: with 64 emulated CPUs that takes 60 ms for each of twenty events, or
 * a second if their host is busy. PID 1 does not wait for so long. The page events
 * of all CPUs come first. The others follow while PID 1 waits if they do not take
 * long; else when it runs, in slices between drains. Notes tell from when on
 * they are there. On most machines everything is open within milliseconds.
 */
#ifndef MEMSTRACK_OPENING_H
#define MEMSTRACK_OPENING_H

#include "tracer/engine.h"

/* Goes on with a source that open() has begun, as long as PID 1 may wait: not
 * with an event that may take longer than that. 0; or -errno, and the source is
 * closed. */
int opening_in_time(struct engine *g);

/* Notes what the source does not see, or does not see yet. */
void opening_note(struct engine *g);

/* Opens some of the events that were left, if any were. 1: call it again, behind
 * a drain. */
int opening_go_on(struct engine *g);

#endif
