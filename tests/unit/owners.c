/* SPDX-License-Identifier: MIT */
/*
 * ledger/owners.c: owners that hold nothing make room for others, small ones
 * first. Lists of owners, rows that are used again, and heirs:
 * tests/replay/random.t, in tables that are too small.
 */
#include "arena_fixture.h"
#include "ledger/owners.h"
#include "random.h"
#include "tap.h"

#define TASKS 6u

static struct tasks tasks;
static struct owners owners;

static struct owners *fresh(uint32_t more)
{
	static uint16_t initcall[1 << 12];
	struct arena *a = arena_fresh(ARENA_BYTES);

	memset(&tasks, 0, sizeof(tasks));
	memset(&owners, 0, sizeof(owners));
	if (tasks_init(&tasks, a, TASKS) ||
	    owners_init(&owners, a, TASKS, TASKS + more))
		abort();
	owners.initcall = initcall;
	return &owners;
}

static uint32_t enter(uint32_t task, uint32_t leaf)
{
	return owners_enter(&owners, &tasks, task, leaf, 0);
}

static void test_init(void)
{
	struct owners *o = fresh(4);
	struct arena *a;
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < TASKS; i++)
		wrong += o->row[i].task != i || o->row[i].leaf ||
			 o->row[i].now;
	tap_ok(!wrong, "every task row has an owner without a stack");
	a = arena_fresh(ARENA_BYTES);
	tap_ok(!owners_init(o, a, TASKS, 64) &&
	       arena_took(a, owners_bytes(64), 2),
	       "owners_bytes tells what they take");
	tap_ok(owners_init(o, a, TASKS, TASKS) == -EINVAL &&
	       owners_init(o, arena_fresh(128), TASKS, 64) == -ENOMEM,
	       "there must be one beside them, and room");
}

/* Owners have some pages, and one in three keeps them. Whatever comes: of those
 * that may go, RECYCLE_CHOICE - 1 are no smaller than the one that goes. */
static void test_choice(void)
{
	struct owners *o = fresh(200);
	struct random r = { 7 };
	uint32_t wrong = 0, leaf;

	for (leaf = 1; leaf <= 20000; leaf++) {
		const uint32_t idle = o->idle;
		const uint32_t most = 1u << random_below(&r, 12);
		const uint32_t pages = 1 + random_below(&r, most);
		uint32_t peak[TASKS + 200], i, above = 0;

		for (i = o->fixed; i < o->capacity; i++)
			peak[i] = o->row[i].now ? 0 : o->row[i].peak;
		i = enter(2, leaf);
		owners_add(o, i, pages);
		if (!random_one_in(&r, 3))
			owners_add(o, i, 0 - pages);
		if (o->recycled && i != 2) {
			for (uint32_t k = o->fixed; k < o->capacity; k++)
				above += k != i && peak[k] >= peak[i];
			wrong += above + 1 < (idle < RECYCLE_CHOICE ?
					      idle : RECYCLE_CHOICE);
		}
		i = o->fixed + random_below(&r, 200);
		if (random_one_in(&r, 3))
			owners_add(o, i, 0 - o->row[i].now);
	}
	tap_ok(!wrong && o->recycled > 5000,
	       "%u went, of which %u were among the largest",
	       (unsigned int)o->recycled, wrong);
}

int main(void)
{
	test_init();
	test_choice();
	return tap_plan_done();
}
