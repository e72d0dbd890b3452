/* SPDX-License-Identifier: MIT */
/*
 * ledger/areas.c and area_events.c on what /proc/vmallocinfo says: by what name
 * an area's caller goes, also when names are made up, and areas as a kernel
 * without probes shows them, in samples.
 */
#include "areas_fixture.h"

static void test_callers(void)
{
	struct fixture *f = fixture_new();
	struct areas *a = &f->ledger.areas;

	module_text(f, "planted", TEXT, 0x1000, 0);
	for (uint32_t i = 0; i < 5; i++) {
		area(f, EVENT_BULK, 0, 10 + i, 0);
		area_by(f, AREA(i), 0x1000);
	}
	tap_ok(caller_at(f, AREA(0)) == &a->caller[CALLER_OTHER] &&
	       a->caller[CALLER_OTHER].pages.now == 60, "not seen: (other)'s");
	tap_ok(seen(f, AREA(0), 10, "copy+0x1/0x2", 0) == APPLIED &&
	       seen(f, AREA(1), 11, "copy+0x1/0x2 [planted]", 0) == APPLIED &&
	       seen(f, AREA(2), 12, "copy+0x1/0x2", 0) == APPLIED &&
	       seen(f, AREA(3), 13, "copy+0x1/0x2 [elsewhere]", 0) == APPLIED,
	       "seen");
	tap_ok(caller_at(f, AREA(0)) == caller_at(f, AREA(2)) &&
	       !strcmp(caller_at(f, AREA(0))->name, "copy+0x1/0x2") &&
	       caller_at(f, AREA(0))->module == 0, "a caller has one row");
	tap_ok(caller_at(f, AREA(1)) != caller_at(f, AREA(0)) &&
	       !strcmp(caller_at(f, AREA(1))->name, "copy+0x1/0x2") &&
	       caller_at(f, AREA(1))->module ==
	       modules_find(&f->ledger.modules, "planted"),
	       "the same name in a module is another's");
	tap_ok(caller_at(f, AREA(3)) == caller_at(f, AREA(0)),
	       "of a module that is not known, the name is what there is");
	seen(f, AREA(0), 99, "renamed", 0);
	tap_ok(!strcmp(caller_at(f, AREA(0))->name, "copy+0x1/0x2") &&
	       areas_find(a, AREA(0))->pages == 10,
	       "what is known already stays, its pages too");
	tap_ok(seen(f, AREA(9), 10, "unknown", 0) == IGNORED,
	       "an area that was not traced is from before");
	area(f, EVENT_AREA_FREE, AREA(0), 0, 0);
	tap_ok(are(caller_at(f, AREA(2))->pages.now,
		   caller_at(f, AREA(2))->pages.peak, 25, 35) &&
	       sums_agree(f), "its pages go from its caller");
	balance(f, "callers");
}

static void test_hostile_names(void)
{
	static const char *const names[] = {
		"", " ", "[", "[planted]", " [", " []", " [planted]", "x [",
		"x []", "x [p", "x planted", "x [planted", "x  [planted]",
		"x [planted] y", "\x01\xff [\x02]", "x [planted]]",
		"0123456789012345678901234567890123456789012345678901234",
		"01234567890123456789012345678901234567890123456 [planted]",
	};
	struct fixture *f = fixture_new();
	uint32_t wrong = 0;

	module_text(f, "planted", TEXT, 0x1000, 0);
	for (uint32_t i = 0; i < ARRAY_LEN(names); i++) {
		area(f, EVENT_BULK, 0, 3, 0);
		area_by(f, AREA(i), 0x1000);
		wrong += seen(f, AREA(i), 3, names[i], 0) != APPLIED;
		wrong += !memchr(caller_at(f, AREA(i))->name, 0, CALLER_BYTES);
	}
	tap_ok(!wrong && sums_agree(f), "names of every shape");
	balance(f, "hostile names");
}

/* What a kernel without probes shows. */
static void test_samples(void)
{
	struct fixture *f = fixture_new();
	struct areas *a = &f->ledger.areas;
	const uint32_t s = EVENT_SAMPLED;

	seen(f, AREA(0), 500, "before", s);
	area(f, EVENT_AREAS_SEEN, 0, 0, s);
	tap_ok(held(a) == 1 && !a->held.now, "the first shows what was before");
	task_event(f, EVENT_MODULE_LOAD, 7, 7, "planted");
	module_text(f, "planted", TEXT, 0x1000, 0);
	seen(f, AREA(0), 500, "before", s);
	seen(f, TEXT, 1, "module_alloc+0x5/0x50", s);
	seen(f, AREA(1), 30, "init+0x1/0x2 [planted]", s);
	seen(f, AREA(2), 4, "clone+0x1/0x2", s);
	area(f, EVENT_AREAS_SEEN, 0, 0, s);
	tap_ok(module(f, "planted")->image.now == 1 &&
	       module(f, "planted")->vmalloc.now == 30 && a->held.now == 35,
	       "then text lies in an image, callers are modules'");
	seen(f, AREA(1), 30, "init+0x1/0x2 [planted]", s);
	seen(f, AREA(0), 500, "before", s);
	area(f, EVENT_AREAS_SEEN, 0, 0, s);
	tap_ok(held(a) == 2 && are(a->held.now, a->held.peak, 30, 35) &&
	       sums_agree(f),
	       "what is not seen again is gone");
	area(f, EVENT_AREAS_SEEN, 0, 0, s);
	tap_ok(!held(a) && !a->held.now, "with an empty one, all of it");
	area(f, EVENT_BULK, 0, 12, 0);
	area_by(f, AREA(4), 0x1000);
	area(f, EVENT_AREAS_SEEN, 0, 0, 0);
	tap_ok(a->held.now == 12, "with probes, nothing goes unseen");
	balance(f, "samples");
}

/* An area may go and another come to its place between two samples. */
static void test_replaced(void)
{
	struct fixture *f = fixture_new();
	const struct areas *a = &f->ledger.areas;
	const uint32_t s = EVENT_SAMPLED;

	seen(f, AREA(0), 500, "before", s);
	area(f, EVENT_AREAS_SEEN, 0, 0, s);
	seen(f, AREA(0), 500, "before", s);
	seen(f, AREA(1), 30, "one+0x1/0x2", s);
	area(f, EVENT_AREAS_SEEN, 0, 0, s);
	seen(f, AREA(0), 500, "before", s);
	tap_ok(seen(f, AREA(1), 40, "two+0x1/0x2", s) == APPLIED &&
	       held(a) == 2 && are(a->held.now, a->held.peak, 40, 40) &&
	       !strcmp(caller_at(f, AREA(1))->name, "two+0x1/0x2"),
	       "one of another size is another");
	tap_ok(a->bulk_pages == 70 && ledger_used(&f->ledger) == 70,
	       "which took pages of its own");
	tap_ok(seen(f, AREA(1), 50, "three+0x1/0x2", s) == REJECTED &&
	       seen(f, AREA(1), 40, "three+0x1/0x2", s) == REJECTED,
	       "a second line of the same address is refused");
	area(f, EVENT_AREAS_SEEN, 0, 0, s);
	seen(f, AREA(1), 40, "three+0x1/0x2", s);
	tap_ok(held(a) == 2 && a->held.now == 40 &&
	       !strcmp(caller_at(f, AREA(1))->name, "two+0x1/0x2"),
	       "one of the same size is the same");
	seen(f, AREA(0), 500, "before", s);
	tap_ok(areas_find(a, AREA(0))->before && a->held.now == 40,
	       "one from before holds nothing");
	area(f, EVENT_AREAS_SEEN, 0, 0, s);
	seen(f, AREA(0), 600, "after", s);
	tap_ok(areas_find(a, AREA(0))->pages == 600 && a->held.now == 640,
	       "but one that came to its place does");
	seen(f, AREA(1), 50, "two+0x1/0x2", 0);
	tap_ok(areas_find(a, AREA(1))->pages == 40 && sums_agree(f),
	       "with probes, size is what came in bulk");
	balance(f, "replaced");
}

int main(void)
{
	test_callers();
	test_hostile_names();
	test_samples();
	test_replaced();
	return tap_plan_done();
}
