/* SPDX-License-Identifier: MIT */
/*
 * source/merge.c: what comes out of the heap is what a sort by time and ring
 * gives, however many rings there are and whatever their times.
 */
#include "source/merge.h"
#include "random.h"
#include "tap.h"

#define RINGS_MAX 40u

static void test_ties(void)
{
	struct merge_entry heap[3];
	struct merge m = { heap, 0 };
	uint32_t order[3];

	merge_add(&m, 2, 100);
	merge_add(&m, 0, 100);
	merge_add(&m, 1, 100);
	merge_order(&m);
	for (uint32_t i = 0; i < 3; i++) {
		order[i] = m.heap[0].ring;
		merge_drop(&m);
	}
	tap_ok(order[0] == 0 && order[1] == 1 && order[2] == 2,
	       "equal times come in the order of the rings");
	tap_ok(m.count == 0, "and then there is nothing");
	merge_add(&m, 1, UINT64_MAX);
	merge_add(&m, 0, UINT64_MAX - 1);
	merge_order(&m);
	tap_ok(m.heap[0].ring == 0, "late times are compared unsigned");
	merge_again(&m, UINT64_MAX);
	tap_ok(m.heap[0].ring == 0, "a tie again: the first ring");
	merge_add(&m, 2, 5);
	merge_order(&m);
	tap_ok(m.heap[0].ring == 2 && m.heap[0].time_ns == 5,
	       "an earlier time comes to the front");
	merge_again(&m, UINT64_MAX);
	tap_ok(m.heap[0].ring == 0, "and goes back");
}

struct rings {
	uint64_t next[RINGS_MAX];	/* next time */
	uint32_t left[RINGS_MAX];	/* how many after it */
	uint32_t count;
};

/* The ring that is next, by looking at all: count if none. */
static uint32_t plain_next(const struct rings *s)
{
	uint32_t best = s->count;

	for (uint32_t i = 0; i < s->count; i++)
		if (s->left[i] && (best == s->count ||
				   s->next[i] < s->next[best]))
			best = i;
	return best;
}

static int drain(struct rings *s, struct merge *m, struct random *r)
{
	while (m->count) {
		uint32_t ring = m->heap[0].ring;

		if (ring != plain_next(s) ||
		    m->heap[0].time_ns != s->next[ring])
			return 0;
		s->next[ring] += random_below(r, 4);
		if (--s->left[ring])
			merge_again(m, s->next[ring]);
		else
			merge_drop(m);
	}
	return plain_next(s) == s->count;
}

static void test_random(uint64_t seed)
{
	struct random r = { seed };
	int right = 1;

	for (uint32_t round = 0; round < 300 && right; round++) {
		struct merge_entry heap[RINGS_MAX];
		struct merge m = { heap, 0 };
		struct rings s = { .count = 1 + random_below(&r, RINGS_MAX) };

		for (uint32_t i = 0; i < s.count; i++) {
			s.next[i] = random_below(&r, 30);
			s.left[i] = random_below(&r, 30);
			if (s.left[i])
				merge_add(&m, i, s.next[i]);
		}
		merge_order(&m);
		right = drain(&s, &m, &r);
	}
	tap_ok(right, "seed %u: 300 merges are sorts", (unsigned int)seed);
}

int main(void)
{
	test_ties();
	for (uint64_t seed = 1; seed <= 4; seed++)
		test_random(seed);
	return tap_plan_done();
}
