/* SPDX-License-Identifier: MIT */
/* One section of a report: see report/parts.h, part. */
#include "report/parts.h"
#include "report/report.h"

int part_next(const struct report *r, const char **at, struct section *n,
	      struct report *part)
{
	static const unsigned char levels[] = {
		[SECTION_MODULE_SUMMARY] = 1,
		[SECTION_MODULE_TOP] = 2,
		[SECTION_TASK_SUMMARY] = 1,
		[SECTION_TASK_TOP] = 3,
		[SECTION_TASK_TOP_JSON] = 3,
		[SECTION_SLAB] = 3,
	};

	if (!*at || section_next(at, n))
		return 0;
	*part = *r;
	/* With the rows all stacks are printed: 2 becomes 3. */
	part->level = levels[n->type] | (n->top != 0);
	part->top = n->top ? n->top : UINT32_MAX;
	part->order = n->by_peak ? BY_PEAK : BY_NOW;
	part->without_tables = n->type == SECTION_SLAB ? ~0u :
			       ~(1u << TABLE_TASKS);
	if (n->type == SECTION_MODULE_SUMMARY ||
	    n->type == SECTION_MODULE_TOP) {
		part->without_tables = ~(1u << TABLE_MODULES);
		/* The older program has no row for pages of no module. */
		part->first_row = MODULES_FIXED;
		part->throttle_percent = 100;
	}
	if (n->throttle_percent)
		part->throttle_percent = n->throttle_percent;
	return 1;
}
