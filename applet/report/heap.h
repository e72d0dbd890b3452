/*
 * Heap and heapsort over anything that can be compared and swapped by index.
 *
 * Why not qsort: glibc's may call malloc, musl's takes no context before
 * 1.2.3, and the heap itself is what keeps the best N of many rows in the room
 * of N. No recursion, O(n log n) at worst.
 */
#ifndef MEMSTRACK_HEAP_H
#define MEMSTRACK_HEAP_H

#include <stdint.h>

struct heap {
	/* Does item i stand before item j in the order wanted? */
	int (*before)(const struct heap *h, uint32_t i, uint32_t j);
	void (*swap)(const struct heap *h, uint32_t i, uint32_t j);
	void *items;
	const void *context;
	uint32_t count;
};

/* Item 0 is the last in order; after a change of item 0 or a new item at the
 * end, these put that right. */
void heap_down(const struct heap *h, uint32_t count);
void heap_up(const struct heap *h, uint32_t at);

/* From a heap, or from any order, to the order wanted. */
void heap_sort(const struct heap *h);
void heap_make(const struct heap *h);

#endif
