/* SPDX-License-Identifier: MIT */
/*
 * Files that are written beside a report: the same account, each in the format
 * of its suffix. Each replaces the file of that name as a whole (file.h).
 */
#ifndef MEMSTRACK_BESIDE_H
#define MEMSTRACK_BESIDE_H

#include "config/config.h"
#include "output/sink.h"
#include "report/report.h"

/* Writes c->beside[], below the root that the sink was opened with. Errors are
 * told by sink_say(). 0, or the last error as -errno. */
int beside_write(const struct config *c, struct report *r, struct sink *s);

/* The same of an account that is no struct report. */
typedef void account_write(void *account, enum format f, struct out *o);
int beside_write_as(const struct config *c, account_write *write,
		    void *account, struct sink *s);

#endif
