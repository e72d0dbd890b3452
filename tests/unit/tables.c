/* SPDX-License-Identifier: MIT */
/*
 * The tables of ledger/: their room; and what no report shows.
 *
 * owners.c: owners that hold nothing make room for others, small ones first.
 * idle.c: the rows that may go. stacks.c: the cache of chains. All else of them,
 * of modules.c and of tasks.c, is shown by tests/replay/cases.t, and by random.t,
 * which compares many rows, in tables that are too small too, with a model; how
 * much they take, by layout.c.
 */
#include "exact.h"
#include "ledger/tables.h"
#include "limits.h"
#include "tap.h"

/* --- owners.c --- */

#define TASKS 6u

static struct tasks tasks;
static struct owners owners;

static struct owners *owners_fresh(uint32_t more)
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

static uint32_t owners_of(uint32_t task, uint32_t leaf)
{
	return owners_enter(&owners, &tasks, task, leaf, 0);
}

/* Owners have some pages, and one in three keeps them. Whatever comes: of those
 * that may go, RECYCLE_CHOICE - 1 are no smaller than the one that goes. */
static void test_choice(void)
{
	struct owners *o = owners_fresh(200);
	struct random r = { 7 };
	uint32_t wrong = 0, leaf;

	for (leaf = 1; leaf <= 20000; leaf++) {
		const uint32_t most = 1u << random_below(&r, 12);
		const uint32_t pages = 1 + random_below(&r, most);
		uint32_t peak[TASKS + 200], i, above = 0, idle = 0;

		for (i = o->fixed; i < o->capacity; i++) {
			peak[i] = o->row[i].now ? 0 : o->row[i].peak;
			idle += !o->row[i].now;
		}
		i = owners_of(2, leaf);
		owners_add(o, i, pages);
		if (!random_one_in(&r, 3))
			owners_add(o, i, 0 - pages);
		if (o->idle.recycled && i != 2) {
			for (uint32_t k = o->fixed; k < o->capacity; k++)
				above += k != i && peak[k] >= peak[i];
			wrong += above + 1 < (idle < RECYCLE_CHOICE ?
					      idle : RECYCLE_CHOICE);
		}
		i = o->fixed + random_below(&r, 200);
		if (random_one_in(&r, 3))
			owners_add(o, i, 0 - o->row[i].now);
	}
	tap_ok(!wrong && o->idle.recycled > 5000,
	       "%u went, of which %u were among the largest",
	       (unsigned int)o->idle.recycled, wrong);
}

/* --- idle.c --- */

/* Members all over the table and in few words, against a plain array. */
static void test_idle(void)
{
	enum { ROWS = 300000 };
	static uint8_t is_idle[ROWS];
	struct arena *a = arena_fresh(ARENA_BYTES);
	struct idle s = { .rows = 0 };
	struct random r = { 11 };
	uint32_t wrong = 0, members = 0;

	idle_init(&s, a, 2, ROWS);
	tap_ok(arena_took(a, idle_bytes(ROWS), 1) && !idle_next(&s, 0) &&
	       !idle_next(&s, ROWS), "a set without a row");
	for (uint32_t i = 0; i < 3000; i++) {
		const uint32_t near = random_one_in(&r, 2) ? 200 : ROWS - 2;
		const uint32_t row = 2 + random_below(&r, near);
		uint32_t next = random_below(&r, ROWS), got;

		members += is_idle[row] ? 0 - 1u : 1;
		is_idle[row] = !is_idle[row];
		idle_set(&s, row, is_idle[row]);
		idle_set(&s, row, is_idle[row]);
		got = idle_next(&s, next);
		while (next < ROWS && !is_idle[next])
			next++;
		wrong += got != (next < ROWS ? next : 0);
		wrong += idle_has(&s, row) != is_idle[row];
	}
	tap_ok(!wrong && members > 1000, "%u rows, each is the next one",
	       members);
}

/* --- stacks.c --- */

#define ROOTS 4u

static struct stacks *stacks_fresh(uint32_t nodes)
{
	static struct stacks s;

	s = (struct stacks){ .used = 0 };
	must(!stacks_init(&s, arena_fresh(ARENA_BYTES), ROOTS, nodes));
	return &s;
}

static uint32_t stack_of(struct stacks *s, const uint64_t *chain, uint32_t len,
		      uint32_t root)
{
	return stacks_enter(s, chain, len, stacks_key(chain, len, root), root);
}

static uint32_t cached(const struct stacks *s, const uint64_t *chain,
		       uint32_t len, uint32_t root)
{
	return stacks_cached(s, chain, len, stacks_key(chain, len, root));
}

/* Innermost first, as events carry them. */
static const uint64_t abc[] = { 0xa, 0xb, 0xc };
static const uint64_t xbc[] = { 0xf, 0xb, 0xc };
static const uint64_t bc[] = { 0xb, 0xc };
static const uint64_t twice[] = { 0xa, 0xa, 0xa };

static void test_cache(void)
{
	struct stacks *s = stacks_fresh(64);
	uint64_t key = stacks_key(abc, 3, 0);
	uint32_t a;

	tap_ok(!cached(s, abc, 3, 0), "nothing is cached at first");
	a = stack_of(s, abc, 3, 0);
	tap_ok(cached(s, abc, 3, 0) == a && !cached(s, abc, 3, 1),
	       "then it is, not in another context");
	tap_ok(!stacks_cached(s, xbc, 3, key) &&
	       !stacks_cached(s, bc, 2, key) && !stacks_cached(s, abc, 2, key),
	       "a key alone is not believed: the whole chain is compared");
	tap_ok(stacks_key(abc, 3, 0) != stacks_key(abc, 3, 1) &&
	       stacks_key(abc, 3, 0) != stacks_key(xbc, 3, 0) &&
	       stacks_key(twice, 2, 0) != stacks_key(twice, 3, 0),
	       "keys differ by context, frames and length");
	stacks_forget(s);
	tap_ok(!cached(s, abc, 3, 0) && stack_of(s, abc, 3, 0) == a,
	       "forgotten, but still in the tree");
}

int main(void)
{
	test_choice();
	test_idle();
	test_cache();
	return tap_plan_done();
}
