/* SPDX-License-Identifier: MIT */
/*
 * ledger/stacks.c: its room, and the cache of chains, without which reports are
 * the same. The trees themselves: tests/replay/cases.t, and random.t, which
 * compares many chains with a model.
 */
#include "arena_fixture.h"
#include "ledger/stacks.h"
#include "limits.h"
#include "tap.h"

#define ROOTS 4u

static struct stacks *fresh(uint32_t nodes)
{
	static struct stacks s;

	s = (struct stacks){ .used = 0 };
	must(!stacks_init(&s, arena_fresh(ARENA_BYTES), ROOTS, nodes));
	return &s;
}

static uint32_t enter(struct stacks *s, const uint64_t *chain, uint32_t len,
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

static void test_init(void)
{
	struct arena *a = arena_fresh(ARENA_BYTES);
	struct stacks s = { .used = 0 };

	tap_ok(!stacks_init(&s, a, ROOTS, 32) && s.used == ROOTS &&
	       s.capacity == 32 && arena_took(a, stacks_bytes(32), 3) &&
	       s.node[0].addr == STACKS_ROOT &&
	       s.node[ROOTS - 1].addr == STACKS_ROOT,
	       "roots come first; stacks_bytes tells what it takes");
	tap_ok(stacks_init(&s, a, 8, 7) == -EINVAL &&
	       stacks_init(&s, a, 8, STACKS_LEAF) == -EINVAL,
	       "fewer nodes than roots; no room for the leaf's bit");
	tap_ok(stacks_init(&s, arena_fresh(512), 4, 64) == -ENOMEM, "no room");
}

static void test_cache(void)
{
	struct stacks *s = fresh(64);
	uint64_t key = stacks_key(abc, 3, 0);
	uint32_t a;

	tap_ok(!cached(s, abc, 3, 0), "nothing is cached at first");
	a = enter(s, abc, 3, 0);
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
	tap_ok(!cached(s, abc, 3, 0) && enter(s, abc, 3, 0) == a,
	       "forgotten, but still in the tree");
}

int main(void)
{
	test_init();
	test_cache();
	return tap_plan_done();
}
