/* See heap.h. */
#include "heap.h"

static void down_from(const struct heap *h, uint32_t at, uint32_t count)
{
	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child >= count)
			return;
		if (child + 1 < count && h->before(h, child, child + 1))
			child++;
		if (!h->before(h, at, child))
			return;
		h->swap(h, at, child);
		at = child;
	}
}

void heap_down(const struct heap *h, uint32_t count)
{
	down_from(h, 0, count);
}

void heap_up(const struct heap *h, uint32_t at)
{
	while (at) {
		uint32_t parent = (at - 1) / 2;

		if (!h->before(h, parent, at))
			return;
		h->swap(h, parent, at);
		at = parent;
	}
}

void heap_make(const struct heap *h)
{
	for (uint32_t i = h->count / 2; i-- > 0;)
		down_from(h, i, h->count);
}

void heap_sort(const struct heap *h)
{
	for (uint32_t n = h->count; n > 1;) {
		h->swap(h, 0, --n);
		down_from(h, 0, n);
	}
}
