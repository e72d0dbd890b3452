/* SPDX-License-Identifier: MIT */
/* The table of pages for a client that compares it: see control/page_table.h. */
#ifndef MEMSTRACK_TRACER_PAGE_TABLE_H
#define MEMSTRACK_TRACER_PAGE_TABLE_H

#include "control/control.h"
#include "tracer/parts.h"

/* Is it the first request of a client, before which stock is taken? */
int page_table_begins(const struct control_message *m);

/* Right behind a drain of the events up to now_ns. Answers the client, and closes
 * its file. This takes no memory, waits for nobody, and writes at most what fits
 * the file. */
void page_table_answer(struct tracer *t, int client,
		       const struct control_message *m, uint64_t now_ns);

#endif
