/* SPDX-License-Identifier: MIT */
/*
 * Memory of vmalloc that no page event shows.
 *
 * Since 5.14 the kernel takes most pages of an area from __alloc_pages_bulk(),
 * which has no tracepoint. Two sources tell of these pages:
 *
 *   probes   (kernels with kprobes) the entry of a vmalloc with the address
 *            of its caller, each bulk allocation with its number of pages, the
 *            area's address and call chain, and its end: exact at every
 *            instant. A page of an area that was allocated singly is traced
 *            like any other page and does not count here.
 *   samples  (other kernels) /proc/vmallocinfo, read now and then: areas that
 *            the first sample did not show count with all their pages. Some of
 *            these pages may be traced as well.
 *
 * An area belongs to a module: `image` if the module loader asked for it (core,
 * init, the file), `vmalloc` if the module's own code did. The loader asks before
 * it names the module, which is before init runs: so this is known even where
 * the module's text is not. Its caller is the
 * code that asked for it: probes tell its address, samples its name. If neither
 * is known, the caller is "(other)".
 *
 * An area belongs to the task that took it, too, in a count beside that of its
 * traced pages. Samples do not tell the task: their areas are charged to none.
 */
#ifndef MEMSTRACK_AREAS_H
#define MEMSTRACK_AREAS_H

#include <stdint.h>
#include "base/arena.h"
#include "base/hash.h"
#include "ledger/kind_rules.h"
#include "ledger/modules.h"
#include "limits.h"

#define CALLER_OTHER 0u		/* row 0: not known, or table full */
#define AREA_NO_TASK UINT32_MAX

struct area {
	ROW_ALIGN uint64_t base;	/* 0: the row is unused */
	uint32_t pages;			/* taken in bulk; from samples: all
					 * pages */
	uint32_t module;		/* row */
	uint32_t next;			/* in the bucket or unused list; 0:
					 * none */
	uint32_t task;			/* row that is charged; or AREA_NO_TASK */
	uint16_t caller;		/* row */
	uint8_t image, seen;
	uint8_t before;			/* older than tracing: not counted */
};

/* The pages that count for this area. */
static inline uint32_t area_pages(const struct area *row)
{
	return row->before ? 0 : row->pages;
}

struct caller {
	struct count pages;
	uint32_t node;			/* of stacks, with its address; 0: it
					 * is known by its name */
	uint32_t module;		/* row of the module with this code; or
					 * 0 */
	uint32_t next;			/* in the same bucket; 0: none */
	uint32_t kind;			/* enum page_kind; 0: not yet known */
	char name[CALLER_BYTES];	/* "symbol+0x1a/0x30" */
};

/* The kind of a caller's areas, as far as it is known. */
static inline uint32_t kind_of_areas(const struct caller *c)
{
	return c->kind && !c->module ? c->kind : KIND_VMALLOC;
}

/*
 * Outside of vmalloc the number of a bulk allocation is an upper bound: the
 * kernel tells how many pages the caller's array has in the end, also those
 * that were in it before (sunrpc fills up such arrays for each call). So these
 * pages are in no figure of used memory. If pages are freed that no event has
 * shown as allocated, they count as pages of these allocations, up to that
 * bound, and not as pages from before tracing.
 */
struct areas {
	struct area *row;
	struct hash hash;		/* by base */
	uint32_t rows, used;		/* used: rows ever taken, row 0
					 * included */
	uint32_t unused;		/* list of rows that were given back */
	struct caller *caller;
	struct hash callers_hash;	/* by node and name */
	uint32_t callers_capacity, callers;
	struct count held;		/* by all areas */
	struct count charged;		/* of these, to tasks */
	uint64_t bulk_pages;		/* taken for areas, ever */
	uint64_t other_bulk_pages;	/* for anything else, ever, at most */
	uint64_t other_freed_pages;	/* of these */
	uint64_t freed_pages;		/* of areas that are gone, and of CMA */
	uint64_t cma_pages;		/* taken from contiguous memory, ever */
	uint64_t full;			/* areas or callers that found no
					 * room */
	uint32_t samples;		/* of vmallocinfo */
};

/* Bytes of tables for so many modules, and for the kernel stacks of so many
 * tasks. */
uint64_t areas_bytes(uint32_t module_rows, uint32_t task_rows);
/* *a is zeroed. */
int areas_init(struct areas *a, struct arena *arena, uint32_t module_rows,
	       uint32_t task_rows);

/* Pages that other bulk allocations may hold, at most. */
static inline uint64_t areas_other_held(const struct areas *a)
{
	return a->other_bulk_pages > a->other_freed_pages ?
	       a->other_bulk_pages - a->other_freed_pages : 0;
}

struct area *areas_find(const struct areas *a, uint64_t base);

/* A row for a new area at this address; NULL: the table is full. */
struct area *areas_take(struct areas *a, uint64_t base);
void areas_give_back(struct areas *a, struct area *row);

/* The row of a caller in this module (0: in no module). A new caller gets a new
 * row, or CALLER_OTHER if the table is full. A caller is known by a node of
 * stacks, or (node 0) by its name in vmallocinfo. */
uint16_t areas_caller(struct areas *a, uint32_t node, const char *name,
		      uint32_t module);
/* The row of a task will be used for another one: its areas become those of row
 * `heir`. */
void areas_forget_task(struct areas *a, uint32_t task, uint32_t heir);
/* The row of a module will be used for another one: the callers in it are gone,
 * and become those of row `heir`. */
void areas_forget_module(struct areas *a, uint32_t module, uint32_t heir);

#endif
