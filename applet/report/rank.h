/*
 * The order of a report, and the best of many rows or stacks in little room.
 *
 * Offer every candidate: the best `most` of them are kept, or as many as there
 * is room for; the sort then puts those in order. A heap, since that is what
 * keeps the best N of many in the room of N. Why not qsort: glibc's may call
 * malloc, musl's takes no context before 1.2.3. No recursion, O(n log n).
 */
#ifndef MEMSTRACK_RANK_H
#define MEMSTRACK_RANK_H

#include "report/report.h"
#include "report/shown.h"

struct ranking {
	const struct ledger *ledger;
	enum table table;
	int stacks;		/* stacks of a row, else rows of the table */
	enum order order;
	uint32_t *item;
	uint32_t capacity;
	uint32_t kept, offered;
};

void ranking_offer(struct ranking *k, uint32_t item);
void ranking_sort(struct ranking *k);

/* What a row holds; of other tables' counts, UNKNOWN. */
void row_pages(const struct ledger *l, enum table t, uint32_t row,
	       uint64_t pages[PAGE_COUNTS]);
/* 0: it never held a page. */
uint64_t row_weight(const struct ledger *l, enum table t, uint32_t row);
/* Now and at its peak. Of a module a stack is a leaf of its tree, of a task one
 * of its owners. */
void stack_pages(const struct ranking *k, uint32_t item,
		 uint64_t pages[PAGES_AT_PEAK]);

#endif
