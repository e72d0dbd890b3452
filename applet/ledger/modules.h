/* SPDX-License-Identifier: MIT */
/*
 * Kernel modules: rows with counts, and the ranges of their text.
 *
 * A load opens a row before the module's name is known, at the entry of
 * init_module or finit_module; the event module_load names it. A module that
 * was removed keeps its row, name and ranges. Ranges never overlap: if the next
 * module uses a freed init text again, the newer range wins, and the core of a
 * live module is never cut. When the table is full, rows that hold nothing are
 * used again: those of failed loads and of removed modules. Row 0: no module.
 * Row 1: "(other)".
 */
#ifndef MEMSTRACK_MODULES_H
#define MEMSTRACK_MODULES_H

#include <stdint.h>
#include "base/arena.h"
#include "ledger/count.h"
#include "limits.h"

#define MODULE_NONE 0u
#define MODULE_OTHER 1u
#define MODULES_FIXED 2u
#define MODULE_RANGES_PER_ROW 2u	/* core and init text */

enum module_state {
	MODULE_UNUSED, MODULE_LOADING, MODULE_LIVE, MODULE_FAILED, MODULE_GONE,
};

struct module {
	struct count pages;
	struct count image, vmalloc;	/* areas.h */
	ROW_ALIGN uint64_t load_ns;	/* entry of its load, if it was seen */
	uint32_t objects;		/* of slab, that live (sites.h) */
	uint16_t state;
	uint8_t in_use;			/* EVENT_IN_USE named it */
	uint8_t init_over;		/* its load was seen to end */
	union {
		uint32_t loading;	/* a task is loading this module */
		uint32_t pass;		/* samples.h: the last one with it */
	};
	char name[MODULE_NAME_BYTES];	/* MODULE_LOADING: "" */
};

/* All pages of a module, of all three kinds. */
static inline uint32_t module_holds(const struct module *m)
{
	return m->pages.now + m->image.now + m->vmalloc.now;
}

/* The sum of its peaks. They may have stood at different instants, so the sum
 * serves only to sort. */
static inline uint32_t module_weight(const struct module *m)
{
	return m->pages.peak + m->image.peak + m->vmalloc.peak;
}

struct module_range {
	uint64_t base, end;	/* end: the first byte after it */
	uint32_t row, init;	/* init: this text is freed after loading */
};

struct modules {
	struct module *row;
	struct module_range *range;	/* sorted by base, disjoint */
	uint32_t capacity, used;	/* rows, with the fixed ones */
	uint32_t ranges_capacity, ranges;
	uint64_t full;			/* loads charged to "(other)" */
	uint64_t recycled, recycled_peak; /* rows; their largest peak, pages */
	uint64_t ranges_full;
};

uint64_t modules_bytes(uint32_t rows);
/* *m is zeroed. */
int modules_init(struct modules *m, struct arena *a, uint32_t rows);

/* The row of the live module with this name, or 0. */
uint32_t modules_find(const struct modules *m, const char *name);

/* A new row; or an old one that is used again (then *recycled is set and its
 * tree must be reset); or MODULE_OTHER. */
uint32_t modules_take(struct modules *m, int *recycled);

/* The row of the module whose text holds `addr`, or 0. */
uint32_t modules_at(const struct modules *m, uint64_t addr);

/* The innermost module on a call chain whose code may run, but for helpers of GPU
 * drivers, if there is another one; or 0. */
uint32_t modules_on(const struct modules *m, const uint64_t *chain,
		    uint32_t len);
/* The true end of the text in [base, end): if the core of a live module starts
 * inside, the text ends there. */
uint64_t modules_range_end(const struct modules *m, uint64_t base,
			   uint64_t end);

/* The range whose text holds `addr`, or NULL. */
const struct module_range *modules_range_at(const struct modules *m,
					    uint64_t addr);
void modules_add_range(struct modules *m, uint32_t row, uint64_t base,
		       uint64_t size_bytes, uint32_t init);

#endif
