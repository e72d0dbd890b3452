/* SPDX-License-Identifier: MIT */
/*
 * The objects of slab in a report: which rows are shown, and the balance.
 *
 * Rows are ordered by peak, when memory runs out by what is held now; then by
 * row. Level 1 shows five sites and five modules, level 2 ten of each and of the
 * caches, level 3 all; `top` replaces these numbers.
 */
#ifndef MEMSTRACK_SLAB_ROWS_H
#define MEMSTRACK_SLAB_ROWS_H

#include "report/line.h"
#include "report/report.h"

enum slab_table { SLAB_SITES, SLAB_MODULES, SLAB_CACHES, SLAB_TABLES };

struct slab_shown {
	enum slab_table table;
	uint32_t row;			/* UINT32_MAX: the other rows */
	uint32_t count;			/* of the other rows */
	const struct object_sums *sums;	/* of the row; NULL: others */
};

/* Calls `show` for each row of the table that is shown, and for the others
 * together. */
void slab_walk(const struct report *r, enum slab_table t,
	       void (*show)(void *context, const struct slab_shown *shown),
	       void *context);

/* "kmalloc-64", "dentry"; "(192 bytes)" if several caches have this size. */
void slab_cache_write(struct line *l, const struct ledger *g, uint32_t row,
		      uint64_t page_bytes);

/* What /proc/slabinfo says that the caches grew by, and what was traced. Objects
 * of kmalloc that are larger than any cache's have pages of their own, and are
 * left out. */
struct slab_balance {
	int64_t grown_objects, grown_pages;
	int64_t traced_objects;		/* live, less those freed from before */
	uint64_t bulk_objects;		/* allocated in bulk, and freed: more were
					 * freed unknown than there were before;
					 * UNKNOWN: they may have been lost */
	uint64_t permille;		/* explained; UNKNOWN: nothing grew */
	uint64_t page_objects, page_bytes;	/* left out, live now */
};

/* 0: slabinfo was not read, so nothing is known of what grew. */
int slab_balance_get(const struct report *r, struct slab_balance *b);

/* The name of a fault in JSON, and in words. */
const char *slab_fault_name(uint32_t kind);
const char *slab_fault_text(uint32_t kind);

#endif
