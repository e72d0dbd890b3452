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

static void test_enter(struct table *t)
{
	struct owners *o = fresh(t, 4);
	uint32_t a = enter(t, 2, 40), b = enter(t, 3, 40), c = enter(t, 2, 41);

	tap_ok(a >= TASKS && b >= TASKS && c >= TASKS && a != b && b != c &&
	       a != c, "task and leaf together are an owner");
	tap_ok(enter(t, 2, 40) == a && enter(t, 3, 40) == b &&
	       enter(t, 2, 41) == c, "the same ones are found again");
	tap_ok(o->row[a].task == 2 && o->row[a].leaf == 40,
	       "an owner says whose it is");
	tap_ok(listed(t, 2) == 2 && listed(t, 3) == 1 && !listed(t, 4),
	       "a task lists its owners");
	tap_ok(o->idle == 3, "who holds nothing is idle");
	owners_add(o, a, 5);
	owners_add(o, a, 2);
	owners_add(o, a, 0u - 3);
	tap_ok(o->row[a].now == 4 && o->row[a].peak == 7 && o->idle == 2,
	       "now and peak");
	owners_add(o, a, 0u - 4);
	owners_add(o, 2, 9);
	owners_add(o, 2, 0u - 9);
	tap_ok(o->idle == 3, "the built-in ones are never idle");
}

/* Fill the table, the largest first; leaf n has had a peak of n. */
static void fill(struct table *t, uint32_t holding)
{
	struct owners *o = &t->owners;

	for (uint32_t leaf = 4; leaf; leaf--) {
		uint32_t i = enter(t, 2, leaf);

		owners_add(o, i, leaf);
		if (leaf != holding)
			owners_add(o, i, 0u - leaf);
	}
}

static void test_recycle(struct table *t)
{
	struct owners *o = fresh(t, 4);
	uint32_t i;

	fill(t, 2);
	i = enter(t, 3, 9);
	tap_ok(o->row[i].leaf == 9 && o->recycled == 1 &&
	       o->recycled_peak == 1 && !o->full,
	       "the smallest peak goes first: %u", (unsigned int)o->recycled);
	owners_add(o, i, 1);
	i = enter(t, 3, 10);
	tap_ok(o->recycled == 2 && o->recycled_peak == 3 &&
	       o->row[i].task == 3 && !o->row[i].peak,
	       "who holds a page stays; a new owner begins at nothing");
	owners_add(o, i, 1);
	tap_ok(o->row[enter(t, 2, 2)].now == 2 && o->recycled == 2,
	       "the one that stayed is found");
	owners_add(o, enter(t, 2, 4), 1);
	tap_ok(enter(t, 4, 11) == 4 && o->full == 1 && o->idle == 0,
	       "all hold something: the task's own, and counted");
	tap_ok(listed(t, 2) == 2 && listed(t, 3) == 2, "lists are whole");
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

static uint32_t larger(const struct owners *o, uint32_t peak)
{
	uint32_t n = 0;

	for (uint32_t i = o->fixed; i < o->used; i++)
		n += o->row[i].peak >= peak;
	return n;
}

/* After more large ones than there is room for, small ones replace each other
 * and leave the large ones. */
static void test_burst(struct table *t)
{
	struct owners *o = fresh(t, 200);

	for (uint32_t leaf = 1; leaf <= 300; leaf++)
		had(t, leaf, 1000, 0);
	tap_ok(o->recycled == 100 && larger(o, 1000) == 200,
	       "a burst of large ones takes the table");
	for (uint32_t leaf = 301; leaf <= 900; leaf++)
		had(t, leaf, 3, 0);
	tap_ok(o->recycled == 700 && larger(o, 1000) == 199,
	       "600 small ones after it took the place of %u",
	       200 - (unsigned int)larger(o, 1000));
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

static void test_drop(struct table *t)
{
	struct owners *o = fresh(t, 4);
	uint32_t i;

	fill(t, 3);
	i = enter(t, 2, 3);
	o->row[2].peak = 7;
	owners_drop_task(o, &t->tasks, 2, TASK_OTHER);
	tap_ok(!listed(t, 2) && listed(t, TASK_OTHER) == 1 &&
	       o->row[i].task == TASK_OTHER && o->row[i].now == 3,
	       "what holds pages is the heir's");
	tap_ok(enter(t, TASK_OTHER, 3) == i, "and found as such");
	tap_ok(!o->row[2].peak && o->row[2].task == 2,
	       "the task's own begins anew");
	for (uint32_t leaf = 21; leaf < 24; leaf++)
		owners_add(o, enter(t, 5, leaf), 1);
	tap_ok(!o->recycled && !o->full && !o->idle,
	       "the others were given back: three have room");
	tap_ok(enter(t, 5, 24) == 5 && o->full == 1, "a fourth has none");
	tap_ok(listed(t, 5) == 3 && o->row[enter(t, 5, 22)].peak == 1,
	       "and they are new");
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
	test_enter(t);
	test_recycle(t);
	test_burst(t);
	test_choice(t);
	test_drop(t);
	for (uint64_t seed = 1; seed <= 4; seed++)
		test_random(t, seed);
	free(t);
	return tap_plan_done();
}
