/* SPDX-License-Identifier: MIT */
/* What a table has in all: see parts.h, table sums. */
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

/* Initcalls and sampled rows are not parts of a total that is counted. */
static void add_rows(const struct ledger *l, enum table t, uint32_t rows,
		     uint64_t pages[PAGE_COUNTS])
{
	uint64_t row[PAGE_COUNTS];

	pages[PAGES_NOW] = pages[PAGES_AT_PEAK] = 0;
	for (uint32_t i = 0; i < rows; i++) {
		row_pages(l, t, i, row);
		pages[PAGES_NOW] += row[PAGES_NOW];
		pages[PAGES_AT_PEAK] += row[PAGES_AT_PEAK];
	}
}

void table_pages(const struct ledger *l, enum table t,
		 uint64_t pages[PAGE_COUNTS])
{
	const struct count *c = t == TABLE_CALLERS ? &l->areas.held :
						     &l->traced;

	for (unsigned int i = 0; i < PAGE_COUNTS; i++)
		pages[i] = UNKNOWN;
	if (t == TABLE_INITCALLS) {
		add_rows(l, t, table_rows(l, t), pages);
		return;
	}
	pages[PAGES_NOW] = c->now;
	if (t != TABLE_CALLERS && !l->books.on)
		pages[PAGES_AT_PEAK] = count_at_peak(c, l->epoch);
	if (t == TABLE_KINDS && !l->books.on) {
		pages[PAGES_NOW] += l->areas.held.now;
		pages[PAGES_AT_PEAK] += count_at_peak(&l->areas.held, l->epoch);
	}
	if (l->samples.on && t != TABLE_CALLERS)
		add_rows(l, t, table_rows(l, t), pages);
	if (t == TABLE_TASKS && l->areas.charged.peak)
		pages[PAGES_VMALLOC] = l->areas.charged.now;
	if (t != TABLE_MODULES)
		return;
	pages[PAGES_IMAGE] = pages[PAGES_VMALLOC] = 0;
	for (uint32_t i = 0; i < l->modules.used; i++) {
		pages[PAGES_IMAGE] += l->modules.row[i].image.now;
		pages[PAGES_VMALLOC] += l->modules.row[i].vmalloc.now;
	}
	if (l->samples.on || !areas_apart(l))
		pages[PAGES_IMAGE] = UNKNOWN;
	if (!areas_apart(l))
		pages[PAGES_VMALLOC] = UNKNOWN;
}
