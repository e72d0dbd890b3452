/*
 * report/balance.c: the parts of the fall always add up to it, whatever their
 * signs; what share is explained; and when advice is given, of how much.
 */
#include "../../applet/report/balance.h"
#include "ledger_fixture.h"
#include "random.h"

#define MIB_PAGES UINT64_C(256)

static int64_t part(const struct ledger *l, enum balance_part p)
{
	struct balance b;

	balance_of(l, &b);
	return (int64_t)b.value[p];
}

static int fell(const struct ledger *l)
{
	struct balance b;

	balance_of(l, &b);
	return b.fell;
}

static int adds_up(const struct ledger *l)
{
	struct balance b;
	uint64_t sum = 0;

	balance_of(l, &b);
	for (int i = BALANCE_TRACED; i <= BALANCE_REST; i++)
		sum += b.value[i];
	return sum == b.value[BALANCE_FALL];
}

/* A ledger whose memory fell by so much. */
static struct fixture *fallen(uint64_t start, uint64_t now)
{
	struct fixture *f = fixture_new();

	f->ledger.memory_sampled = 1;
	f->ledger.free_start_pages = start;
	f->ledger.free_now_pages = f->ledger.free_lowest_pages = now;
	return f;
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
	tap_ok(part(l, BALANCE_FALL) == 1000 &&
	       part(l, BALANCE_TRACED) == 600 &&
	       part(l, BALANCE_VMALLOC) == 200 && part(l, BALANCE_BULK) == 70 &&
	       part(l, BALANCE_CMA) == 30, "what is taken is above zero");
	tap_ok(part(l, BALANCE_BEFORE) == -10,
	       "frees of areas that are gone are not from before");
	tap_ok(part(l, BALANCE_PCP) == -50, "what lists lost, MemFree got");
	tap_ok(part(l, BALANCE_REST) == 160 && adds_up(l) &&
	       part(l, BALANCE_PERMILLE) == 840, "what is left over: 84.0 %%");
	l->areas.bulk_pages = 0;
	tap_ok(part(l, BALANCE_BEFORE) == -310,
	       "sampled areas: their frees cannot be told apart");
	free(f);
}

static void test_bounds(void)
{
	struct fixture *f = fallen(100, 0);
	struct ledger *l = &f->ledger;

	l->traced.now = 10;
	l->total.before_frees = 1000;
	tap_ok(part(l, BALANCE_REST) == 1090 && adds_up(l) &&
	       part(l, BALANCE_PERMILLE) == -9900,
	       "more freed from before than all else: less than nothing");
	l->total.before_frees = 0;
	l->traced.now = 100;
	tap_ok(part(l, BALANCE_PERMILLE) == 1000, "all of it");
	l->traced.now = 205;
	tap_ok(part(l, BALANCE_PERMILLE) == 2050 &&
	       part(l, BALANCE_REST) == -105, "twice as much");
	l->total.before_frees = UINT64_MAX;
	part(l, BALANCE_PERMILLE);
	l->areas.other_bulk_pages = l->areas.cma_pages = UINT64_MAX / 3;
	part(l, BALANCE_PERMILLE);
	l->free_start_pages = UINT64_MAX / 2;
	tap_ok(adds_up(l), "nonsense adds up as well, and divides");
	free(f);
}

static void test_fell(void)
{
	struct fixture *f = fallen(1000, 999);
	struct ledger *l = &f->ledger;

	tap_ok(fell(l), "by a page");
	l->free_now_pages = 1000;
	tap_ok(!fell(l) && !part(l, BALANCE_PERMILLE), "not at all");
	l->free_now_pages = 1001;
	tap_ok(!fell(l) && part(l, BALANCE_FALL) == -1 &&
	       !part(l, BALANCE_PERMILLE) && adds_up(l), "it rose");
	l->free_now_pages = UINT64_MAX;
	l->free_start_pages = 0;
	tap_ok(fell(l) && part(l, BALANCE_FALL) == 1, "past all numbers");
	l->free_now_pages = 0;
	l->free_start_pages = 9;
	l->memory_sampled = 0;
	tap_ok(!fell(l), "free memory was not sampled: nothing is said");
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
		wrong += !adds_up(l);
	}
	tap_ok(!wrong, "any parts add up");
	free(f);
}

/* Of 64 MiB; `permille` of 2000 pages are explained. */
static void advise(struct fixture *f, struct advice *a, uint32_t permille)
{
	const struct session session = {
		.page_size = 4096, .mem_total_kib = 50000,
	};
	const struct report r = { .ledger = &f->ledger, .session = &session };

	f->ledger.traced.now = 2 * permille;
	advice_of(&r, a);
}

static void test_advice(void)
{
	struct fixture *f = fallen(10000, 8000);
	struct ram *ram = &f->ledger.pages.ram;
	struct advice a;

	ram->range[0].count_pages = 64 * MIB_PAGES;
	for (uint32_t permille = 949; permille <= 1051; permille++) {
		advise(f, &a, permille);
		if (a.reliable != (permille >= 950 && permille <= 1050))
			break;
		if (permille == 1051)
			tap_ok(1, "given from 95.0 %% to 105.0 %%, not beyond");
	}
	advise(f, &a, 1000);
	tap_ok(a.reliable && a.total_kib == 65536 && a.lowest_kib == 32000 &&
	       a.used_kib == 33536 && a.enough_kib == 48 << 10,
	       "what was used at most, a tenth more, in steps of 16 MiB");
	f->ledger.total.lost = 1;
	advise(f, &a, 1000);
	tap_ok(!a.reliable, "not with a record lost");
	f->ledger.total.lost = 0;
	f->ledger.memory_sampled = 0;
	advise(f, &a, 1000);
	tap_ok(!a.reliable, "nor without samples");
	f->ledger.memory_sampled = 1;
	f->ledger.free_now_pages = 10001;
	advise(f, &a, 1000);
	tap_ok(!a.reliable, "nor where nothing fell");
	free(f);
}

static void test_steps(void)
{
	static const struct {
		uint64_t total_mib, free_mib, enough_mib;
	} t[] = {
		{ 64, 64, 0 }, { 64, 65, 0 }, { 1000, 840, 176 },
		{ 1000, 839, 192 }, { 64, 0, 80 }, { 1 << 20, 0, 1153440 },
	};
	struct fixture *f = fallen(2000, 0);
	struct ram *ram = &f->ledger.pages.ram;
	struct advice a;

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		ram->range[0].count_pages = t[i].total_mib * MIB_PAGES;
		f->ledger.free_lowest_pages = t[i].free_mib * MIB_PAGES;
		advise(f, &a, 1000);
		tap_ok(a.enough_kib == t[i].enough_mib << 10,
		       "%u of %u MiB free: %u MiB", (unsigned)t[i].free_mib,
		       (unsigned)t[i].total_mib,
		       (unsigned)(a.enough_kib >> 10));
	}
	ram->range[0].count_pages = UINT32_MAX;
	f->ledger.free_lowest_pages = 0;
	advise(f, &a, 1000);
	tap_ok(a.total_kib == 50000, "all of RAM not known: MemTotal");
	ram->range[0].count_pages = UINT64_MAX / 2;
	ram->range[1].count_pages = 5;
	ram->count = 2;
	advise(f, &a, 1000);
	tap_ok(a.total_kib == UINT64_MAX && a.used_kib == UINT64_MAX,
	       "absurd RAM is as much as there are numbers for");
	free(f);
}

int main(void)
{
	test_parts();
	test_bounds();
	test_fell();
	test_random();
	test_advice();
	test_steps();
	return tap_plan_done();
}
