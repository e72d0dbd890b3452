/*
 * How memory went over the whole trace, in points of bounded number.
 *
 * Points are taken at samples of free memory, which come with the drains of
 * the rings: no wakeup is made for them. When all are used, every second one
 * goes and the step between them doubles. What a point names are rows, which
 * may since be another's: whose began later than the point is gone.
 */
#ifndef MEMSTRACK_TIMELINE_H
#define MEMSTRACK_TIMELINE_H

#include <stdint.h>
#include "base/arena.h"

#define LARGEST 3u

struct largest {
	uint32_t row, pages;		/* pages 0: none */
};

struct moment {
	uint64_t time_ns;
	uint32_t free_pages, traced_pages, vmalloc_pages;
	struct largest module[LARGEST];	/* with image and vmalloc */
	struct largest task[LARGEST];
};

struct timeline {
	struct moment *point;		/* TIMELINE_POINTS */
	uint32_t points;
	uint64_t step_ns;
};

uint64_t timeline_bytes(void);
/* *t is zeroed. */
int timeline_init(struct timeline *t, struct arena *a);

/* The point of this instant, to be filled; NULL: it is too near to the last. */
struct moment *timeline_point(struct timeline *t, uint64_t time_ns);

#endif
