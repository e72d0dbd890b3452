/* SPDX-License-Identifier: MIT */
/*
 * The use of memory over the whole trace, in a bounded number of points.
 *
 * Points are taken at samples of free memory, which come when the rings are
 * drained: they cause no wakeup. When all points are used, every second one is
 * dropped and the step between them doubles. A point names rows, and another
 * task or module may have a row later: a row that began after the point does
 * not hold the task or module that the point meant.
 */
#ifndef MEMSTRACK_TIMELINE_H
#define MEMSTRACK_TIMELINE_H

#include <stdint.h>
#include "base/arena.h"
#include "limits.h"

#define LARGEST 3u

struct largest {
	uint32_t row, pages;		/* pages 0: none */
};

struct moment {
	ROW_ALIGN uint64_t time_ns;
	uint32_t free_pages, traced_pages, vmalloc_pages;
	uint32_t slab_kib;		/* in objects that were traced */
	struct largest module[LARGEST];	/* with image and vmalloc */
	struct largest task[LARGEST];	/* with vmalloc */
};

struct timeline {
	struct moment *point;		/* TIMELINE_POINTS */
	uint32_t points;
	uint64_t step_ns;
};

uint64_t timeline_bytes(void);
/* *t is zeroed. */
int timeline_init(struct timeline *t, struct arena *a);

/* The point of this instant, for the caller to fill. NULL: the last point is
 * too near. */
struct moment *timeline_point(struct timeline *t, uint64_t time_ns);

#endif
