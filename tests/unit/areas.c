/* SPDX-License-Identifier: MIT */
/*
 * ledger/areas.c and area_events.c: many areas are found quickly, names of
 * callers may be made up, a module's may go. Whose an area is, and that all
 * ways to add areas up agree, replayed traces show (cases.t, random.t).
 */
#include "ledger_fixture.h"

#define TEXT 0xffffffffc0000000u
#define AREA(n) (0xffffc90000000000u + (uint64_t)(n) * 0x8000)

/* How many areas there are in all chains. */
static uint32_t held(const struct areas *a)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i <= a->hash.mask; i++)
		for (uint32_t at = a->hash.bucket[i]; at && count <= a->used;
		     at = a->row[at].next)
			count++;
	return count;
}

static const struct caller *caller_at(const struct fixture *f, uint64_t base)
{
	const struct areas *a = &f->ledger.areas;

	return &a->caller[areas_find(a, base)->caller];
}

static void area(struct fixture *f, uint32_t type, uint64_t base,
		 uint64_t pages, uint64_t frame)
{
	apply(f, &(struct event){ .type = type, .tid = 7, .tgid = 7,
				  .base = base, .pages = pages,
				  .chain_len = frame != 0,
				  .chain = { frame } });
}

/* The row of a module is used again, when it holds nothing any more. */
static void test_callers_of_gone(void)
{
	struct fixture *f = fixture_new();
	const struct caller *c;
	char name[16];

	module_text(f, "planted", TEXT, 0x1000, 0);
	area(f, EVENT_AREA_ENTER, 0, 0, TEXT + 8);
	area(f, EVENT_BULK, 0, 10, 0);
	area(f, EVENT_AREA_ALLOC, AREA(1), 0, TEXT + 8);
	c = caller_at(f, AREA(1));
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
		struct event e = { .type = EVENT_AREA_SEEN, .base = AREA(i),
				   .pages = 3 };

		area(f, EVENT_BULK, 0, 3, 0);
		area(f, EVENT_AREA_ALLOC, AREA(i), 0, 0x1000);
		memcpy(e.name, names[i],
		       strnlen(names[i], sizeof(e.name) - 1));
		wrong += apply(f, &e) != APPLIED;
		wrong += !memchr(caller_at(f, AREA(i))->name, 0, CALLER_BYTES);
	}
	tap_ok(!wrong, "names of every shape");
	balance(f, "hostile names");
}

/* Rows that are looked at to find each area once: so many an area. */
static uint32_t steps_each(const struct areas *a, uint32_t count)
{
	uint64_t steps = 0;

	for (uint32_t i = 0; i <= a->hash.mask; i++) {
		uint64_t length = 0;

		for (uint32_t at = a->hash.bucket[i]; at; at = a->row[at].next)
			steps += ++length;
	}
	return (uint32_t)(steps / count);
}

/* Kernel stacks of thousands of threads lie one behind the other: each is found
 * in a few steps, also when every second one has gone. */
static void test_many(void)
{
	enum { MODULES = 64, TASKS = 8000 };
	const size_t bytes = areas_bytes(MODULES, TASKS) + 1024;
	void *memory = calloc(1, bytes);
	struct areas a = { 0 };
	struct arena arena;
	uint32_t missing = 0, more = 0;

	must(memory != NULL);
	arena_init(&arena, memory, bytes);
	tap_ok(!areas_init(&a, &arena, MODULES, TASKS), "a table for many");
	for (uint32_t i = 0; i < TASKS; i++)
		missing += !areas_take(&a, AREA(i));
	tap_ok(!missing && !a.full, "there is one for each task");
	tap_ok(steps_each(&a, TASKS) <= 2, "each is found in %u steps",
	       steps_each(&a, TASKS));
	for (uint32_t i = 0; i < TASKS; i += 2)
		areas_give_back(&a, areas_find(&a, AREA(i)));
	for (uint32_t i = 0; i < TASKS; i++) {
		const struct area *row = areas_find(&a, AREA(i));

		missing += i % 2 && !row;
		more += i % 2 == 0 && row != NULL;
	}
	tap_ok(!missing && !more && held(&a) == TASKS / 2,
	       "those that stay are found, those that went are not");
	for (uint32_t i = 0; i < TASKS; i += 2)
		missing += !areas_take(&a, AREA(i));
	tap_ok(!missing && held(&a) == TASKS && a.used == TASKS + 1,
	       "their rows are used again");
	free(memory);
}

int main(void)
{
	test_many();
	test_callers_of_gone();
	test_hostile_names();
	return tap_plan_done();
}
