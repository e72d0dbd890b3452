/* SPDX-License-Identifier: MIT */
/*
 * The objects of slab: ledger/object_events.c, objects.c and sites.c: rules by
 * hand. Random events, with room for all and without: tests/replay/random.t.
 */
#include "ledger/events.h"
#include "ledger_fixture.h"

#define LARGE (512u << 10)	/* bytes for slab */
#define SMALL (140u << 10)
#define KMALLOC 0u
#define CODE UINT64_C(0xffffffff81000000)
#define TEXT UINT64_C(0xffffffffc0000000)	/* of a module */
#define OBJECTS UINT64_C(0xffff888000000000)

/* Object n at a time; 0: now. */
static void object_at(struct fixture *f, uint32_t type, uint64_t time_ns,
		      uint64_t n, uint64_t site, uint32_t flags, uint32_t cpu,
		      uint64_t requested, uint64_t allocated)
{
	struct event e = {
		.type = type, .flags = flags, .tid = 7, .tgid = 7,
		.base = OBJECTS + n * 4096, .site = site, .cpu = cpu,
		.size = requested, .allocated_bytes = allocated,
		.time_ns = time_ns ? time_ns : (f->now_ns += 10),
	};

	ledger_apply(&f->ledger, &e);
}

static void take_object(struct fixture *f, uint64_t n, uint64_t site,
			uint64_t requested, uint64_t allocated)
{
	object_at(f, EVENT_OBJECT_ALLOC, 0, n, site, KMALLOC, 0, requested,
		  allocated);
}

static void give_object(struct fixture *f, uint64_t n, uint64_t site,
			uint32_t flags, uint32_t cpu)
{
	object_at(f, EVENT_OBJECT_FREE, 0, n, site, flags, cpu, 0, 0);
}

static const struct site *site_at(const struct fixture *f, uint64_t addr)
{
	const struct sites *s = &f->ledger.slab.sites;
	static const struct site none;

	for (uint32_t i = SITES_FIXED; i < s->used; i++)
		if (s->row[i].addr == addr)
			return &s->row[i];
	return &none;
}

static const struct object_fault *fault_of(const struct fixture *f,
					   enum fault_kind kind)
{
	static const struct object_fault none;

	for (uint32_t i = 0; i < f->ledger.slab.faults; i++)
		if (f->ledger.slab.fault[i].kind == kind)
			return &f->ledger.slab.fault[i];
	return &none;
}

static void test_oldest(struct fixture *f)
{
	const struct sites *s = &f->ledger.slab.sites;

	take_object(f, 1, CODE + 0x10, 8, 8);		/* at 10 */
	take_object(f, 2, CODE + 0x20, 8, 8);
	slab_find_oldest(&f->ledger.slab);
	tap_ok(s->total.oldest_ns == 10 && s->cache[1].sums.oldest_ns == 10 &&
	       site_at(f, CODE + 0x20)->sums.oldest_ns == 20,
	       "the oldest that lives, of all and of a site");
	give_object(f, 1, CODE, KMALLOC, 0);
	slab_find_oldest(&f->ledger.slab);
	tap_ok(s->total.oldest_ns == 20 && s->cache[1].sums.oldest_ns == 20 &&
	       s->module[MODULE_NONE].oldest_ns == 20 &&
	       !site_at(f, CODE + 0x10)->sums.oldest_ns, "then the next one");
}

/* What second frees are faults is in tests/replay/cases/slab*.py; more than there
 * is room for, in slab_rows.t. */
static void test_faults(struct fixture *f)
{
	give_object(f, 1, CODE, KMALLOC, 0);			/* at 10 */
	object_at(f, EVENT_OBJECT_ALLOC, 5, 1, CODE + 0x10, KMALLOC, 0, 8, 8);
	give_object(f, 1, CODE, KMALLOC, 0);
	tap_ok(fault_of(f, FAULT_DOUBLE_FREE)->count == 1,
	       "the second free of one whose allocation came late");
}

static void module_loads(struct fixture *f, const char *name)
{
	task_event(f, EVENT_MODULE_LOAD, 7, 7, name);
	module_text(f, name, TEXT, 0x4000, 0);
}

/* All that a row counted goes to (other) with it, and what was held at the peak
 * stays that. Addresses in its text keep its name, then that of (other). */
static void test_heir(struct fixture *f)
{
	const struct slab_ledger *s = &f->ledger.slab;
	const struct object_sums *k = &s->sites.module[MODULE_OTHER];
	const struct object_fault *fault;
	const struct module *first;
	char name[8] = "n0";
	uint32_t row;

	module_loads(f, "first");
	first = module(f, "first");
	row = (uint32_t)(first - f->ledger.modules.row);
	take_object(f, 1, TEXT + 0x100, 60, 64);
	take_object(f, 1, TEXT + 0x100, 50, 64);	/* settles it */
	take_object(f, 2, TEXT + 0x100, 20, 32);
	give_object(f, 2, CODE, KMALLOC, 3);
	give_object(f, 2, TEXT + 0x200, KMALLOC, 0);
	fault = fault_of(f, FAULT_DOUBLE_FREE);
	take_object(f, 3, CODE, 8, 8);
	give_object(f, 3, TEXT + 1, EVENT_CACHE, 0);
	f->ledger.epoch++;		/* a peak, and no object since */
	task_event(f, EVENT_MODULE_FREE, 7, 7, "first");
	module_loads(f, "second");
	tap_ok(module(f, "first") == first &&
	       fault->freed_by == stack_retired(row, 0x200) &&
	       fault_of(f, FAULT_WRONG_FAMILY)->freed_by ==
	       stack_retired(row, 1),
	       "new text: who freed an object keeps its name");
	for (; name[1] < '0' + 16; name[1]++)	/* each row is another's */
		module_loads(f, name);
	tap_ok(module(f, "first") != first && k->live == 1 && k->settled == 1,
	       "the heir of a row: what lives, and what was settled");
	tap_ok(k->allocs == 3 && k->frees == 1 && k->cross_cpu_frees == 1 &&
	       k->requested_bytes == 130 && k->allocated_bytes == 160,
	       "what was allocated and freed");
	tap_ok(k->now_bytes == 64 && k->peak_bytes >= 64 &&
	       sums_at_peak(k, f->ledger.epoch) == 64,
	       "what is held, and what was at the peak");
	tap_ok(site_at(f, stack_retired(MODULE_OTHER, 0x100))->sums.live == 1 &&
	       fault->freed_by == stack_retired(MODULE_OTHER, 0x200),
	       "its addresses");
}

/* All rows of caches are in use, and so many names share a place in found[]. */
static void test_cache_names(struct fixture *f)
{
	struct slab_ledger *s = &f->ledger.slab;
	struct event e = { .type = EVENT_CACHE_SEEN, .size = 8, .objects = 1 };
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < CACHES_SEEN_MAX; i++) {
		snprintf(e.name, sizeof(e.name), "cache-%u", i);
		apply(f, &e);
	}
	for (uint32_t pass = 0; pass < 3; pass++)
		for (uint32_t i = 0; i < CACHES_SEEN_MAX; i++) {
			snprintf(e.name, sizeof(e.name), "cache-%u", i);
			wrong += slab_cache_seen(s, e.name) != &s->seen[i];
			snprintf(e.name, sizeof(e.name), "none-%u", i);
			wrong += slab_cache_seen(s, e.name) != NULL;
		}
	tap_ok(s->seens == CACHES_SEEN_MAX && !wrong,
	       "each name has its row, and one that was not seen has none");
}

/* Rows are used again in the order in which their objects were first freed, and
 * one that lived again meanwhile is in the queue only once. */
static void test_rows_again(struct fixture *f)
{
	const struct slab_ledger *s = &f->ledger.slab;
	const uint64_t all = s->objects.rows - 1;

	for (uint64_t i = 1; i <= all; i++)
		take_object(f, i, CODE, 8, 8);
	give_object(f, 1, CODE, KMALLOC, 0);
	take_object(f, 1, CODE, 8, 8);
	give_object(f, 2, CODE, KMALLOC, 0);
	give_object(f, 1, CODE, KMALLOC, 0);
	give_object(f, 3, CODE, KMALLOC, 0);
	take_object(f, all + 1, CODE, 8, 8);
	give_object(f, 3, CODE, KMALLOC, 0);
	tap_ok(fault_of(f, FAULT_DOUBLE_FREE)->count == 1 &&
	       !objects_find(&s->objects, OBJECTS + 4096),
	       "the first one's row is used again, the last one's is not");
	take_object(f, all + 2, CODE, 8, 8);
	take_object(f, all + 3, CODE, 8, 8);
	tap_ok(!s->total.untracked && s->objects.live == all,
	       "each freed row is used again");
	take_object(f, all + 4, CODE, 8, 8);
	tap_ok(s->total.untracked == 1 && s->objects.live == all,
	       "then all rows live");
}

int main(void)
{
	static const struct fixture_test tests[] = {
		{ "the oldest", test_oldest, 62, 14, LARGE },
		{ "faults", test_faults, 62, 14, LARGE },
		{ "the heir of a row", test_heir, 62, 14, LARGE },
		{ "names of caches", test_cache_names, 62, 14, LARGE },
		{ "rows used again", test_rows_again, 62, 14, SMALL },
	};

	fixture_run(tests, ARRAY_LEN(tests));
	return tap_plan_done();
}
