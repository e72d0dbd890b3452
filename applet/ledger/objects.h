/* SPDX-License-Identifier: MIT */
/*
 * Objects of slab that live, by their address.
 *
 * A row stays for a while after its object was freed, until the row is needed:
 * so a second free of it is known as such, and so is an allocation that arrives
 * after its own free (late.h says how that comes). Rows are used again in the
 * order in which their objects were first freed. When all objects live, a new one
 * is not kept, and counted.
 *
 * This table is apart from the pages: the pages of slab are counted there.
 */
#ifndef MEMSTRACK_OBJECTS_H
#define MEMSTRACK_OBJECTS_H

#include <stdint.h>
#include "base/arena.h"
#include "base/hash.h"
#include "limits.h"

/* The bits of object.flags. */
#define OBJECT_LIVE 1u
#define OBJECT_CACHE 2u		/* of kmem_cache_alloc; else of kmalloc */
#define OBJECT_DOUBTED 4u	/* its last free was taken for a second one */
#define OBJECT_QUEUED 8u	/* among the freed rows, though it may live
				 * again */

struct object {
	ROW_ALIGN uint64_t addr;
	uint64_t time_ns;	/* allocated; if it does not live: freed */
	uint32_t site;		/* row; 0: its allocation was not seen */
	uint32_t module;	/* row */
	uint32_t bytes;		/* allocated; of one without a site, the row of
				 * its cache in slab.h; of a doubted one, that
				 * of its fault; plus one, 0: none */
	uint32_t next;		/* in the same bucket; 0: none */
	uint32_t freed_next;	/* the row that was freed after this one */
	uint16_t cpu;		/* of its allocation */
	uint8_t cache;		/* row */
	uint8_t flags;
};

struct objects {
	struct object *row;	/* row 0 stands for none */
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

/* A row for an address that has none, which does not live yet; NULL: all rows
 * live. */
struct object *objects_take(struct objects *o, uint64_t addr);

/* The object of this row lives, or does no longer. */
void objects_begin(struct objects *o, struct object *k);
void objects_end(struct objects *o, struct object *k);

#endif
