/* SPDX-License-Identifier: MIT */
/*
 * ledger/owners.c: one owner for each task and leaf; those that hold nothing
 * make room for others, small ones first; a task's go over to its heir.
 */
#include <errno.h>
#include <string.h>
#include "ledger/owners.h"
#include "random.h"
#include "tap.h"

#define TASKS 6u
#define LEAVES 12u

struct table {
	_Alignas(64) unsigned char memory[1 << 16];
	struct arena arena;
	struct tasks tasks;
	struct owners owners;
	uint16_t initcall[1 << 12];
};

static struct owners *fresh(struct table *t, uint32_t more)
{
	memset(t->memory, 0, sizeof(t->memory));
	arena_init(&t->arena, t->memory, sizeof(t->memory));
	memset(&t->tasks, 0, sizeof(t->tasks));
	memset(&t->owners, 0, sizeof(t->owners));
	if (tasks_init(&t->tasks, &t->arena, TASKS) ||
	    owners_init(&t->owners, &t->arena, TASKS, TASKS + more))
		abort();
	t->owners.initcall = t->initcall;
	return &t->owners;
}

static uint32_t enter(struct table *t, uint32_t task, uint32_t leaf)
{
	return owners_enter(&t->owners, &t->tasks, task, leaf, 0);
}

/* Owners on a task's list; -1: the list is broken. */
static int listed(const struct table *t, uint32_t task)
{
	const struct owners *o = &t->owners;
	uint32_t prev = 0;
	int n = 0;

	for (uint32_t i = t->tasks.row[task].owners; i;
	     prev = i, i = o->row[i].task_next, n++)
		if (i < o->fixed || i >= o->used || n > (int)o->capacity ||
		    o->row[i].task != task || o->row[i].task_prev != prev)
			return -1;
	return n;
}

static void test_init(struct table *t)
{
	struct owners *o = fresh(t, 4);
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < TASKS; i++)
		wrong += o->row[i].task != i || o->row[i].leaf ||
			 o->row[i].now;
	tap_ok(!wrong, "every task row has an owner without a stack");
	tap_ok(owners_init(o, &t->arena, TASKS, TASKS) == -EINVAL,
	       "there must be one beside them");
	arena_init(&t->arena, t->memory, 128);
	tap_ok(owners_init(o, &t->arena, TASKS, 64) == -ENOMEM, "no room");
	arena_init(&t->arena, t->memory, sizeof(t->memory));
	owners_init(o, &t->arena, TASKS, 64);
	tap_ok(t->arena.used_bytes >= owners_bytes(64) &&
	       t->arena.used_bytes <= owners_bytes(64) + 2 * 63,
	       "owners_bytes tells what they take");
}

/* An owner that had `peak` pages and holds none, or `holds` them still. */
static uint32_t had(struct table *t, uint32_t leaf, uint32_t peak, int holds)
{
	uint32_t i = enter(t, 2, leaf);

	owners_add(&t->owners, i, peak);
	if (!holds)
		owners_add(&t->owners, i, 0 - peak);
	return i;
}

/* Whatever comes: of those that may go, RECYCLE_CHOICE - 1 are no smaller than
 * the one that goes. */
static void test_choice(struct table *t)
{
	struct owners *o = fresh(t, 200);
	struct random r = { 7 };
	uint32_t wrong = 0, leaf;

	for (leaf = 1; leaf <= 20000; leaf++) {
		const uint32_t idle = o->idle;
		uint32_t peak[TASKS + 200], i, above = 0;

		for (i = o->fixed; i < o->capacity; i++)
			peak[i] = o->row[i].now ? 0 : o->row[i].peak;
		i = had(t, leaf, 1 + random_below(&r, 1u << random_below(&r, 12)),
			random_one_in(&r, 3));
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
struct plain {
	uint32_t now[TASKS][LEAVES];
};

static int agree(const struct table *t, const struct plain *p)
{
	const struct owners *o = &t->owners;
	uint32_t idle = 0;
	uint32_t got[TASKS][LEAVES] = { { 0 } };

	for (uint32_t i = 0; i < TASKS; i++)
		if (listed(t, i) < 0)
			return 0;
	for (uint32_t i = 0; i < o->used; i++) {
		const struct owner *w = &o->row[i];

		got[w->task][w->leaf] += w->now;
		idle += i >= o->fixed && !w->now;
	}
	return !memcmp(got, p->now, sizeof(got)) && idle == o->idle;
}

static void hand_over(struct table *t, struct plain *p, uint32_t task)
{
	if (p->now[task][0])
		return;
	owners_drop_task(&t->owners, &t->tasks, task, TASK_OTHER);
	for (uint32_t leaf = 0; leaf < LEAVES; leaf++) {
		p->now[TASK_OTHER][leaf] += p->now[task][leaf];
		p->now[task][leaf] = 0;
	}
}

/* Take from an owner that holds pages, or give to one. */
static int step(struct table *t, struct plain *p, struct random *r)
{
	struct owners *o = &t->owners;
	uint32_t task = random_below(r, TASKS);
	uint32_t leaf = 1 + random_below(r, LEAVES - 1), i;

	if (random_one_in(r, 50) && task != TASK_OTHER) {
		hand_over(t, p, task);
		return 1;
	}
	if (random_below(r, 5) < 3) {
		i = random_below(r, o->used);
		if (!o->row[i].now)
			return 1;
		p->now[o->row[i].task][o->row[i].leaf]--;
		owners_add(o, i, 0u - 1);
		return 1;
	}
	i = enter(t, task, leaf);
	if (i != task && (o->row[i].task != task || o->row[i].leaf != leaf))
		return 0;
	if (i == task && o->idle)
		return 0;	/* full, they said */
	p->now[task][i == task ? 0 : leaf]++;
	owners_add(o, i, 1);
	return 1;
}

static void test_random(struct table *t, uint64_t seed)
{
	struct owners *o = fresh(t, 24);
	struct random r = { seed };
	struct plain p = { { { 0 } } };
	uint32_t i;

	for (i = 0; i < 30000; i++)
		if (!step(t, &p, &r) || (i % 4 == 0 && !agree(t, &p)))
			break;
	tap_ok(i == 30000 && o->full && o->recycled,
	       "seed %u: right for %u of 30000 steps, %u recycled, %u full",
	       (unsigned int)seed, i, (unsigned int)o->recycled,
	       (unsigned int)o->full);
}

int main(void)
{
	struct table *t = aligned_alloc(64, (sizeof(*t) + 63) / 64 * 64);

	if (!t)
		abort();
	test_init(t);
	test_choice(t);
	for (uint64_t seed = 1; seed <= 4; seed++)
		test_random(t, seed);
	free(t);
	return tap_plan_done();
}
