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

/* In any order; when all are there, the first of them is the first entry. */
void merge_add(struct merge *m, uint32_t ring, uint64_t time_ns);
void merge_order(struct merge *m);

/* The first entry has a new time: move it to its place. */
void merge_again(struct merge *m, uint64_t time_ns);

/* The first entry's ring has nothing more. */
void merge_drop(struct merge *m);

#endif
