/* SPDX-License-Identifier: MIT */
/* N rings into one stream: see source.h, merge. */
#include "source/source.h"

static int before(const struct merge_entry *a, const struct merge_entry *b)
{
	return a->time_ns != b->time_ns ? a->time_ns < b->time_ns :
	       a->ring < b->ring;
}

void merge_add(struct merge *m, uint32_t ring, uint64_t time_ns)
{
	m->heap[m->count++] = (struct merge_entry){ time_ns, ring };
}

/* Puts an entry in its place, at `at` or below. */
static void sink_down(struct merge *m, uint32_t at, struct merge_entry e)
{
	for (;;) {
		uint32_t child = at * 2 + 1;

		if (child + 1 < m->count &&
		    before(&m->heap[child + 1], &m->heap[child]))
			child++;
		if (child >= m->count || !before(&m->heap[child], &e))
			break;
		m->heap[at] = m->heap[child];
		at = child;
	}
	m->heap[at] = e;
}

void merge_order(struct merge *m)
{
	for (uint32_t at = m->count / 2; at--;)
		sink_down(m, at, m->heap[at]);
}

void merge_again(struct merge *m, uint64_t time_ns)
{
	m->heap[0].time_ns = time_ns;
	if (m->count > 1)
		sink_down(m, 0, m->heap[0]);
}

void merge_drop(struct merge *m)
{
	struct merge_entry last = m->heap[--m->count];

	if (m->count)
		sink_down(m, 0, last);
}
