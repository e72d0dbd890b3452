/* SPDX-License-Identifier: MIT */
/*
 * ledger/areas.c and area_events.c: whose an area of vmalloc is, what was held
 * when the most was used, and that all the ways to add areas up agree, also
 * when the tables are full.
 */
#include "areas_fixture.h"
#include "random.h"

/* Of fixture_new(). */
#define AREAS (16u * AREAS_PER_MODULE + 64u)

static void test_fates(void)
{
	struct fixture *f = fixture_new();
	const struct areas *a = &f->ledger.areas;

	tap_ok(area(f, EVENT_AREA_ENTER, 0, 0, 0) == APPLIED, "it begins");
	tap_ok(area(f, EVENT_BULK, 0, 30, 0) == APPLIED &&
	       area(f, EVENT_BULK, 0, 9, EVENT_IRQ) == APPLIED &&
	       area(f, EVENT_BULK, 0, 8, EVENT_CMA) == APPLIED &&
	       a->bulk_pages == 30 && a->other_bulk_pages == 9 &&
	       a->cma_pages == 8,
	       "until it ends, bulk pages are nobody's");
	tap_ok(area(f, EVENT_AREA_ALLOC, AREA(1), 0, EVENT_IRQ) == REJECTED,
	       "no vmalloc ends in an interrupt");
	tap_ok(area_by(f, AREA(1), 0x1000) == APPLIED && a->held.now == 30 &&
	       a->bulk_pages == 30 && a->other_bulk_pages == 9,
	       "then those of the task are the area's");
	tap_ok(area_by(f, AREA(2), 0x1000) == IGNORED && held(a) == 1,
	       "one without bulk pages is shown by page events");
	area(f, EVENT_BULK, 0, 5, 0);
	tap_ok(area_by(f, 0, 0x1000) == IGNORED && a->held.now == 30 &&
	       a->bulk_pages == 30 && a->other_bulk_pages == 14,
	       "a failed one holds nothing: what it took is no area's");
	area(f, EVENT_BULK, 0, 6, 0);
	area(f, EVENT_AREA_ENTER, 0, 0, 0);
	tap_ok(area_by(f, AREA(3), 0x1000) == IGNORED &&
	       a->other_bulk_pages == 20, "what came before it is another's");
	area(f, EVENT_BULK, 0, 4, 0);
	tap_ok(area_by(f, AREA(1), 0x1000) == APPLIED && held(a) == 1 &&
	       are(a->held.now, a->held.peak, 4, 30),
	       "a lost end is made up for");
	tap_ok(area_by(f, AREA(1), 0x1000) == IGNORED && held(a) == 0 &&
	       are(a->held.now, a->held.peak, 0, 30) && sums_agree(f),
	       "also by one that page events show");
	tap_ok(a->bulk_pages == 34 && a->other_bulk_pages == 20,
	       "what areas ever took, and what none did");
	area(f, EVENT_BULK, 0, 4, 0);
	area_by(f, AREA(1), 0x1000);
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

/* Pages in bulk, then the area, then they are freed: what was held when the
 * most was used is exact, also of rows that no page event names. */
static void test_at_peak(void)
{
	struct fixture *f = fixture_new();
	const struct ledger *l = &f->ledger;
	const struct module *m;

	module_text(f, "planted", TEXT, 0x1000, 0);
	area(f, EVENT_BULK, 0, 20, 0);
	area_by(f, AREA(1), TEXT + 8);
	m = module(f, "planted");
	tap_ok(holds(f, &m->vmalloc, 20, 20, 20) &&
	       holds(f, &l->areas.held, 20, 20, 20) &&
	       l->used_peak_pages == 20 && l->used_peak_ns == l->last_ns,
	       "at the peak it is its module's, which is the instant");
	area(f, EVENT_AREA_FREE, AREA(1), 0, 0);
	for (uint32_t i = 0; i < 20; i++)
		give(f, 7, i, 0);
	tap_ok(!ledger_used(l) && holds(f, &m->vmalloc, 0, 20, 20),
	       "when its pages are free, nothing is used");
	area(f, EVENT_BULK, 0, 19, 0);
	area_by(f, AREA(2), 0x1000);
	tap_ok(holds(f, &m->vmalloc, 0, 20, 20) &&
	       holds(f, &l->modules.row[MODULE_NONE].vmalloc, 19, 19, 0),
	       "one that comes below the peak was not there");
	area(f, EVENT_AREA_ENTER, 0, 0, 0);
	area(f, EVENT_BULK, 0, 2, 0);
	tap_ok(l->used_peak_pages == 21 && holds(f, &m->vmalloc, 0, 20, 0) &&
	       holds(f, &l->modules.row[MODULE_NONE].vmalloc, 19, 19, 19),
	       "a higher peak is another one");
	balance(f, "at the peak");
}

static struct event enter(uint64_t caller)
{
	return (struct event){ .type = EVENT_AREA_ENTER, .tid = 7, .tgid = 7,
			       .chain_len = caller != 0, .chain = { caller } };
}

/* A whole vmalloc that `caller` asked for, with what the chain then has: it and
 * whoever called it, below the kernel's own. */
static const struct caller *asked_by(struct fixture *f, uint64_t base,
				     uint64_t caller, uint64_t on_chain)
{
	struct event e = enter(caller);

	apply(f, &e);
	area(f, EVENT_BULK, 0, 10, 0);
	e.type = EVENT_AREA_ALLOC;
	e.base = base;
	e.chain_len = 3;
	e.chain[0] = 0x1000;
	e.chain[1] = on_chain;
	e.chain[2] = 0x3000;
	apply(f, &e);
	return caller_at(f, base);
}

static void test_callers(void)
{
	struct fixture *f = fixture_new();
	struct areas *a = &f->ledger.areas;
	const struct caller *other = &a->caller[CALLER_OTHER];
	const struct stack_node *node = f->ledger.stacks.node;
	const struct caller *own, *c;
	struct event e;

	module_text(f, "planted", TEXT, 0x1000, 0);
	c = asked_by(f, AREA(1), 0x2000, 0x2000);
	tap_ok(c != other && node[c->node].addr == 0x2000 && !c->module &&
	       are(c->pages.now, c->pages.peak, 10, 10) &&
	       !other->pages.peak, "who asked is known at once");
	tap_ok(asked_by(f, AREA(2), 0x2000, 0x2000) == c &&
	       c->pages.now == 20, "a caller has one row");
	own = asked_by(f, AREA(3), TEXT + 8, TEXT + 8);
	tap_ok(own != c && own->module && module(f, "planted")->vmalloc.now ==
	       10, "a module's code is its own caller");
	tap_ok(asked_by(f, AREA(4), 0x2000, 0x2008) == other,
	       "what does not stand on the chain did not ask");
	tap_ok(asked_by(f, AREA(5), 0, 0x2000) == other,
	       "not known is (other)");
	e = enter(0x2000);
	apply(f, &e);
	apply(f, &e);			/* the array of its pages */
	area(f, EVENT_BULK, 0, 2, 0);
	area_by(f, AREA(6), 0x2000);
	area(f, EVENT_BULK, 0, 100, 0);
	area_by(f, AREA(7), 0x2000);
	tap_ok(caller_at(f, AREA(6)) == c && caller_at(f, AREA(7)) == c &&
	       c->pages.now == 122, "one vmalloc in another has its caller");
	e = enter(0x2000);
	apply(f, &e);
	area(f, EVENT_BULK, 0, 3, 0);
	area(f, EVENT_AREA_ALLOC, AREA(8), 0, 0);
	tap_ok(caller_at(f, AREA(8)) == c,
	       "without a chain the caller is believed");
	seen(f, AREA(3), 10, "planted_init+0x1/0x2 [planted]", 0);
	tap_ok(caller_at(f, AREA(3)) == own, "and not named anew");
	module_text(f, "next", TEXT, 0x1000, 0);
	tap_ok(stack_addr_retired(node[own->node].addr) &&
	       asked_by(f, AREA(9), TEXT + 8, TEXT + 8) != own,
	       "code in the same place is another caller");
	for (uint32_t i = 1; i < 10; i++)
		area(f, EVENT_AREA_FREE, AREA(i), 0, 0);
	tap_ok(!c->pages.now && c->pages.peak == 125 && sums_agree(f),
	       "what is freed is no caller's");
	balance(f, "callers");
}

/* The row of a module is used again, when it holds nothing any more. */
static void test_callers_of_gone(void)
{
	struct fixture *f = fixture_new();
	const struct caller *c;
	char name[16];

	module_text(f, "planted", TEXT, 0x1000, 0);
	c = asked_by(f, AREA(1), TEXT + 8, TEXT + 8);
	area(f, EVENT_AREA_FREE, AREA(1), 0, 0);
	task_event(f, EVENT_MODULE_FREE, 7, 7, "planted");
	for (uint32_t i = 0; i < 16; i++) {
		snprintf(name, sizeof(name), "next%u", i);
		task_event(f, EVENT_MODULE_LOAD, 7, 7, name);
	}
	tap_ok(f->ledger.modules.recycled && c->module == MODULE_OTHER &&
	       !c->node && !strcmp(c->name, "(gone)") && c->pages.peak == 10,
	       "its callers keep their peaks and no name of another");
	balance(f, "callers of a module that is gone");
}

static void test_full(void)
{
	struct fixture *f = fixture_new();
	struct areas *a = &f->ledger.areas;
	char name[24];

	tap_ok(a->rows == AREAS + 1 && a->callers_capacity == 16,
	       "tables go with the rows of modules and tasks");
	for (uint32_t i = 0; i < AREAS + 3; i++) {
		area(f, EVENT_BULK, 0, 2, 0);
		area_by(f, AREA(i), 0x1000);
	}
	tap_ok(held(a) == AREAS && a->full == 3 && a->held.now == 2 * AREAS,
	       "areas without room are counted, not held");
	tap_ok(a->bulk_pages == 2 * AREAS && a->other_bulk_pages == 6 &&
	       ledger_used(&f->ledger) == 2 * AREAS &&
	       f->ledger.used_peak_pages == 2 * AREAS,
	       "what they took is no area's");
	area(f, EVENT_BULK, 0, 2, 0);
	tap_ok(area_by(f, AREA(AREAS), 0x1000) == REJECTED &&
	       a->other_bulk_pages == 8, "which is no event applied");
	tap_ok(seen(f, AREA(AREAS), 2, "caller", EVENT_SAMPLED) == IGNORED &&
	       held(a) == AREAS && a->full == 5 && sums_agree(f),
	       "nor is one that is only seen");
	for (uint32_t i = 0; i < AREAS; i++) {
		snprintf(name, sizeof(name), "caller%u", i);
		seen(f, AREA(i), 2, name, 0);
	}
	tap_ok(a->callers == 16 && sums_agree(f) &&
	       a->caller[CALLER_OTHER].pages.now == 2 * AREAS - 30,
	       "callers without room are (other)'s");
	tap_ok(a->full == 5 + AREAS - 15, "and counted");
	area(f, EVENT_AREA_FREE, AREA(5), 0, 0);
	area(f, EVENT_BULK, 0, 50, 0);
	tap_ok(area_by(f, AREA(AREAS), 0x1000) == APPLIED &&
	       areas_find(a, AREA(AREAS)) && a->full == 5 + AREAS - 15 &&
	       sums_agree(f), "one that goes makes room");
	balance(f, "full");
}

/* As sunrpc does: an array is filled, then each call takes one page out of it
 * and fills it up. The kernel tells of the whole array each time. */
static void test_refills(void)
{
	struct fixture *f = fixture_new();
	const struct ledger *l = &f->ledger;
	const struct areas *a = &l->areas;

	area(f, EVENT_BULK, 0, 100, 0);
	tap_ok(!ledger_used(l) && areas_other_held(a) == 100,
	       "what is taken outside of vmalloc is not in use by our account");
	for (uint32_t i = 0; i < 50; i++) {
		give(f, 7, i, 0);
		area(f, EVENT_BULK, 0, 100, 0);
	}
	tap_ok(!ledger_used(l) && !l->used_peak_pages &&
	       l->total.before_frees == 50 && a->other_freed_pages == 50,
	       "refills raise nothing, and what they freed lowers nothing");
	area(f, EVENT_AREA_ENTER, 0, 0, 0);
	area(f, EVENT_BULK, 0, 20, 0);
	tap_ok(ledger_used(l) == 20, "a vmalloc's pages are in use at once");
	area_by(f, AREA(1), 0x1000);
	area(f, EVENT_AREA_FREE, AREA(1), 0, 0);
	for (uint32_t i = 50; i < 70; i++)
		give(f, 7, i, 0);
	tap_ok(!ledger_used(l) && l->used_peak_pages == 20 &&
	       a->other_freed_pages == 50, "an area's pages are its own");
	area(f, EVENT_AREA_ENTER, 0, 0, 0);
	area(f, EVENT_BULK, 0, 15, 0);
	area_by(f, 0, 0x1000);
	for (uint32_t i = 70; i < 85; i++)
		give(f, 7, i, 0);
	tap_ok(!ledger_used(l) && a->other_freed_pages == 50,
	       "also those of a vmalloc that failed");
	area(f, EVENT_BULK, 0, 40, 0);
	tap_ok(!ledger_used(l) && l->used_peak_pages == 20,
	       "after it, the task is in no vmalloc");
	balance(f, "refills");
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

static uint32_t chain_length(const struct areas *a, uint32_t at)
{
	uint32_t length = 0;

	for (; at; at = a->row[at].next)
		length++;
	return length;
}

/* Rows that are looked at to find each area once: so many an area. */
static uint32_t steps_each(const struct areas *a, uint32_t count)
{
	uint64_t steps = 0;

	for (uint32_t i = 0; i <= a->hash.mask; i++) {
		uint64_t length = chain_length(a, a->hash.bucket[i]);

		steps += length * (length + 1) / 2;
	}
	return (uint32_t)(steps / count);
}

/* Kernel stacks of thousands of threads lie one behind the other: each is found
 * in a few steps, also when every second one has gone. */
static void test_many(void)
{
	enum { MODULES = 64, TASKS = 8000, EACH = 0x8000 };
	const size_t bytes = areas_bytes(MODULES, TASKS) + 1024;
	void *memory = calloc(1, bytes);
	struct areas a = { 0 };
	struct arena arena;
	uint32_t missing = 0, more = 0;

	if (!memory)
		abort();
	arena_init(&arena, memory, bytes);
	tap_ok(!areas_init(&a, &arena, MODULES, TASKS), "a table for many");
	for (uint32_t i = 0; i < TASKS; i++)
		missing += !areas_take(&a, AREA(0) + (uint64_t)i * EACH);
	tap_ok(!missing && !a.full, "there is one for each task");
	tap_ok(steps_each(&a, TASKS) <= 2, "each is found in %u steps",
	       steps_each(&a, TASKS));
	for (uint32_t i = 0; i < TASKS; i += 2)
		areas_give_back(&a, areas_find(&a, AREA(0) +
					       (uint64_t)i * EACH));
	for (uint32_t i = 0; i < TASKS; i++) {
		const struct area *row = areas_find(&a, AREA(0) +
						    (uint64_t)i * EACH);

		missing += i % 2 && !row;
		more += i % 2 == 0 && row != NULL;
	}
	tap_ok(!missing && !more && held(&a) == TASKS / 2,
	       "those that stay are found, those that went are not");
	for (uint32_t i = 0; i < TASKS; i += 2)
		missing += !areas_take(&a, AREA(0) + (uint64_t)i * EACH);
	tap_ok(!missing && held(&a) == TASKS && a.used == TASKS + 1,
	       "their rows are used again");
	free(memory);
}

int main(void)
{
	test_many();
	test_fates();
	test_modules();
	test_at_peak();
	test_callers();
	test_callers_of_gone();
	test_full();
	test_refills();
	test_random();
	return tap_plan_done();
}
