/* SPDX-License-Identifier: MIT */
/*
 * ledger/snapshot.c: the instant when the most memory was used,
 * and who held it then: exact between samples, the first of equal ones.
 */
#include "ledger/snapshot.h"
#include "ledger_fixture.h"

static void test_peak(void)
{
	struct fixture *f = fixture_new();
	struct moment m;

	sample_at(f, 1 * MS, 1000);
	take(f, 50, 0, 2);
	sample_at(f, 2 * MS, 900);
	take(f, 50, 16, 3);
	snapshot_peak(&f->ledger, &m);
	tap_ok(m.time_ns == 2 * MS + 1 && m.free_pages == 988 &&
	       m.traced_pages == 12, "exact, without a sample");
	give(f, 50, 16, 3);
	take(f, 51, 32, 3);
	sample_at(f, 3 * MS, 900);
	snapshot_peak(&f->ledger, &m);
	tap_ok(m.time_ns == 2 * MS + 1 && m.task[0].pages == 12 &&
	       m.task[1].pages == 0, "the first of equal ones");
	sample_at(f, 4 * MS, 1);
	sample_at(f, 5 * MS, 2000);
	snapshot_peak(&f->ledger, &m);
	tap_ok(m.time_ns == 2 * MS + 1 && m.free_pages == 988 &&
	       f->ledger.timeline.points == 1,
	       "what the kernel says is free does not move it");
	tap_ok(f->ledger.free_lowest_pages == 1 &&
	       f->ledger.free_lowest_ns == 4 * MS,
	       "the lowest that was sampled is kept, between points too");
	balance(f, "peak");
}

/* What was in use before tracing may be given back. */
static void test_no_peak(void)
{
	struct fixture *f = fixture_new();
	struct moment m;

	sample_at(f, 1 * MS, 1000);
	give(f, 50, 64, 4);
	take(f, 50, 0, 3);
	snapshot_peak(&f->ledger, &m);
	tap_ok((int64_t)ledger_used(&f->ledger) == -8, "less than at first");
	tap_ok(m.time_ns == 1 * MS && m.free_pages == 1000 && !m.traced_pages &&
	       !m.task[0].pages, "never more: then nobody held any");
	take(f, 50, 8, 3);
	take(f, 50, 16, 0);
	snapshot_peak(&f->ledger, &m);
	tap_ok(m.free_pages == 999 && m.traced_pages == 17 &&
	       m.task[0].pages == 17, "one page more: all that was held");
	balance(f, "no peak");
}

/* Pages of an area come in bulk before it is known whose it is: at the peak
 * it is that one's already. */
static void test_area_at_peak(void)
{
	struct event e = { .type = EVENT_AREA_ENTER, .tid = 9, .tgid = 9,
			   .pages = 30 };
	struct fixture *f = fixture_new();
	struct moment m;

	sample_at(f, 1 * MS, 1000);
	task_event(f, EVENT_LOAD_ENTER, 9, 9, "");
	apply(f, &e);
	e.type = EVENT_BULK;
	apply(f, &e);
	snapshot_peak(&f->ledger, &m);
	tap_ok(m.free_pages == 970 && !m.vmalloc_pages && !m.module[0].pages,
	       "bulk pages are used, but nobody's");
	e.type = EVENT_AREA_ALLOC;
	e.base = 0x10000;
	apply(f, &e);
	snapshot_peak(&f->ledger, &m);
	tap_ok(m.time_ns == f->ledger.last_ns && m.free_pages == 970 &&
	       m.vmalloc_pages == 30 && m.module[0].pages == 30,
	       "then the area's, at that instant");
	e.type = EVENT_AREA_FREE;
	apply(f, &e);
	for (uint32_t i = 0; i < 30; i++)
		give(f, 9, 100 + i, 0);
	snapshot_peak(&f->ledger, &m);
	tap_ok(!ledger_used(&f->ledger) && m.free_pages == 970 &&
	       m.vmalloc_pages == 30 && m.module[0].pages == 30,
	       "and stays so when it is gone");
	balance(f, "an area at the peak");
}

/* As much again, later, by an area: then that is the instant, time and rows. */
static void test_equal_peak(void)
{
	struct event e = { .type = EVENT_BULK, .tid = 9, .tgid = 9,
			   .pages = 8 };
	struct fixture *f = fixture_new();
	struct moment m;

	sample_at(f, 1 * MS, 1000);
	take(f, 50, 0, 3);
	give(f, 50, 0, 3);
	apply(f, &e);
	e.type = EVENT_AREA_ALLOC;
	e.base = 0x10000;
	apply(f, &e);
	snapshot_peak(&f->ledger, &m);
	tap_ok(m.time_ns == f->ledger.last_ns && !m.traced_pages &&
	       !m.task[0].pages && m.vmalloc_pages == 8,
	       "of equal peaks that of an area, its time and its rows");
	balance(f, "equal peaks");
}

int main(void)
{
	test_peak();
	test_no_peak();
	test_area_at_peak();
	test_equal_peak();
	return tap_plan_done();
}
