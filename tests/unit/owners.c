/* SPDX-License-Identifier: MIT */
/*
 * ledger/owners.c: one owner for each task and leaf; those that hold nothing
 * make room for others, small ones first; a task's go over to its heir.
 */
#include "arena_fixture.h"
#include "ledger/owners.h"
#include "random.h"
#include "tap.h"

#define TASKS 6u
#define LEAVES 12u

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

/* Is the task's list of owners one? */
static int is_listed(uint32_t task)
{
	const struct owners *o = &owners;
	uint32_t prev = 0, n = 0;

	for (uint32_t i = tasks.row[task].owners; i;
	     prev = i, i = o->row[i].task_next)
		if (i < o->fixed || i >= o->used || n++ > o->capacity ||
		    o->row[i].task != task || o->row[i].task_prev != prev)
			return 0;
	return 1;
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

/* Pages held, by task and leaf, in a plain array. */
static uint32_t plain[TASKS][LEAVES];

static int agree(void)
{
	const struct owners *o = &owners;
	uint32_t idle = 0, got[TASKS][LEAVES] = { { 0 } };

	for (uint32_t i = 0; i < TASKS; i++)
		if (!is_listed(i))
			return 0;
	for (uint32_t i = 0; i < o->used; i++) {
		const struct owner *w = &o->row[i];

		got[w->task][w->leaf] += w->now;
		idle += i >= o->fixed && !w->now;
	}
	return !memcmp(got, plain, sizeof(got)) && idle == o->idle;
}

static void hand_over(uint32_t task)
{
	if (plain[task][0])
		return;
	owners_drop_task(&owners, &tasks, task, TASK_OTHER);
	for (uint32_t leaf = 0; leaf < LEAVES; leaf++) {
		plain[TASK_OTHER][leaf] += plain[task][leaf];
		plain[task][leaf] = 0;
	}
}

/* Take from an owner that holds pages, or give to one. 0: a wrong owner. */
static int step(struct random *r)
{
	struct owners *o = &owners;
	uint32_t task = random_below(r, TASKS);
	uint32_t leaf = 1 + random_below(r, LEAVES - 1), i;

	if (random_one_in(r, 50) && task != TASK_OTHER) {
		hand_over(task);
		return 1;
	}
	if (random_below(r, 5) < 3) {
		i = random_below(r, o->used);
		if (o->row[i].now) {
			plain[o->row[i].task][o->row[i].leaf]--;
			owners_add(o, i, 0u - 1);
		}
		return 1;
	}
	i = enter(task, leaf);
	if (i == task)		/* full, they said */
		leaf = 0;
	if (o->row[i].task != task || o->row[i].leaf != leaf ||
	    (!leaf && o->idle))
		return 0;
	plain[task][leaf]++;
	owners_add(o, i, 1);
	return 1;
}

static void test_random(uint64_t seed)
{
	struct owners *o = fresh(24);
	struct random r = { seed };
	uint32_t i;

	memset(plain, 0, sizeof(plain));
	for (i = 0; i < 30000; i++)
		if (!step(&r) || (i % 4 == 0 && !agree()))
			break;
	tap_ok(i == 30000 && o->full && o->recycled,
	       "seed %u: right for %u of 30000 steps, %u recycled, %u full",
	       (unsigned int)seed, i, (unsigned int)o->recycled,
	       (unsigned int)o->full);
}

int main(void)
{
	test_init();
	test_choice();
	for (uint64_t seed = 1; seed <= 4; seed++)
		test_random(seed);
	return tap_plan_done();
}
