/* What is asked of a tracer that runs already. Exit statuses. */
#ifndef MEMSTRACK_CLIENT_H
#define MEMSTRACK_CLIENT_H

#include "config/config.h"
#include "output/sink.h"

/* A report, where that tracer writes them. */
int client_report(void);

/* Once SIGINT or SIGTERM asks for it, as it would end tracing: the sections of
 * a report, from where that tracer began, to our own output. */
int client_sections(const struct config *c, struct sink *sink);

#endif
