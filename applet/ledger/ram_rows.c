/* SPDX-License-Identifier: MIT */
/* The parts of RAM: see history.h, ram rows. */
#include <string.h>
#include "ledger/history.h"

/* The row, or the place behind the last row. */
static uint32_t find(const struct ram_rows *r, uint32_t group, int within,
		     const char *name)
{
	uint32_t i = 0;

	while (i < r->used &&
	       (r->row[i].group != group || r->row[i].within != within ||
		strncmp(r->row[i].name, name, RAM_NAME_BYTES - 1)))
		i++;
	return i;
}

/* Free memory has no row; only parts within it do (RAM_WITHIN). */
int ram_rows_add(struct ram_rows *r, const struct event *e)
{
	const uint32_t group = e->flags & RAM_GROUP_MASK;
	const int within = (e->flags & RAM_WITHIN) != 0;
	const uint32_t i = find(r, group, within, e->name);
	struct ram_row *row = &r->row[i];

	if (i == RAM_ROWS_MAX ||
	    (group > RAM_BEFORE && group != RAM_OFFLINE &&
	     (group != RAM_FREE || !within)))
		return -1;
	if (i == r->used) {
		r->used++;
		row->group = (uint8_t)group;
		row->within = (uint8_t)within;
		memcpy(row->name, e->name, RAM_NAME_BYTES - 1);
	}
	/* No machine has so much; the sum of all rows must not overflow. */
	row->kib += e->size / 1024;
	if (row->kib > RAM_KIB_MAX)
		row->kib = RAM_KIB_MAX;
	return 1;
}

uint64_t ram_rows_kib(const struct ram_rows *r, enum ram_group group,
		      const char *name)
{
	const uint32_t i = has_ram_rows() ? find(r, group, 0, name) : 0;

	return i < r->used ? r->row[i].kib : 0;
}
