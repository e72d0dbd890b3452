/* SPDX-License-Identifier: MIT */
/*
 * ledger/count.h: now, peak and what stood at the total's peak, against a copy
 * of every row at every new high, which is what the late copy must equal.
 */
#include <string.h>
#include "ledger/count.h"
#include "random.h"
#include "tap.h"

#define ROWS 7u

/* `total` and `epoch` as apply.c keeps them. */
struct books {
	struct count row[ROWS];
	uint32_t epoch, now, peak;
};

struct plain {
	uint32_t now[ROWS], peak[ROWS], at_peak[ROWS];
};

static void add(struct books *b, uint32_t row, uint32_t pages)
{
	count_add(&b->row[row], b->epoch, pages);
	b->now += pages;
	if (b->now > b->peak) {
		b->peak = b->now;
		b->epoch++;
	}
}

static void sub(struct books *b, uint32_t row, uint32_t pages)
{
	count_sub(&b->row[row], b->epoch, pages);
	b->now -= pages;
}

static uint32_t at_peak(const struct books *b, uint32_t row)
{
	return count_at_peak(&b->row[row], b->epoch);
}

static void plain_add(struct plain *p, const struct books *b, uint32_t row,
		      uint32_t pages)
{
	p->now[row] += pages;
	if (p->now[row] > p->peak[row])
		p->peak[row] = p->now[row];
	if (b->now + pages > b->peak)
		memcpy(p->at_peak, p->now, sizeof(p->now));
}

/* Two rows become one, as when a table's row is used again. */
static void fold(struct books *b, struct plain *p, uint32_t to, uint32_t from)
{
	count_fold(&b->row[to], &b->row[from], b->epoch);
	p->now[to] += p->now[from];
	p->at_peak[to] += p->at_peak[from];
	if (p->now[to] > p->peak[to])
		p->peak[to] = p->now[to];
	if (p->at_peak[to] > p->peak[to])
		p->peak[to] = p->at_peak[to];
	p->now[from] = p->at_peak[from] = p->peak[from] = 0;
}

static void step(struct books *b, struct plain *p, struct random *r)
{
	uint32_t row = random_below(r, ROWS);
	uint32_t pages = 1 + random_below(r, 9);

	if (random_one_in(r, 40)) {
		uint32_t to = random_below(r, ROWS);

		if (to != row)
			fold(b, p, to, row);
	} else if (p->now[row] >= pages && random_below(r, 2)) {
		sub(b, row, pages);
		p->now[row] -= pages;
	} else {
		plain_add(p, b, row, pages);
		add(b, row, pages);
	}
}

static int agree(const struct books *b, const struct plain *p)
{
	for (uint32_t i = 0; i < ROWS; i++)
		if (b->row[i].now != p->now[i] ||
		    b->row[i].peak != p->peak[i] ||
		    at_peak(b, i) != p->at_peak[i])
			return 0;
	return 1;
}

static void test_random(uint64_t seed)
{
	struct books b = { .epoch = 1 };
	struct plain p = { { 0 }, { 0 }, { 0 } };
	struct random r = { seed };
	uint32_t i;

	for (i = 0; i < 20000 && agree(&b, &p); i++)
		step(&b, &p, &r);
	tap_ok(i == 20000, "seed %llu: the late copy is the copy (step %u)",
	       (unsigned long long)seed, i);
}

int main(void)
{
	for (uint64_t seed = 1; seed <= 5; seed++)
		test_random(seed);
	return tap_plan_done();
}
