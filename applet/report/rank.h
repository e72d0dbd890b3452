/*
 * The order of a report, and the best of many rows or stacks in little room.
 *
 * Offer every candidate: a heap keeps the best `most` of them, or as many as
 * there is room for. heap_sort() then puts those in order.
 */
#ifndef MEMSTRACK_RANK_H
#define MEMSTRACK_RANK_H

#include "heap.h"
#include "select.h"

/* What is sorted: rows of a table or stacks of a row. */
struct order {
	const struct ledger *ledger;
	enum table table;
	int stacks;
};

/* The best of what was offered, in the room there is. */
struct ranking {
	struct heap heap;
	struct order order;
	uint32_t capacity;
	uint32_t offered;
};

void ranking_start(struct ranking *k, const struct order *o, uint32_t *items,
		   uint32_t room, uint32_t most);
void ranking_offer(struct ranking *k, uint32_t item);

const struct count *row_count(const struct ledger *l, enum table t,
			      uint32_t row);
/* Of a module a stack is a leaf of its tree, of a task one of its owners. */
void stack_pages(const struct order *o, uint32_t i, uint32_t *now,
		 uint32_t *peak);

#endif
