/*
 * Memory of vmalloc that no page event shows.
 *
 * Since 5.14 the kernel takes most pages of an area from __alloc_pages_bulk(),
 * which has no tracepoint. Two sources tell of them:
 *
 *   probes   (kernels with kprobes) a vmalloc's entry, each bulk allocation
 *            with its number of pages, the area's address and call chain, its
 *            end: exact at every instant. A page of an area that came singly
 *            is traced like any other and is not counted here.
 *   samples  (without) /proc/vmallocinfo as it stood now and then: areas
 *            not there before count with all their pages, of which some may
 *            be traced as well.
 *
 * An area is its module's: `image` when the loader took it (core, init, the
 * file), `vmalloc` when the module's own code did. /proc/vmallocinfo names the
 * callers of both; an area is "(other)"'s until it was seen there.
 */
#ifndef MEMSTRACK_AREAS_H
#define MEMSTRACK_AREAS_H

#include <stdint.h>
#include "base/arena.h"
#include "ledger/hash.h"
#include "ledger/modules.h"
#include "limits.h"

#define CALLER_OTHER 0u		/* row 0: not seen yet, or no room */

struct area {
	uint64_t base;			/* 0: the row is not in use */
	uint32_t pages;			/* in bulk; by samples: all of them */
	uint32_t module;		/* row */
	uint32_t next;			/* same bucket, or next unused; 0: none */
	uint16_t caller;		/* row */
	uint8_t image, seen;
	uint8_t before;			/* older than tracing: counts no page */
};

/* What it holds by our account. */
static inline uint32_t area_pages(const struct area *row)
{
	return row->before ? 0 : row->pages;
}

struct caller {
	struct count pages;
	uint32_t module;		/* row whose code it is, or 0 */
	uint32_t next;			/* same bucket; 0: none */
	char name[CALLER_BYTES];	/* "symbol+0x1a/0x30" */
};

struct areas {
	struct area *row;
	struct hash hash;		/* by base */
	uint32_t rows, used;		/* used: ever, and row 0, which is none */
	uint32_t unused;		/* list of rows given back */
	struct caller *caller;
	struct hash callers_hash;	/* by name */
	uint32_t callers_capacity, callers;
	struct count held;		/* all areas */
	uint64_t bulk_pages;		/* of areas, ever */
	uint64_t other_bulk_pages;	/* ever, of none: not known who frees them */
	uint64_t cma_pages;		/* taken from contiguous memory, ever */
	uint64_t full;			/* areas, or callers, without room */
	uint32_t samples;		/* of vmallocinfo */
};

/* Tables for so many modules, and for the kernel stacks of so many tasks. */
uint64_t areas_bytes(uint32_t module_rows, uint32_t task_rows);
/* *a is zeroed. */
int areas_init(struct areas *a, struct arena *arena, uint32_t module_rows,
	       uint32_t task_rows);

struct area *areas_find(const struct areas *a, uint64_t base);

/* A row for an area at this address, where there was none; NULL: no room. */
struct area *areas_take(struct areas *a, uint64_t base);
void areas_give_back(struct areas *a, struct area *row);

/* Row of what vmallocinfo calls a caller, in this module (0: in none), made if
 * need be; CALLER_OTHER when the table is full. */
uint16_t areas_caller(struct areas *a, const char *name, uint32_t module);

#endif
