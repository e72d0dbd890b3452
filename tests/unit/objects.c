/* SPDX-License-Identifier: MIT */
/*
 * The objects of slab: ledger/object_events.c, objects.c and sites.c. Each rule
 * by hand; then random events against a model that keeps every object in a plain
 * array, with room for all and without.
 */
#include "ledger/object_events.h"
#include "ledger_fixture.h"
#include "random.h"

#define SLAB_BYTES (512u << 10)
#define KMALLOC 0u
#define CODE UINT64_C(0xffffffff81000000)
#define TEXT UINT64_C(0xffffffffc0000000)	/* of a module */
#define OBJECTS UINT64_C(0xffff888000000000)

static struct fixture *slab_fixture(uint64_t slab_bytes)
{
	const struct layout want = {
		.pages_bytes = RAM_PAGES * 4, .nodes = 512, .owners = 256,
		.tasks = 64, .modules = 16, .slab_bytes = slab_bytes,
	};

	return fixture_with(&want);
}

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
			uint32_t flags, uint64_t requested, uint64_t allocated)
{
	object_at(f, EVENT_OBJECT_ALLOC, 0, n, site, flags, 0, requested,
		  allocated);
}

static void give_object(struct fixture *f, uint64_t n, uint32_t flags,
			uint32_t cpu)
{
	object_at(f, EVENT_OBJECT_FREE, 0, n, CODE + 0x999, flags, cpu, 0, 0);
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

static int balances(const struct fixture *f)
{
	const char *wrong = ledger_check(&f->ledger);

	if (wrong)
		printf("# %s\n", wrong);
	return !wrong;
}

static void test_oldest(void)
{
	struct fixture *f = slab_fixture(SLAB_BYTES);
	const struct sites *s = &f->ledger.slab.sites;

	take_object(f, 1, CODE + 0x10, KMALLOC, 8, 8);		/* at 10 */
	take_object(f, 2, CODE + 0x20, KMALLOC, 8, 8);
	slab_find_oldest(&f->ledger.slab);
	tap_ok(s->total.oldest_ns == 10 && s->cache[1].sums.oldest_ns == 10 &&
	       site_at(f, CODE + 0x20)->sums.oldest_ns == 20,
	       "the oldest that lives, of all and of a site");
	give_object(f, 1, KMALLOC, 0);
	slab_find_oldest(&f->ledger.slab);
	tap_ok(s->total.oldest_ns == 20 && s->cache[1].sums.oldest_ns == 20 &&
	       s->module[MODULE_NONE].oldest_ns == 20 &&
	       !site_at(f, CODE + 0x10)->sums.oldest_ns, "then the next one");
	free(f);
}

/* Is the second free of an object one too many? */
static void test_second_free(void)
{
	struct fixture *f = slab_fixture(SLAB_BYTES);

	give_object(f, 1, KMALLOC, 0);				/* at 10 */
	object_at(f, EVENT_OBJECT_ALLOC, 5, 1, CODE + 0x10, KMALLOC, 0, 8, 8);
	give_object(f, 1, KMALLOC, 0);
	tap_ok(fault_of(f, FAULT_DOUBLE_FREE)->count == 1,
	       "of one whose allocation came late");
	take_object(f, 2, CODE + 0x10, KMALLOC, 8, 8);
	give_object(f, 2, KMALLOC, 0);
	f->ledger.slab.whole_ns = f->now_ns;
	give_object(f, 2, KMALLOC, 0);
	tap_ok(fault_of(f, FAULT_DOUBLE_FREE)->count == 2,
	       "of one freed when all CPUs were traced");
	take_object(f, 3, CODE + 0x10, KMALLOC, 8, 8);
	give_object(f, 3, KMALLOC, 0);
	f->ledger.slab.whole_ns = f->now_ns + 1;
	give_object(f, 3, KMALLOC, 0);
	tap_ok(fault_of(f, FAULT_DOUBLE_FREE)->count == 2 && balances(f),
	       "not of one freed before that");
	free(f);
}

static void test_faults(void)
{
	struct fixture *f = slab_fixture(SLAB_BYTES);

	take_object(f, 1, CODE + 0x10, KMALLOC, 64, 64);
	give_object(f, 1, EVENT_CACHE, 0);
	tap_ok(fault_of(f, FAULT_WRONG_FAMILY)->count == 1 &&
	       fault_of(f, FAULT_WRONG_FAMILY)->freed_by == CODE + 0x999,
	       "the other family's function");
	take_object(f, 2, CODE + 0x10, KMALLOC, 64, 64);
	give_object(f, 2, KMALLOC, 0);
	tap_ok(!fault_of(f, FAULT_DOUBLE_FREE)->count, "freed once");
	give_object(f, 2, KMALLOC, 0);
	tap_ok(fault_of(f, FAULT_DOUBLE_FREE)->count == 1, "freed twice");
	take_object(f, 3, CODE + 0x10, EVENT_CACHE, 64, 64);
	give_object(f, 3, EVENT_CACHE, 0);
	give_object(f, 3, EVENT_CACHE, 0);
	tap_ok(fault_of(f, FAULT_DOUBLE_FREE)->count == 1 &&
	       f->ledger.slab.total.before_frees == 1,
	       "of a cache: allocated in bulk in between, perhaps");
	take_object(f, 4, CODE + 0x10, KMALLOC, 64, 32);
	tap_ok(fault_of(f, FAULT_SHORT)->count == 1, "fewer than requested");
	take_object(f, 5, CODE + 0x10, KMALLOC, 64, 64);
	give_object(f, 5, KMALLOC, 0);
	apply(f, &(struct event){ .type = EVENT_LOST, .lost = 1 });
	give_object(f, 5, KMALLOC, 0);
	tap_ok(fault_of(f, FAULT_DOUBLE_FREE)->count == 1,
	       "after a loss nothing is certain");
	for (uint64_t i = 0; i < OBJECT_FAULTS_MAX + 5; i++)
		take_object(f, 100 + i, CODE + 0x1000 + i, KMALLOC, 64, 32);
	tap_ok(f->ledger.slab.faults == OBJECT_FAULTS_MAX &&
	       f->ledger.slab.total.faults_full == 8, "more than there is "
	       "room for are counted");
	tap_ok(balances(f), "all sums agree");
	free(f);
}

static void module_events(struct fixture *f, const char *name, uint32_t unload)
{
	struct event e = { .type = EVENT_MODULE_LOAD, .tid = 7, .tgid = 7 };

	memcpy(e.name, name, strlen(name));
	if (unload)
		e.type = EVENT_MODULE_FREE;
	apply(f, &e);
	e.type = EVENT_MODULE_RANGE;
	e.base = TEXT;
	e.size = 0x4000;
	if (!unload)
		apply(f, &e);
}

static uint32_t module_row(const struct fixture *f, const char *name)
{
	for (uint32_t i = 0; i < f->ledger.modules.used; i++)
		if (!strcmp(f->ledger.modules.row[i].name, name))
			return i;
	return 0;
}

/* Modules come and stay, until each row is another's. */
static void fill_modules(struct fixture *f)
{
	char name[8] = "n0";

	for (int i = 0; i < 16; i++, name[1]++)
		module_events(f, name, 0);
}

/* All that a row counted goes to (other) with it, and what was held at the peak
 * stays that. Addresses in its text keep its name, then that of (other). */
static void test_heir(void)
{
	struct fixture *f = slab_fixture(SLAB_BYTES);
	const struct object_sums *k = &f->ledger.slab.sites.module[MODULE_OTHER];
	const struct object_fault *fault;
	uint32_t row;

	module_events(f, "first", 0);
	row = module_row(f, "first");
	take_object(f, 1, TEXT + 0x100, KMALLOC, 60, 64);
	take_object(f, 1, TEXT + 0x100, KMALLOC, 50, 64);	/* settles it */
	take_object(f, 2, TEXT + 0x100, KMALLOC, 20, 32);
	give_object(f, 2, KMALLOC, 3);
	object_at(f, EVENT_OBJECT_FREE, 0, 2, TEXT + 0x200, KMALLOC, 0, 0, 0);
	fault = fault_of(f, FAULT_DOUBLE_FREE);
	take_object(f, 3, CODE, KMALLOC, 8, 8);
	object_at(f, EVENT_OBJECT_FREE, 0, 3, TEXT + 1, EVENT_CACHE, 0, 0, 0);
	f->ledger.epoch++;		/* a peak, and no object since */
	module_events(f, "first", 1);
	module_events(f, "second", 0);
	tap_ok(module_row(f, "first") == row &&
	       fault->freed_by == stack_retired(row, 0x200) &&
	       fault_of(f, FAULT_WRONG_FAMILY)->freed_by ==
	       stack_retired(row, 1),
	       "new text: who freed an object keeps its name");
	fill_modules(f);
	tap_ok(!module_row(f, "first") && k->live == 1 && k->settled == 1,
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
	tap_ok(balances(f), "all sums agree");
	free(f);
}

/* All rows of caches are in use, and so many names share a place in found[]. */
static void test_cache_names(void)
{
	struct fixture *f = slab_fixture(SLAB_BYTES);
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
	free(f);
}

/* Rows are used again in the order in which their objects were first freed, and
 * one that lived again meanwhile is in the queue only once. */
static void test_rows_again(void)
{
	struct fixture *f = slab_fixture(140u << 10);
	const struct slab_ledger *s = &f->ledger.slab;
	const uint64_t all = s->objects.rows - 1;

	for (uint64_t i = 1; i <= all; i++)
		take_object(f, i, CODE, KMALLOC, 8, 8);
	give_object(f, 1, KMALLOC, 0);
	take_object(f, 1, CODE, KMALLOC, 8, 8);
	give_object(f, 2, KMALLOC, 0);
	give_object(f, 1, KMALLOC, 0);
	give_object(f, 3, KMALLOC, 0);
	take_object(f, all + 1, CODE, KMALLOC, 8, 8);
	give_object(f, 3, KMALLOC, 0);
	tap_ok(fault_of(f, FAULT_DOUBLE_FREE)->count == 1 &&
	       !objects_find(&s->objects, OBJECTS + 4096),
	       "the first one's row is used again, the last one's is not");
	take_object(f, all + 2, CODE, KMALLOC, 8, 8);
	take_object(f, all + 3, CODE, KMALLOC, 8, 8);
	tap_ok(!s->total.untracked && s->objects.live == all,
	       "each freed row is used again");
	take_object(f, all + 4, CODE, KMALLOC, 8, 8);
	tap_ok(s->total.untracked == 1 && s->objects.live == all,
	       "then all rows live");
	tap_ok(balances(f), "all sums agree");
	free(f);
}

#define PLACES 6000u
#define CALLERS 40u

static struct {
	uint64_t bytes, site;	/* bytes 0: it does not live */
	uint32_t cpu;
} model[PLACES];

static void test_random(uint64_t slab_bytes, int fits)
{
	struct fixture *f = slab_fixture(slab_bytes);
	const struct object_sums *t = &f->ledger.slab.sites.total;
	uint64_t live = 0, bytes = 0, peak = 0, crossed = 0, held = 0;
	uint64_t of_site[CALLERS] = { 0 }, settled = 0, wrong = 0;
	struct random r = { 11 };

	memset(model, 0, sizeof(model));
	for (unsigned int i = 0; i < 60000; i++) {
		const uint32_t at = random_below(&r, PLACES);
		const uint32_t cpu = random_below(&r, 4);

		if (model[at].bytes && random_below(&r, 10)) {
			object_at(f, EVENT_OBJECT_FREE, 0, at, CODE, 0, cpu, 0,
				  0);
			crossed += cpu != model[at].cpu;
			live--;
			bytes -= model[at].bytes;
			of_site[model[at].site] -= model[at].bytes;
			model[at].bytes = 0;
			continue;
		}
		if (model[at].bytes) {
			settled++;
			live--;
			bytes -= model[at].bytes;
			of_site[model[at].site] -= model[at].bytes;
		}
		model[at].site = random_below(&r, CALLERS);
		model[at].bytes = 8 * (1 + random_below(&r, 64));
		model[at].cpu = cpu;
		object_at(f, EVENT_OBJECT_ALLOC, 0, at,
			  CODE + model[at].site * 16, 0, cpu,
			  model[at].bytes - random_below(&r, 8),
			  model[at].bytes);
		live++;
		bytes += model[at].bytes;
		of_site[model[at].site] += model[at].bytes;
		if (bytes > peak)
			peak = bytes;
		if (i % 1000 == 0)
			wrong += !balances(f);
	}
	tap_ok(!wrong && balances(f), "random events: all sums agree%s",
	       fits ? "" : ", without room too");
	for (unsigned int i = 0; i < CALLERS; i++)
		held += site_at(f, CODE + i * 16)->sums.now_bytes == of_site[i];
	if (fits)
		tap_ok(t->live == live && t->now_bytes == bytes &&
		       t->peak_bytes == peak && t->settled == settled &&
		       t->cross_cpu_frees == crossed && held == CALLERS,
		       "they are the model's");
	else
		tap_ok(f->ledger.slab.total.untracked &&
		       f->ledger.slab.objects.live ==
		       f->ledger.slab.objects.rows - 1 && t->live < live,
		       "all rows live, and the rest is counted");
	free(f);
}

int main(void)
{
	test_oldest();
	test_second_free();
	test_faults();
	test_heir();
	test_cache_names();
	test_rows_again();
	test_random(SLAB_BYTES, 1);
	test_random(140u << 10, 0);
	return tap_plan_done();
}
