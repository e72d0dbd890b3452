/* SPDX-License-Identifier: MIT */
/*
 * ledger/late.c: whatever one stopped CPU holds back, and for how long, the
 * books are those of the same events in order. Runs of pages; and a loss beside
 * it never makes a counter wrap.
 */
#include "ledger_fixture.h"
#include "exact.h"

#define PAGES 128u
#define STEPS 20000u
#define BACK_MAX 40u

/* Pages that follow one another are one run, if they are of one time. */
static void test_runs(void)
{
	static struct late l;

	for (uint64_t pfn = 100; pfn < 108; pfn++)
		late_note(&l, pfn, 50);
	for (uint64_t pfn = 1; pfn < LATE_RUNS; pfn++)
		late_note(&l, 1000 + 2 * pfn, 60);
	tap_ok(late_is_over(&l, 107, 49), "as many runs as there is room for");
	late_note(&l, 5000, 60);
	tap_ok(!late_is_over(&l, 107, 49) && late_is_over(&l, 5000, 59),
	       "then the oldest is forgotten");
}

/* A machine that knows which pages it has given out. */
struct machine {
	struct random r;
	uint8_t taken[PAGES];
	uint64_t now_ns;
};

/* The next thing that happens: a block of free pages is taken, or a block that
 * is all taken is given back, whether it was taken as one or not. */
static struct event happens(struct machine *m)
{
	for (;;) {
		const uint32_t order = random_below(&m->r, 4);
		const uint32_t pages = 1u << order;
		const uint32_t page = random_below(&m->r, PAGES) & ~(pages - 1);
		const uint32_t tid = 10 + random_below(&m->r, 4);
		uint8_t *block = m->taken + page;
		uint32_t taken = 0;

		for (uint32_t i = 0; i < pages; i++)
			taken += block[i];
		if (taken && taken < pages)
			continue;
		memset(block, !taken, pages);
		return (struct event){
			.type = taken ? EVENT_FREE : EVENT_ALLOC,
			.time_ns = ++m->now_ns, .pfn = FIRST_PFN + page,
			.order = order, .tid = tid, .tgid = tid,
		};
	}
}

static struct fixture *with_tasks(void)
{
	struct fixture *f = fixture_new();

	for (uint32_t tid = 10; tid < 14; tid++)
		task_event(f, EVENT_COMM, tid, tid, "task");
	return f;
}

static int same_books(const struct ledger *a, const struct ledger *b)
{
	for (uint32_t i = 0; i < a->tasks.used; i++)
		if (a->tasks.row[i].pages.now != b->tasks.row[i].pages.now)
			return 0;
	return !memcmp(a->pages.flat, b->pages.flat,
		       RAM_PAGES * sizeof(*a->pages.flat)) &&
	       a->traced.now == b->traced.now &&
	       a->total.allocs == b->total.allocs &&
	       a->total.frees == b->total.frees &&
	       a->total.anon_pages == b->total.anon_pages &&
	       a->total.before_frees == b->total.before_frees &&
	       a->total.missed_frees == b->total.missed_frees &&
	       !ledger_check(a) && !ledger_check(b);
}

/* One event at a time is held back, and comes up to BACK_MAX events later. */
static void test_held_back(uint64_t seed)
{
	struct machine m = { .r = { seed }, .now_ns = 1000 };
	struct fixture *in_order = with_tasks(), *late = with_tasks();
	struct event back;
	uint32_t left = 0, wrong = 0, held_back = 0;

	for (uint32_t i = 0; i < STEPS; i++) {
		struct event e = happens(&m);

		ledger_apply(&in_order->ledger, &e);
		if (!left && random_one_in(&m.r, 10)) {
			back = e;
			left = 1 + random_below(&m.r, BACK_MAX);
			held_back++;
			continue;
		}
		ledger_apply(&late->ledger, &e);
		if (left && !--left)
			ledger_apply(&late->ledger, &back);
		wrong += !left && i % 16 == 0 &&
			 !same_books(&in_order->ledger, &late->ledger);
	}
	if (left)
		ledger_apply(&late->ledger, &back);
	tap_ok(!wrong && same_books(&in_order->ledger, &late->ledger) &&
	       late->ledger.total.late == held_back,
	       "seed %u: of %u events held back, %u pages were over",
	       (unsigned int)seed, held_back,
	       (unsigned int)late->ledger.total.settled_pages);
	tap_ok(late->ledger.total.settled_pages > 100 &&
	       !late->ledger.total.missed_frees,
	       "and no free is missing in the end");
	free(in_order);
	free(late);
}

/* The same pages again and again, each time as if it were the missing event. */
static void test_no_wrap(void)
{
	struct fixture *f = with_tasks();
	const struct totals *t = &f->ledger.total;
	struct event e = { .tid = 10, .tgid = 10, .pfn = FIRST_PFN };

	e.type = EVENT_FREE;
	e.time_ns = 5000;
	ledger_apply(&f->ledger, &e);
	e.type = EVENT_ALLOC;
	for (e.time_ns = 4000; e.time_ns < 4003; e.time_ns++)
		ledger_apply(&f->ledger, &e);
	tap_ok(!t->before_frees && t->settled_pages == 3,
	       "more allocations than were missing: none is below nothing");
	for (e.time_ns = 6000; e.time_ns < 6002; e.time_ns++)
		ledger_apply(&f->ledger, &e);
	e.type = EVENT_FREE;
	for (e.time_ns = 5500; e.time_ns < 5503; e.time_ns++)
		ledger_apply(&f->ledger, &e);
	tap_ok(!t->missed_frees && t->settled_pages == 6 &&
	       f->ledger.traced.now == 1, "nor do more frees than were");
	free(f);
}

int main(void)
{
	test_runs();
	for (uint64_t seed = 1; seed <= 4; seed++)
		test_held_back(seed);
	test_no_wrap();
	return tap_plan_done();
}
