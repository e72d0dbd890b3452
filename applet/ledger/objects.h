/* SPDX-License-Identifier: MIT */
/* Objects of slab: where they were allocated, and which of them are live. */
#ifndef MEMSTRACK_LEDGER_OBJECTS_H
#define MEMSTRACK_LEDGER_OBJECTS_H

#include <stdint.h>
#include "base/base.h"
#include "limits.h"
#include "source/event.h"

/*
 * --- sites
 *
 * Who allocates the objects of slab: a row for each place in the code, for each
 * module and for each cache, all with the same sums.
 *
 * A site is the return address of the call of kmalloc or kmem_cache_alloc, from
 * the kernel's event; with call chains, a chain. An object's module is found
 * like that of a page (page_events.c): on the chain or at the address; else it
 * is the module that the task is loading. An object adds to one site, one
 * module and one cache, so each of the three tables adds up to the same total.
 * The rows called (other) get what has no room.
 *
 * A cache has the name in the event (for allocations since about Linux 6.16);
 * without names, all caches of one size share a row, and kmalloc has separate
 * rows.
 */

#define SITE_OTHER 1u		/* row 0: no site */
#define SITES_FIXED 2u
#define SLAB_CACHE_OTHER 0u
#define SLAB_CACHES_MAX 256u	/* rows; an object keeps its number in a byte */

/* Bytes are those that the cache or page allocator gave (allocated), unless
 * they are called requested. */
struct object_sums {
	ROW_ALIGN uint64_t requested_bytes, allocated_bytes;	/* ever */
	uint64_t allocs, frees;	/* events; settled objects are not among the
				 * frees */
	uint64_t cross_cpu_frees;	/* on another CPU than allocated */
	uint64_t settled;	/* objects that were freed without an event:
				 * their address was allocated again */
	uint64_t live;		/* objects */
	uint64_t oldest_ns;	/* when the oldest live object was allocated,
				 * set by slab_find_oldest(); 0: none */
	uint64_t now_bytes, peak_bytes;
	uint64_t kept_bytes;	/* use sums_at_peak() */
	uint32_t epoch;		/* see tables.h, count */
};

static inline uint64_t sums_at_peak(const struct object_sums *s, uint32_t epoch)
{
	return s->epoch == epoch ? s->kept_bytes : s->now_bytes;
}

/* Add and subtract a live object. */
void sums_begin(struct object_sums *s, uint32_t epoch, uint64_t bytes);
void sums_end(struct object_sums *s, uint32_t epoch, uint64_t bytes);
/* Adds all of `from` to `to`, and empties it: the two rows become one. */
void sums_fold(struct object_sums *to, struct object_sums *from,
	       uint32_t epoch);

struct site {
	struct object_sums sums;
	uint64_t addr;		/* may be retired: tables.h, stacks */
	uint32_t leaf;		/* of stacks; 0: no chain */
	uint32_t next;		/* in the same bucket; 0: none */
	uint8_t cache;		/* row of its last object */
	uint8_t several;	/* has objects of other caches too */
};

struct slab_cache {
	struct object_sums sums;
	uint64_t object_bytes;	/* 0: the row (other) */
	int is_kmalloc;
	char name[SLAB_NAME_BYTES];	/* "": not in the events */
};

struct sites {
	struct site *row;
	struct hash hash;	/* by address, or by leaf */
	uint32_t capacity, used;
	struct object_sums *module;	/* for each row of modules */
	uint32_t modules;
	struct slab_cache *cache;
	uint32_t caches;
	uint8_t found[SLAB_CACHES_MAX];	/* rows last found, by a hash */
	struct object_sums total;
	uint64_t full;		/* allocations of site (other) */
};

uint64_t sites_bytes(uint32_t rows, uint32_t module_rows);
/* *s is zeroed. */
int sites_init(struct sites *s, struct arena *a, uint32_t rows,
	       uint32_t module_rows);

/* The row of a leaf, or, if that is 0, of a call site. SITE_OTHER: no room. */
uint32_t sites_enter(struct sites *s, uint64_t addr, uint32_t leaf);

/* The row of a cache. */
uint8_t sites_cache(struct sites *s, const char *name, uint64_t object_bytes,
		    int is_kmalloc);

/* Other code has replaced the code of this site: the site keeps its sums under
 * the retired address, and new objects do not find it. (A chain is found by its
 * leaf, which is retired itself.) */
void sites_retire(struct sites *s, uint32_t row, uint64_t addr);

/*
 * --- objects
 *
 * Objects of slab by their address.
 *
 * A row stays for a while after its object was freed, until the row is needed:
 * so a second free is recognized, and so is an allocation that arrives after
 * its own free (tables.h, late). Rows are used again in the order in which
 * their objects were first freed. When all objects are live, a new object has
 * no row, and is counted.
 *
 * This table is separate from pages, which has the pages of slab.
 */

/* The bits of object.flags. */
#define OBJECT_LIVE 1u
#define OBJECT_CACHE 2u		/* of kmem_cache_alloc; else of kmalloc */
#define OBJECT_DOUBTED 4u	/* its last free counts as a second free */
#define OBJECT_QUEUED 8u	/* in the queue of freed rows, though it may be
				 * live again */

struct object {
	ROW_ALIGN uint64_t addr;
	uint64_t time_ns;	/* when allocated; if not live: when freed */
	uint32_t site;		/* row; 0: its allocation was not seen */
	uint32_t module;	/* row */
	uint32_t bytes;		/* allocated; without a site: row + 1 of its
				 * slab_ledger.seen; OBJECT_DOUBTED: row + 1 of
				 * its fault; 0: none */
	uint32_t next;		/* in the same bucket; 0: none */
	uint32_t freed_next;	/* the next row in the queue of freed rows */
	uint16_t cpu;		/* of its allocation */
	uint8_t cache;		/* row */
	uint8_t flags;
};

struct objects {
	struct object *row;	/* row 0: no object */
	struct hash hash;
	uint32_t rows, used;
	uint32_t live;
	uint32_t freed_first, freed_last;
};

uint64_t objects_bytes(uint32_t rows);
/* *o is zeroed. */
int objects_init(struct objects *o, struct arena *a, uint32_t rows);

/* The row of this address, live or freed, or NULL. */
struct object *objects_find(const struct objects *o, uint64_t addr);

/* A row for an address that has no row. The object is not live yet. NULL: all
 * rows are live. */
struct object *objects_take(struct objects *o, uint64_t addr);

/* Make the object of this row live; and not live. */
void objects_begin(struct objects *o, struct object *k);
void objects_end(struct objects *o, struct object *k);

/*
 * --- slab
 *
 * The objects of slab: everything that the ledger keeps, in a separate share of
 * memory (layout.slab_bytes; 0: none).
 */

/* Errors of the code that is traced. */
enum fault_kind {
	FAULT_WRONG_FAMILY,	/* kmalloc's object freed by a function of
				 * kmem_cache, or the other way round */
	FAULT_DOUBLE_FREE,	/* kmalloc's object freed while not live */
	FAULT_SHORT,		/* fewer bytes allocated than requested */
};

struct object_fault {
	uint32_t kind;		/* enum fault_kind */
	uint32_t site;		/* row, of the allocation */
	uint64_t freed_by;	/* call site of the free; 0: none */
	uint64_t count;
};
#define OBJECT_FAULTS_MAX 32u

/* A cache in /proc/slabinfo at the start and now. */
struct cache_seen {
	uint64_t object_bytes;
	uint64_t start_objects, start_pages;
	uint64_t now_objects, now_pages;
	uint64_t unknown_frees;	/* of objects whose allocation was not seen */
	uint32_t pass;		/* the last pass over slabinfo with it */
	char name[SLAB_NAME_BYTES];
};
#define CACHES_SEEN_MAX 320u
#define CACHES_FOUND 512u	/* more than caches: few names collide */

struct slab_totals {
	uint64_t before_frees;	/* of objects whose allocation was not seen:
				 * before tracing, in bulk, lost, or without
				 * room in the table */
	uint64_t failed_allocs;
	uint64_t untracked;	/* no room in the table of objects */
	uint64_t late;		/* frees of objects that were settled before */
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
	uint32_t passes;	/* over slabinfo that have ended */
	uint64_t whole_ns;	/* all events are traced from then on */
};

/* The sums to which an object adds. */
struct slab_sums {
	struct object_sums *row[4];
};

struct slab_sums slab_sums_of(struct slab_ledger *s, const struct object *k);

/* The row of a cache by its name, or NULL. */
struct cache_seen *slab_cache_seen(struct slab_ledger *s, const char *name);

/* Sets oldest_ns of all rows, for a report. */
void slab_find_oldest(struct slab_ledger *s);

/* The size of the tables: the share, plus the sums of modules; 0: the share is
 * too small. */
uint64_t slab_bytes(uint64_t share_bytes, uint32_t module_rows);
/* *s is zeroed. */
int slab_init(struct slab_ledger *s, struct arena *a, uint64_t share_bytes,
	      uint32_t module_rows);

#endif
