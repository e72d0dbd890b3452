/* The client's end of the control socket: see control.h. */
#ifndef MEMSTRACK_ASK_H
#define MEMSTRACK_ASK_H

#include "control/control.h"

/* Connect, ask, wait up to timeout_ms in all, also for room among others that
 * ask. `sections` is "" for other requests. A descriptor when the report is
 * written, or from which its text may now be read; -ECONNREFUSED: no tracer
 * runs; -ESRCH: it is in a pid namespace that is not seen from here; -EPERM:
 * this process may not; -ETIMEDOUT; -EAGAIN: there was no room to the end; or
 * the tracer's own -errno. */
int control_ask(enum control_request request, const char *sections,
		int timeout_ms);

#endif
