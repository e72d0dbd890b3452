/* SPDX-License-Identifier: MIT */
/*
 * The running tracer's table of pages, part by part (control/page_table.h).
 *
 * The tracer writes each part into one file of ours, and we take it out of there
 * before we ask for the next.
 */
#ifndef MEMSTRACK_CHECK_TRACER_H
#define MEMSTRACK_CHECK_TRACER_H

#include "control/page_table.h"
#include "control/reach.h"

struct page_table {
	int file;
	struct control_way way;
	const char *map;		/* what the file holds */
	struct pages_head head;		/* of the last answer */
	uint64_t longest_ns;		/* of all answers */
};

/* 0 or -errno; the head is the tracer's. */
int page_table_open(struct page_table *t);

/* Called for the rows of each answer; not 0 is an error, and the last call. */
typedef int page_table_rows(void *context, uint64_t from, const char *rows,
			    uint32_t count);
/* All rows of a part. 0 or -errno; -EPROTO: an answer that cannot be. */
int page_table_fetch(struct page_table *t, enum pages_part part,
		     page_table_rows *take, void *context);

#endif
