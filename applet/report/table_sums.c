/* SPDX-License-Identifier: MIT */
/* What a table has in all: see parts.h, table sums. */
#include <string.h>
#include "report/parts.h"
#include "report/report.h"

uint32_t table_rows(const struct ledger *l, enum table t)
{
	return t == TABLE_MODULES ? l->modules.used :
	       t == TABLE_TASKS ? l->tasks.used :
	       t == TABLE_INITCALLS ? l->initcalls.used :
	       t == TABLE_CALLERS ? l->areas.callers :
	       kinds_are_known(l) ? KINDS : 0;
}

/* But for peaks. */
static void add_rows(const struct ledger *l, enum table t,
		     uint64_t pages[PAGE_COUNTS])
{
	uint64_t row[PAGE_COUNTS];

	memset(pages, 0, PAGE_COUNTS * sizeof(*pages));
	for (uint32_t n = 0; n < table_rows(l, t); n++) {
		row_pages(l, t, n, row);
		for (unsigned int i = 0; i < PAGE_COUNTS; i++)
			pages[i] = row[i] == UNKNOWN ? UNKNOWN :
				   pages[i] + row[i];
	}
	pages[PAGES_PEAK] = pages[PAGES_IMAGE_PEAK] = UNKNOWN;
	pages[PAGES_VMALLOC_PEAK] = pages[PAGES_HELD_PEAK] = UNKNOWN;
}

void table_pages(const struct ledger *l, enum table t,
		 uint64_t pages[PAGE_COUNTS])
{
	add_rows(l, t, pages);
}
