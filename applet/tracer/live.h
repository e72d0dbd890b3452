/* SPDX-License-Identifier: MIT */
/*
 * Rows of the account for a client that shows them as they change (memstrack
 * top), once or twice a second for hours.
 *
 * So it must cost the trace nothing: no stock is taken, as it is for a report,
 * because that reads /proc and interrupts every CPU to count lost records. The
 * rows are as the last drain left them. They go into a file of the client's
 * (control/given.h), so that nobody waits for a slow reader.
 */
#ifndef MEMSTRACK_LIVE_H
#define MEMSTRACK_LIVE_H

#include "control/control.h"
#include "tracer/parts.h"

/* Right behind a drain. Answers the client, and closes its file. */
void live_answer(struct tracer *t, int client, const struct control_message *m);

#endif
