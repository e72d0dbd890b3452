/* SPDX-License-Identifier: MIT */
/*
 * The tracer: engine (source -> ledger -> recorder), triggers (why a report),
 * reporter (what, and where to), and the loop that wires the three.
 *
 * Policy is here: which failure ends tracing (no page events, no memory) and
 * which is a note in the report (no module events, no control socket). All
 * memory is taken in tracer_open(); tracer_run() allocates nothing, starts no
 * process and needs none.
 */
#ifndef MEMSTRACK_TRACER_H
#define MEMSTRACK_TRACER_H

#include "tracer/parts.h"

/* Does everything up to the first event. 0, or an exit status after one line
 * through the sink; door.listener is -EEXIST if another tracer runs. */
int tracer_open(struct tracer *t, const struct config *c, struct sink *sink,
		int boot, const struct trace_file *record);

/* Traces until a signal, a request or the change of root ends it. Returns the
 * exit status. */
int tracer_run(struct tracer *t);

#endif
