/* SPDX-License-Identifier: MIT */
/*
 * The order of a report, and the best of many rows or stacks in little room.
 *
 * The caller offers every candidate. The best `most` of them are kept, or as
 * many as there is room for; then they are sorted. A heap keeps the best N of
 * many in the room of N. Why not qsort: glibc's may call malloc, and musl's
 * takes no context before 1.2.3. No recursion, O(n log n).
 */
#ifndef MEMSTRACK_RANK_H
#define MEMSTRACK_RANK_H

#include "report/report.h"
#include "report/shown.h"

struct ranking {
	const struct ledger *ledger;
	enum table table;
	int stacks;		/* stacks of a row; else rows of the table */
	int by_name;		/* rows of one name stand together */
	enum order order;
	uint32_t *item;
	uint32_t capacity;
	uint32_t kept, offered;
	/* Does `a` come before `b`? NULL: by the order of the table. */
	int (*before)(const struct ranking *k, uint32_t a, uint32_t b);
};

void ranking_offer(struct ranking *k, uint32_t item);
void ranking_sort(struct ranking *k);

/* Are there pages of vmalloc that are not in the other columns? Where each has an
 * event of its own (before Linux 5.14, and on 7.2), none are: then the columns
 * image and vmalloc are not known, rather than 0. */
int areas_apart(const struct ledger *l);

/* The pages that a row holds; UNKNOWN for counts that its table does not
 * have. */
void row_pages(const struct ledger *l, enum table t, uint32_t row,
	       uint64_t pages[PAGE_COUNTS]);
/* 0: the row never held a page. */
uint64_t row_weight(const struct ledger *l, enum table t, uint32_t row);
/* The pages of a stack, now and at its peak. A stack of a module is a leaf of
 * its tree; a stack of a task is one of its owners. */
void stack_pages(const struct ranking *k, uint32_t item,
		 uint64_t pages[PAGES_AT_PEAK]);

#endif
