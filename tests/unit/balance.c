/* SPDX-License-Identifier: MIT */
/*
 * report/balance.c, by way of figures.c: the parts of the fall always add up to
 * it, whatever their signs, and what share is explained.
 */
#include "balance_fixture.h"
#include "random.h"

static int adds_up(struct fixture *f)
{
	uint64_t value[FIGURES], sum = 0;

	get(f, value);
	for (int i = FIGURE_TRACED; i <= FIGURE_REST; i++)
		sum += value[i];
	return sum == value[FIGURE_FALL];
}

static void test_parts(void)
{
	struct fixture *f = fallen(5000, 4000);
	struct ledger *l = &f->ledger;

	l->traced.now = 600;
	l->areas.held.now = 200;
	l->areas.bulk_pages = 500;
	l->areas.other_bulk_pages = 70;
	l->areas.cma_pages = 30;
	l->total.before_frees = 310;
	l->pcp_start_pages = 90;
	l->pcp_now_pages = 40;
	tap_ok(part(f, FIGURE_FALL) == 1000 &&
	       part(f, FIGURE_TRACED) == 600 &&
	       part(f, FIGURE_VMALLOC) == 200 && part(f, FIGURE_BULK) == 70 &&
	       part(f, FIGURE_CMA) == 30, "what is taken is above zero");
	tap_ok(part(f, FIGURE_BEFORE) == -10,
	       "frees of areas that are gone are not from before");
	tap_ok(part(f, FIGURE_PCP) == -50, "what lists lost, MemFree got");
	tap_ok(part(f, FIGURE_REST) == 160 && adds_up(f) &&
	       part(f, FIGURE_PERMILLE) == 840, "what is left over: 84.0 %%");
	l->areas.bulk_pages = 0;
	tap_ok(part(f, FIGURE_BEFORE) == -310,
	       "sampled areas: their frees cannot be told apart");
	free(f);
}

static void test_bounds(void)
{
	struct fixture *f = fallen(100, 0);
	struct ledger *l = &f->ledger;

	l->traced.now = 10;
	l->total.before_frees = 1000;
	tap_ok(part(f, FIGURE_REST) == 1090 && adds_up(f) &&
	       part(f, FIGURE_PERMILLE) == -9900,
	       "more freed from before than all else: less than nothing");
	l->total.before_frees = 0;
	l->traced.now = 100;
	tap_ok(part(f, FIGURE_PERMILLE) == 1000, "all of it");
	l->traced.now = 205;
	tap_ok(part(f, FIGURE_PERMILLE) == 2050 &&
	       part(f, FIGURE_REST) == -105, "twice as much");
	l->total.before_frees = UINT64_MAX;
	part(f, FIGURE_PERMILLE);
	l->areas.other_bulk_pages = l->areas.cma_pages = UINT64_MAX / 3;
	part(f, FIGURE_PERMILLE);
	l->free_start_pages = UINT64_MAX / 2;
	tap_ok(adds_up(f), "nonsense adds up as well, and divides");
	free(f);
}

/* 0: there is nothing to explain. */
static void test_fell(void)
{
	static const struct {
		uint64_t start, now;
		int64_t fall;
	} t[] = {
		{ 1000, 999, 1 }, { 1000, 1000, 0 }, { 1000, 1001, -1 },
		{ 0, UINT64_MAX, 1 },	/* past all numbers */
	};
	struct fixture *f = fallen(0, 0);
	uint32_t said = 0;

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		f->ledger.free_start_pages = t[i].start;
		f->ledger.free_now_pages = t[i].now;
		tap_ok(part(f, FIGURE_FALL) == t[i].fall && adds_up(f) &&
		       (part(f, FIGURE_PERMILLE) != (int64_t)UNKNOWN) ==
		       (t[i].fall > 0), "it fell by %d", (int)t[i].fall);
	}
	f->ledger.free_now_pages = 0;
	f->ledger.free_start_pages = 9;
	f->ledger.memory_sampled = 0;
	for (int i = FIGURE_BALANCE; i < FIGURE_ADVICE; i++)
		said += part(f, (enum figure)i) != (int64_t)UNKNOWN;
	for (int i = FIGURE_FREE_START_KIB; i < FIGURE_NOW_PAGES; i++)
		said += part(f, (enum figure)i) != (int64_t)UNKNOWN;
	tap_ok(!said && part(f, FIGURE_PERMILLE) == (int64_t)UNKNOWN,
	       "free memory was not sampled: nothing is said");
	free(f);
}

static void test_random(void)
{
	struct random r = { 77 };
	struct fixture *f = fallen(1, 0);
	struct ledger *l = &f->ledger;
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < 100000; i++) {
		l->free_start_pages = random_u64(&r) >> random_below(&r, 64);
		l->free_now_pages = random_u64(&r) >> random_below(&r, 64);
		l->traced.now = (uint32_t)random_u64(&r);
		l->areas.held.now = (uint32_t)random_u64(&r);
		l->areas.bulk_pages = random_u64(&r) >> random_below(&r, 64);
		l->areas.other_bulk_pages = random_u64(&r);
		l->areas.cma_pages = random_u64(&r) >> random_below(&r, 64);
		l->total.before_frees = random_u64(&r) >> random_below(&r, 64);
		l->pcp_start_pages = random_u64(&r);
		l->pcp_now_pages = random_u64(&r);
		wrong += !adds_up(f);
	}
	tap_ok(!wrong, "any parts add up");
	free(f);
}

int main(void)
{
	test_parts();
	test_bounds();
	test_fell();
	test_random();
	return tap_plan_done();
}
