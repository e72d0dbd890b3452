/* SPDX-License-Identifier: MIT */
/* The model of every table: see report.h, table. */
#include "report/report.h"

const struct column_model table_columns[COLUMNS] = {
	[PAGES_NOW] = { "now_pages", 'p', "~now" },
	[PAGES_PEAK] = { "peak_pages", 'p', "~peak" },
	[PAGES_AT_PEAK] = { "at_peak_pages", 'p', "at peak" },
	[PAGES_IMAGE] = { "image_pages", 'p', "" },
	[PAGES_VMALLOC] = { "vmalloc_pages", 'p', "" },
	[PAGES_IMAGE_PEAK] = { "image_peak_pages", 'p', "" },
	[PAGES_VMALLOC_PEAK] = { "vmalloc_peak_pages", 'p', "" },
	[PAGES_HELD] = { "held_pages", 'p', "~now" },
	[PAGES_HELD_PEAK] = { "held_peak_pages", 'p', "~peak" },
	[PAGES_HELD_AT_PEAK] = { "held_at_peak_pages", 'p', "at peak" },
	[PAGES_KIND_IMAGE] = { "", 'p', "image" },
	[PAGES_KIND_VMALLOC] = { "", 'p', "vmalloc" },
	[SUMS_ALLOCS] = { "allocs", 'u', "allocs" },
	[SUMS_FREES] = { "frees", 'u', "" },
	[SUMS_REQUESTED] = { "requested_bytes", 'b', "" },
	[SUMS_ALLOCATED] = { "allocated_bytes", 'b', "" },
	[SUMS_LIVE] = { "live_objects", 'u', "~living" },
	[SUMS_NOW] = { "live_bytes", 'b', "~now" },
	[SUMS_PEAK] = { "peak_bytes", 'b', "~peak" },
	[SUMS_AT_PEAK] = { "at_peak_bytes", 'b', "at peak" },
	[SUMS_CROSS] = { "cross_cpu_frees", 'u', "cross" },
	[SUMS_SETTLED] = { "settled", 'u', "" },
	[SUMS_OLDEST] = { "oldest_ns", 'd', "~oldest" },
	[SUMS_WASTE] = { "", 'b', "waste" },
};

/* What JSON has, and what text has: see struct table_model. */
#define OF_PAGES \
	.always = PAGES_IMAGE, .until = PAGES_IMAGE, \
	.columns = 3, .column = { PAGES_NOW, PAGES_PEAK, PAGES_AT_PEAK }
#define OF_AREAS \
	.always = PAGES_AT_PEAK, .until = PAGES_AT_PEAK, \
	.columns = 3, .column = { PAGES_NOW, PAGES_PEAK, PAGES_AT_PEAK }
#define OF_OBJECTS \
	.first = SUMS_ALLOCS, .always = SUMS_IN_JSON, .until = SUMS_IN_JSON, \
	.columns = 8, .column = { \
		SUMS_NOW, SUMS_PEAK, SUMS_AT_PEAK, SUMS_LIVE, \
		SUMS_ALLOCS, SUMS_WASTE, SUMS_CROSS, SUMS_OLDEST, \
	}

const struct table_model table_models[TABLES + 1] = {
	[TABLE_MODULES] = {
		"module", "module  (all it holds)", "module (sampled: images)",
		"... and %u more module%s",
		.always = PAGES_IN_JSON, .until = PAGES_IN_JSON,
		.columns = 5, .column = {
			PAGES_HELD, PAGES_HELD_PEAK, PAGES_HELD_AT_PEAK,
			PAGES_KIND_IMAGE, PAGES_KIND_VMALLOC,
		},
	},
	[TABLE_TASKS] = {
		"task", "task  (the same pages)", "task (sampled: RSS)",
		"... and %u more task%s",
		.always = PAGES_IN_TASKS, .until = PAGES_IN_JSON,
		.columns = 4, .column = {
			PAGES_HELD, PAGES_HELD_PEAK, PAGES_HELD_AT_PEAK,
			PAGES_KIND_VMALLOC,
		},
	},
	[TABLE_KINDS] = {
		"kind", "kind  (all of them)", "kind (sampled, all)",
		"... and %u more kind%s", OF_PAGES,
	},
	[TABLE_INITCALLS] = {
		"initcall", "initcall", NULL, "... and %u more initcall%s",
		OF_PAGES,
	},
	[TABLE_CALLERS] = {
		"areas", "areas  (by caller)", "areas (sampled)",
		"... and %u more caller%s", OF_AREAS,
	},
	[TABLE_SITES] = {
		"slab", "slab objects by site", NULL, "... and %u more site%s",
		OF_OBJECTS,
	},
	[TABLE_OBJECTS_OF_MODULES] = {
		"slab_module", "slab objects by module", NULL,
		"... and %u more module%s", OF_OBJECTS,
	},
	[TABLE_CACHES] = {
		"slab_cache", "slab objects by cache", NULL,
		"... and %u more cache%s", OF_OBJECTS,
	},
	[TABLE_STACKS] = {
		"stack", NULL, NULL, "  ... and %u more stack%s", OF_AREAS,
	},
};
