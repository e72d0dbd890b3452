/*
 * ledger/areas.c and area_events.c: whose an area of vmalloc is, by what name
 * its caller goes, and that all the ways to add areas up agree, also when the
 * tables are full and names are made up.
 */
#include "ledger_fixture.h"
#include "random.h"

#define TEXT 0xffffffffc0000000u
#define AREA(n) (0xffffc90000000000u + (uint64_t)(n) * 0x10000)
#define AREAS (16u * AREAS_PER_MODULE)	/* of fixture_new() */

static int sums_agree(const struct fixture *f)
{
	const struct areas *a = &f->ledger.areas;
	const struct modules *m = &f->ledger.modules;
	uint64_t pages = 0, callers = 0, modules = 0;

	for (uint32_t i = 0; i < a->used; i++)
		pages += a->row[i].pages;
	for (uint32_t i = 0; i < a->callers; i++)
		callers += a->caller[i].pages.now;
	for (uint32_t i = 0; i < m->used; i++)
		modules += m->row[i].image.now + m->row[i].vmalloc.now;
	return pages == a->held.now && callers == pages && modules == pages;
}

static int are(uint32_t got_now, uint32_t got_peak, uint32_t now,
	       uint32_t peak)
{
	if (got_now == now && got_peak == peak)
		return 1;
	printf("# holds %u, peak %u\n", got_now, got_peak);
	return 0;
}

static enum fate area(struct fixture *f, uint32_t type, uint64_t base,
		      uint64_t pages, uint32_t flags)
{
	struct event e = { .type = type, .tid = 7, .tgid = 7, .base = base,
			   .pages = pages, .flags = flags };

	return apply(f, &e);
}

static enum fate area_by(struct fixture *f, uint64_t base, uint64_t frame)
{
	struct event e = { .type = EVENT_AREA_ALLOC, .tid = 7, .tgid = 7,
			   .base = base, .chain_len = 1, .chain = { frame } };

	return apply(f, &e);
}

static enum fate seen(struct fixture *f, uint64_t base, uint64_t pages,
		      const char *name, uint32_t flags)
{
	struct event e = { .type = EVENT_AREA_SEEN, .base = base,
			   .pages = pages, .flags = flags };

	memcpy(e.name, name, strnlen(name, sizeof(e.name) - 1));
	return apply(f, &e);
}

static const struct caller *caller_at(const struct fixture *f, uint64_t base)
{
	const struct areas *a = &f->ledger.areas;

	return &a->caller[areas_find(a, base)->caller];
}

static void test_fates(void)
{
	struct fixture *f = fixture_new();
	const struct areas *a = &f->ledger.areas;

	tap_ok(area(f, EVENT_AREA_ENTER, 0, 0, 0) == APPLIED, "it begins");
	tap_ok(area(f, EVENT_BULK, 0, 30, 0) == APPLIED &&
	       area(f, EVENT_BULK, 0, 9, EVENT_IRQ) == APPLIED &&
	       area(f, EVENT_BULK, 0, 8, EVENT_CMA) == APPLIED &&
	       a->other_bulk_pages == 39 && a->cma_pages == 8,
	       "until it ends, bulk pages are nobody's");
	tap_ok(area(f, EVENT_AREA_ALLOC, AREA(1), 0, EVENT_IRQ) == REJECTED,
	       "no vmalloc ends in an interrupt");
	tap_ok(area_by(f, AREA(1), 0x1000) == APPLIED && a->held.now == 30 &&
	       a->bulk_pages == 30 && a->other_bulk_pages == 9,
	       "then those of the task are the area's");
	tap_ok(area_by(f, AREA(2), 0x1000) == IGNORED && a->used == 1,
	       "one without bulk pages is shown by page events");
	area(f, EVENT_BULK, 0, 5, 0);
	tap_ok(area_by(f, 0, 0x1000) == IGNORED && a->held.now == 30 &&
	       a->bulk_pages == 35, "a failed one holds nothing");
	area(f, EVENT_BULK, 0, 6, 0);
	area(f, EVENT_AREA_ENTER, 0, 0, 0);
	tap_ok(area_by(f, AREA(3), 0x1000) == IGNORED &&
	       a->other_bulk_pages == 15, "what came before it is another's");
	area(f, EVENT_BULK, 0, 4, 0);
	tap_ok(area_by(f, AREA(1), 0x1000) == APPLIED && a->used == 1 &&
	       are(a->held.now, a->held.peak, 4, 30),
	       "a lost end is made up for");
	tap_ok(area(f, EVENT_AREA_FREE, AREA(9), 0, 0) == IGNORED,
	       "an area never seen goes: ioremap's, or from before");
	tap_ok(area(f, EVENT_AREA_FREE, AREA(1), 0, 0) == APPLIED &&
	       are(a->held.now, a->held.peak, 0, 30) && sums_agree(f),
	       "it is over");
	balance(f, "fates");
}

static void test_modules(void)
{
	struct fixture *f = fixture_new();
	const struct module *m;

	task_event(f, EVENT_LOAD_ENTER, 7, 7, "");
	area(f, EVENT_BULK, 0, 16, 0);
	area_by(f, AREA(1), 0x1000);
	task_event(f, EVENT_MODULE_LOAD, 7, 7, "planted");
	module_text(f, "planted", TEXT, 0x1000, 0);
	area(f, EVENT_BULK, 0, 20, 0);
	area_by(f, AREA(2), TEXT + 0x1000);	/* a return address */
	area(f, EVENT_BULK, 0, 3, 0);
	area_by(f, AREA(3), TEXT + 0x1001);
	load_exit(f, 7, 7, 0);
	area(f, EVENT_BULK, 0, 7, 0);
	area_by(f, AREA(4), 0x1000);
	m = module(f, "planted");
	tap_ok(are(m->image.now, m->image.peak, 19, 19),
	       "what the loader takes is the image");
	tap_ok(are(m->vmalloc.now, m->vmalloc.peak, 20, 20),
	       "what the module's code takes is its own");
	tap_ok(f->ledger.modules.row[MODULE_NONE].vmalloc.now == 7,
	       "what nobody's code takes is no module's");
	task_event(f, EVENT_MODULE_FREE, 7, 7, "planted");
	area(f, EVENT_AREA_FREE, AREA(1), 0, 0);
	area(f, EVENT_AREA_FREE, AREA(3), 0, 0);
	tap_ok(are(m->image.now, m->image.peak, 0, 19) &&
	       module_holds(m) == 20 && sums_agree(f),
	       "one that is gone holds what it left");
	balance(f, "modules");
}

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

static void test_full(void)
{
	struct fixture *f = fixture_new();
	struct areas *a = &f->ledger.areas;
	char name[24];

	tap_ok(a->capacity == AREAS && a->callers_capacity == 16,
	       "tables go with the rows of modules");
	for (uint32_t i = 0; i < AREAS + 3; i++) {
		area(f, EVENT_BULK, 0, 2, 0);
		area_by(f, AREA(i), 0x1000);
	}
	tap_ok(a->used == AREAS && a->full == 3 && a->held.now == 2 * AREAS,
	       "areas without room are counted, not held");
	for (uint32_t i = 0; i < AREAS; i++) {
		snprintf(name, sizeof(name), "caller%u", i);
		seen(f, AREA(i), 2, name, 0);
	}
	tap_ok(a->callers == 16 && sums_agree(f) &&
	       a->caller[CALLER_OTHER].pages.now == 2 * AREAS - 30,
	       "callers without room are (other)'s");
	area(f, EVENT_AREA_FREE, AREA(5), 0, 0);
	area(f, EVENT_BULK, 0, 50, 0);
	tap_ok(area_by(f, AREA(AREAS), 0x1000) == APPLIED &&
	       areas_find(a, AREA(AREAS)) && a->full == 3 && sums_agree(f),
	       "one that goes makes room");
	balance(f, "full");
}

/* What a kernel without probes shows. */
static void test_samples(void)
{
	struct fixture *f = fixture_new();
	struct areas *a = &f->ledger.areas;
	const uint32_t s = EVENT_SAMPLED;

	seen(f, AREA(0), 500, "before", s);
	area(f, EVENT_AREAS_SEEN, 0, 0, s);
	tap_ok(a->used == 1 && !a->held.now, "the first shows what was before");
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
	tap_ok(a->used == 2 && are(a->held.now, a->held.peak, 30, 35) &&
	       sums_agree(f),
	       "what is not seen again is gone");
	area(f, EVENT_AREAS_SEEN, 0, 0, s);
	tap_ok(!a->used && !a->held.now, "with an empty one, all of it");
	area(f, EVENT_BULK, 0, 12, 0);
	area_by(f, AREA(4), 0x1000);
	area(f, EVENT_AREAS_SEEN, 0, 0, 0);
	tap_ok(a->held.now == 12, "with probes, nothing goes unseen");
	balance(f, "samples");
}

static void test_random(void)
{
	struct random r = { 41 };
	struct fixture *f = fixture_new();
	uint32_t wrong = 0;

	module_text(f, "planted", TEXT, 0x1000, 0);
	for (uint32_t i = 0; i < 20000; i++) {
		uint64_t base = AREA(random_below(&r, 100));

		switch (random_below(&r, 6)) {
		case 0:
			area(f, EVENT_AREA_ENTER, 0, 0, 0);
			break;
		case 1:
			area(f, EVENT_BULK, 0, random_below(&r, 100), 0);
			break;
		case 2:
			area_by(f, base, random_one_in(&r, 2) ? TEXT + 8 : 8);
			break;
		case 3:
			area(f, EVENT_AREA_FREE, base, 0, 0);
			break;
		case 4:
			seen(f, base, random_below(&r, 100), random_one_in(&r,
			     2) ? "one" : "two [planted]", EVENT_SAMPLED);
			break;
		default:
			if (random_one_in(&r, 40))
				area(f, EVENT_AREAS_SEEN, 0, 0, EVENT_SAMPLED);
		}
		wrong += !sums_agree(f);
	}
	tap_ok(!wrong, "all sums agree after each of 20000 events");
	balance(f, "random");
}

int main(void)
{
	test_fates();
	test_modules();
	test_callers();
	test_hostile_names();
	test_full();
	test_samples();
	test_random();
	return tap_plan_done();
}
