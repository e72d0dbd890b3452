/* SPDX-License-Identifier: MIT */
/*
 * What a picture of the boot shows, as figures: points in time, and bands.
 *
 * The points are those of the timeline, the instant at which most memory was
 * used, and the end. At each of them the bands of a chart are exact, and they
 * add up to its total: what a band does not know (ledger/history.h) is in the
 * last band, "others". Pictures draw straight lines between points.
 *
 * Modules and tasks hold the same pages, so they are two charts and are never
 * added up. No task is charged with vmalloc: it is a band of its own among the
 * tasks. In a sampled ledger (ledger/samples.h) the totals are sums of images
 * and of resident sets.
 */
#ifndef MEMSTRACK_PICTURE_H
#define MEMSTRACK_PICTURE_H

#include "report/shown.h"
#include "report/sheet.h"

#define PICTURE_POINTS (TIMELINE_POINTS + 2)

/* Places of points that are not in the timeline. */
enum { POINT_PEAK = TIMELINE_POINTS, POINT_END };

struct picture_point {
	uint64_t time_ns;
	uint32_t at;			/* in the timeline, or one of above */
	uint32_t free_pages, traced_pages, vmalloc_pages, slab_kib;
};

/* The first band is what belongs to no module, or no task, if that is known: rows
 * or vmalloc; the last is "others". In between the largest, the largest first. */
#define BANDS_NAMED 7u
#define BANDS_MAX (BANDS_NAMED + 2)
#define BAND_VMALLOC (UINT32_MAX - 1)
#define BAND_OTHERS UINT32_MAX

struct band {
	uint32_t column;		/* of the history, or one of above */
	uint64_t peak, at_peak, at_end;	/* pages; peak: of all points */
};

struct chart {
	enum table table;		/* TABLE_MODULES or TABLE_TASKS */
	const struct series *series;
	struct band band[BANDS_MAX];
	uint32_t bands;
	uint32_t fixed;			/* bands in front of the named ones */
	uint64_t most;			/* the largest total, pages */
	uint64_t total[2];		/* at the peak, at the end */
};

struct picture {
	const struct report *r;
	const struct ledger *ledger;
	struct picture_point point[PICTURE_POINTS];
	uint32_t points;		/* 0: free memory was not sampled */
	uint64_t from_ns, until_ns;	/* all of the picture */
	struct chart modules, tasks;
};

void picture_get(const struct report *r, struct picture *p);

/* The pages of all bands, and of one, at point number i. */
uint64_t chart_total(const struct picture *p, const struct chart *c,
		     uint32_t i);
uint64_t band_pages(const struct picture *p, const struct chart *c, uint32_t b,
		    uint32_t i);

/* The name with its own bytes; *pid: of a task, else 0. */
const char *band_name(const struct picture *p, const struct chart *c,
		      const struct band *b, uint32_t *pid);

/* The time within the picture. */
uint64_t picture_time(const struct picture *p, uint64_t time_ns);

/* A module's load or a process's life: 1, or 0 if none is known of this row.
 * Without an end, *end_ns is that of the picture if it still goes on; else it is
 * the beginning. */
int picture_span(const struct picture *p, enum table t, uint32_t row,
		 uint64_t *begin_ns, uint64_t *end_ns);

#endif
