/* SPDX-License-Identifier: MIT */
/*
 * Where all of RAM is, as rows that add up to what is installed.
 *
 * What the firmware, the kernel and memblock took, and what was used before
 * tracing, is as of the start of tracing (ledger/ram_rows.h). What was freed of
 * it since is a row of its own, below 0, because nobody knows of which kind it
 * was. What is traced and what is free is as of the report. What is then missing
 * is unknown; if that is below 0, so much was counted twice.
 */
#ifndef MEMSTRACK_REPORT_RAM_H
#define MEMSTRACK_REPORT_RAM_H

#include "report/report.h"

/* Rows that a report adds. */
#define RAM_ADDED 16u

struct ram_part {
	const char *name;
	enum ram_group group;
	int within;		/* another part contains it */
	int64_t kib;
};

struct ram_account {
	struct ram_part part[RAM_ROWS_MAX + RAM_ADDED];
	uint32_t parts;			/* by group, the largest first */
	int64_t installed_kib, group_kib[RAM_GROUPS];
};

/* `value`: figures of the report. 0: nothing is known of RAM. */
int ram_account(const struct report *r, const uint64_t *value,
		struct ram_account *a);

/* As in JSON. */
const char *ram_group_name(enum ram_group group);

/* What contains a part that has `within`: another part, or the sum of all that
 * the page allocator got, used or free. */
const char *ram_whole(const struct ram_part *p);

#endif
