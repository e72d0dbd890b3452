/* SPDX-License-Identifier: MIT */
/* What a table has in all: rows, and pages. */
#ifndef MEMSTRACK_TABLE_SUMS_H
#define MEMSTRACK_TABLE_SUMS_H

#include "report/report.h"
#include "report/shown.h"

uint32_t table_rows(const struct ledger *l, enum table t);
/* The sum of all rows (ledger_check() checks it); UNKNOWN for counts that the
 * table does not have, or that cannot be added up. */
void table_pages(const struct ledger *l, enum table t,
		 uint64_t pages[PAGE_COUNTS]);

#endif
