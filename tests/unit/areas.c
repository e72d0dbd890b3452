/* SPDX-License-Identifier: MIT */
/*
 * ledger/areas.c and area_events.c: many areas are found quickly, names of
 * callers may be made up, and all the ways to add areas up agree whatever
 * comes. Whose an area is, replayed traces show.
 */
#include "ledger_fixture.h"
#include "random.h"

#define TEXT 0xffffffffc0000000u
#define AREA(n) (0xffffc90000000000u + (uint64_t)(n) * 0x10000)

/* How many areas there are. */
static uint32_t held(const struct areas *a)
{
	uint32_t count = 0;

	for (uint32_t i = 1; i < a->used; i++)
		count += a->row[i].base != 0;
	return count;
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

static const struct caller *caller_at(const struct fixture *f,
				       uint64_t base)
{
	const struct areas *a = &f->ledger.areas;

	return &a->caller[areas_find(a, base)->caller];
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
	tap_ok(!wrong, "names of every shape");
	balance(f, "hostile names");
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
		wrong += ledger_check(&f->ledger) != NULL;
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
	test_callers_of_gone();
	test_hostile_names();
	test_random();
	return tap_plan_done();
}
