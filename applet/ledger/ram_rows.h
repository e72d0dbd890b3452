/* SPDX-License-Identifier: MIT */
/*
 * The parts of RAM that were told (EVENT_RAM): of the firmware, of the kernel's
 * image, of what was reserved at boot, and of what was used before tracing.
 *
 * The rows are as of the start of tracing. A report adds what is traced and
 * what is free now (report/ram.h).
 */
#ifndef MEMSTRACK_RAM_ROWS_H
#define MEMSTRACK_RAM_ROWS_H

#include "source/event.h"

/* 4 EiB. */
#define RAM_KIB_MAX (UINT64_C(1) << 52)

struct ram_row {
	uint64_t kib;
	uint8_t group;			/* enum ram_group */
	uint8_t within;			/* another row contains it */
	char name[RAM_NAME_BYTES];
};

struct ram_rows {
	struct ram_row row[RAM_ROWS_MAX];
	uint32_t used;
};

/* Adds to the row of this group and name, or begins it. 1; -1: the event cannot
 * be true, or there is no room. */
int ram_rows_add(struct ram_rows *r, const struct event *e);

/* The KiB of a row; 0: there is no such row. */
uint64_t ram_rows_kib(const struct ram_rows *r, enum ram_group group,
		      const char *name);

#endif
