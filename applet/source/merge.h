/* SPDX-License-Identifier: MIT */
/*
 * N rings, each in time order -> one stream in time order: a binary heap of
 * the rings' next times.
 *
 * Equal times come out in the order of the ring's number, so that the same
 * rings always give the same stream.
 */
#ifndef MEMSTRACK_MERGE_H
#define MEMSTRACK_MERGE_H

#include <stdint.h>

struct merge_entry {
	uint64_t time_ns;
	uint32_t ring;
};

struct merge {
	struct merge_entry *heap;	/* room for every ring */
	uint32_t count;
};

/* Rings may come in any order. After the last one, the first entry is the
 * oldest. */
void merge_add(struct merge *m, uint32_t ring, uint64_t time_ns);
void merge_order(struct merge *m);

/* The first entry's ring has a new time: the entry moves to its place. */
void merge_again(struct merge *m, uint64_t time_ns);

/* The first entry's ring has no more events. */
void merge_drop(struct merge *m);

#endif
