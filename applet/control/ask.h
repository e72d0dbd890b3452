/* SPDX-License-Identifier: MIT */
/* The client's end of the control socket: see control.h. */
#ifndef MEMSTRACK_ASK_H
#define MEMSTRACK_ASK_H

#include "control/control.h"
#include "control/reach.h"

/* Connects, asks, and waits up to timeout_ms in all, also for room in the
 * backlog. `sections` is "" for other requests. Returns a descriptor when the
 * report is written, or when its text can be read from the descriptor;
 * -ECONNREFUSED: no tracer runs; -ESRCH: it is in a pid namespace that cannot
 * be seen from here; -EPERM: this process may not ask; -ETIMEDOUT; -EAGAIN:
 * there was no room until the end; or the tracer's own -errno. */
int control_ask(enum control_request request, const char *sections,
		int timeout_ms);

/* Asks for rows into `file` (given.h). Returns a descriptor from which the one
 * byte of the answer can be read later, and does not wait; or -errno as
 * above. */
int control_ask_live(struct control_way *way, const struct control_live *live,
		     int file);

/* Asks with other bytes behind the request, and waits until the tracer has
 * written `file`: 0, or an error as above. */
int control_ask_file(struct control_way *way, enum control_request request,
		     const void *bytes, size_t len, int file, int timeout_ms);

/* The words for an error of these. */
const char *control_why(int error);

#endif
