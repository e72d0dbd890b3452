/* SPDX-License-Identifier: MIT */
/*
 * Who allocates the objects of slab: a row for each place in the code, for each
 * module and for each cache, all with the same sums.
 *
 * A site is the address behind the call of kmalloc or kmem_cache_alloc, as the
 * kernel's event has it; with call chains, a chain. An object's module is found
 * as that of a page (page_events.c): on the chain or at the address; else it is
 * the one that the task is loading. An object adds to one site, one module and
 * one cache, so each of the three tables adds up to the same total. The rows that
 * are called (other) get what finds no room.
 *
 * A cache has the name that the event tells (for allocations since Linux 6.16 or
 * so); else all caches of one size are one row, and kmalloc's are rows of their
 * own.
 */
#ifndef MEMSTRACK_SITES_H
#define MEMSTRACK_SITES_H

#include <stdint.h>
#include "base/arena.h"
#include "base/hash.h"
#include "source/session.h"

#define SITE_OTHER 1u		/* row 0 stands for none */
#define SITES_FIXED 2u
#define SLAB_CACHE_OTHER 0u
#define SLAB_CACHES_MAX 256u	/* rows; an object keeps its number in a byte */

/* Bytes are those that the cache or page allocator gave (allocated), unless they
 * are called requested. */
struct object_sums {
	ROW_ALIGN uint64_t requested_bytes, allocated_bytes;	/* in all */
	uint64_t allocs, frees;	/* events; settled objects are not among the
				 * frees */
	uint64_t cross_cpu_frees;	/* on another CPU than allocated */
	uint64_t settled;	/* objects whose address was handed out again,
				 * so that they were freed without an event */
	uint64_t live;		/* objects */
	uint64_t oldest_ns;	/* when the oldest of them was allocated, as
				 * slab_find_oldest() found it; 0: none */
	uint64_t now_bytes, peak_bytes;
	uint64_t kept_bytes;	/* use sums_at_peak() */
	uint32_t epoch;		/* see count.h */
};

static inline uint64_t sums_at_peak(const struct object_sums *s, uint32_t epoch)
{
	return s->epoch == epoch ? s->kept_bytes : s->now_bytes;
}

/* An object begins to live. */
void sums_begin(struct object_sums *s, uint32_t epoch, uint64_t bytes);
/* It ends. */
void sums_end(struct object_sums *s, uint32_t epoch, uint64_t bytes);
/* Adds all of `from` to `to`, and empties it: the two rows become one. */
void sums_fold(struct object_sums *to, struct object_sums *from,
	       uint32_t epoch);

struct site {
	struct object_sums sums;
	uint64_t addr;		/* call site; may be retired (stacks.h) */
	uint32_t leaf;		/* of stacks; 0: no chain */
	uint32_t next;		/* in the same bucket; 0: none */
	uint8_t cache;		/* row */
	uint8_t several;	/* objects of other caches too */
};

struct slab_cache {
	struct object_sums sums;
	uint64_t object_bytes;	/* 0: the row (other) */
	int is_kmalloc;
	char name[SLAB_NAME_BYTES];	/* "": the events do not tell */
};

struct sites {
	struct site *row;
	struct hash hash;	/* by address, or by leaf */
	uint32_t capacity, used;
	struct object_sums *module;	/* for each row of modules */
	uint32_t modules;
	struct slab_cache *cache;
	uint32_t caches;
	uint8_t found[SLAB_CACHES_MAX];	/* rows, by a hash */
	struct object_sums total;
	uint64_t full;		/* allocations of (other) sites */
};

uint64_t sites_bytes(uint32_t rows, uint32_t module_rows);
/* *s is zeroed. */
int sites_init(struct sites *s, struct arena *a, uint32_t rows,
	       uint32_t module_rows);

/* The row of a call site, or of a leaf if that is not 0. SITE_OTHER: no
 * room. */
uint32_t sites_enter(struct sites *s, uint64_t addr, uint32_t leaf);

/* The row of a cache. */
uint8_t sites_cache(struct sites *s, const char *name, uint64_t object_bytes,
		    int is_kmalloc);

/* Other code has taken the place of this site: it keeps its sums under the
 * retired address, and new objects do not find it. (A chain is found by its
 * leaf, which is retired itself.) */
void sites_retire(struct sites *s, uint32_t row, uint64_t addr);

#endif
