/* SPDX-License-Identifier: MIT */
/* Requests to a tracer that runs already. Functions return exit statuses. */
#ifndef MEMSTRACK_CLIENT_H
#define MEMSTRACK_CLIENT_H

#include "config/config.h"
#include "output/sink.h"

/* Asks for a report, which goes where that tracer writes its reports. */
int client_report(void);

/* Waits for SIGINT or SIGTERM, which would end tracing. Then it prints sections
 * of a report to our own output; the report begins where that tracer began. */
int client_sections(const struct config *c, struct sink *sink);

#endif
