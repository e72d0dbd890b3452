/* SPDX-License-Identifier: MIT */
/*
 * The objects of slab: all that the ledger keeps of them, in a share of memory
 * of its own (layout.objects_bytes; 0: none).
 */
#ifndef MEMSTRACK_SLAB_H
#define MEMSTRACK_SLAB_H

#include <stdint.h>
#include "ledger/objects.h"
#include "ledger/sites.h"

/* What should not be. */
enum fault_kind {
	FAULT_WRONG_FAMILY,	/* kmalloc's object freed by a function of
				 * kmem_cache, or the other way round */
	FAULT_DOUBLE_FREE,	/* kmalloc's object freed while it did not live */
	FAULT_SHORT,		/* fewer bytes allocated than requested */
};

struct object_fault {
	uint32_t kind;		/* enum fault_kind */
	uint32_t site;		/* row, of the allocation */
	uint64_t freed_by;	/* call site of the free; 0: none */
	uint64_t count;
};
#define OBJECT_FAULTS_MAX 32u

/* A cache as /proc/slabinfo had it at the start and now. */
struct cache_seen {
	uint64_t object_bytes;
	uint64_t start_objects, start_pages;
	uint64_t now_objects, now_pages;
	uint64_t unknown_frees;	/* of objects whose allocation was not seen */
	uint32_t pass;		/* the last one that had it */
	char name[SLAB_NAME_BYTES];
};
#define CACHES_SEEN_MAX 320u
#define CACHES_FOUND 512u	/* more than caches, so that few names share one */

struct slab_totals {
	uint64_t before_frees;	/* of objects whose allocation was not seen: from
				 * before tracing, in bulk, lost, or without room
				 * here */
	uint64_t failed_allocs;
	uint64_t untracked;	/* no room in the table of objects */
	uint64_t late;		/* frees that came after their settlement */
	uint64_t faults_full;
	uint64_t caches_full;
};

struct slab_ledger {
	int on;
	struct objects objects;
	struct sites sites;
	struct slab_totals total;
	struct object_fault *fault;
	uint32_t faults;
	struct cache_seen *seen;
	uint32_t seens;
	uint16_t found[CACHES_FOUND];	/* row + 1, by a hash of the name */
	uint32_t passes;	/* over slabinfo, that ended */
	uint64_t whole_ns;	/* all events are seen from then on */
};

/* The rows that an object adds to. */
struct slab_sums {
	struct object_sums *row[4];
};

struct slab_sums slab_sums_of(struct slab_ledger *s, const struct object *k);

/* The row of a cache by its name, or NULL. */
struct cache_seen *slab_cache_seen(struct slab_ledger *s, const char *name);

/* Finds the oldest live object of each row, for a report. */
void slab_find_oldest(struct slab_ledger *s);

/* The share, and the sums of each module besides; 0: it is too small to be of
 * use. */
uint64_t slab_bytes(uint64_t share_bytes, uint32_t module_rows);
/* *s is zeroed. */
int slab_init(struct slab_ledger *s, struct arena *a, uint64_t share_bytes,
	      uint32_t module_rows);

#endif
