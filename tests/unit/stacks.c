/* SPDX-License-Identifier: MIT */
/*
 * ledger/stacks.c: chains share their outer frames, one tree a module; the
 * cache of chains; frames that are retired. tests/replay/random.t compares many
 * chains with a model.
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

static void test_reset(void)
{
	struct stacks *s = fresh(32);
	uint32_t a = enter(s, abc, 3, 2), other = enter(s, abc, 3, 3);

	stacks_add(s, a, 1, 5);
	stacks_add(s, other, 1, 6);
	stacks_add(s, a, 1, 0u - 5);
	stacks_reset_row(s, 2, 0);
	tap_ok(!s->node[a].pages.peak, "a tree that starts anew has no peaks");
	tap_ok(s->node[other].pages.peak == 6, "the others keep theirs");
}

/* Other code is where a frame's code was. */
static void test_retire(void)
{
	struct stacks *s = fresh(32);
	uint32_t a = enter(s, abc, 3, 2), x = enter(s, xbc, 3, 2), b;
	uint32_t parent = stack_parent(&s->node[a]);

	stacks_add(s, a, 1, 5);
	tap_ok(!stack_addr_retired(0xffffffffc0000000) &&
	       !stack_addr_retired(0xc0000000) && !stack_addr_retired(0),
	       "no kernel has an address like a retired one");
	stacks_retire(s, parent, 3, 0x123);
	stacks_forget(s);
	tap_ok(stack_addr_retired(s->node[parent].addr) &&
	       s->node[parent].addr == (STACKS_RETIRED |
	       UINT64_C(3) << STACKS_RETIRED_SHIFT | 0x123),
	       "a retired frame says where it was");
	b = enter(s, abc, 3, 2);
	tap_ok(b != a && stack_parent(&s->node[b]) != parent &&
	       s->node[stack_parent(&s->node[b])].addr == 0xb,
	       "the same chain goes another way from there");
	tap_ok(enter(s, xbc, 3, 2) != x && enter(s, abc, 3, 2) == b,
	       "whatever it led to");
	stacks_add(s, b, 1, 2);
	stacks_add(s, a, 1, 0u - 1);
	tap_ok(s->node[a].pages.now == 4 && s->node[b].pages.now == 2 &&
	       stacks_root(s, a) == 2, "it keeps what it counts");
}

static void test_paths(void)
{
	static const struct {
		const uint64_t *chain;
		uint32_t len, root;
	} t[] = {
		{ abc, 3, 2 }, { xbc, 3, 2 }, { bc, 2, 2 }, { abc, 3, 3 },
		{ twice, 3, 2 }, { twice, 2, 2 }, { twice, 1, 2 },
	};
	struct stacks *s = fresh(64);
	uint32_t wrong = 0, leaf[ARRAY_LEN(t)];

	for (uint32_t i = 0; i < 2 * ARRAY_LEN(t); i++) {
		const uint32_t row = i % ARRAY_LEN(t);
		uint32_t at = enter(s, t[row].chain, t[row].len, t[row].root);

		wrong += i == row ? 0 : at != leaf[row];
		leaf[row] = at;
		wrong += !stack_is_leaf(&s->node[at]);
		for (uint32_t k = 0; k < t[row].len; k++) {
			wrong += s->node[at].addr != t[row].chain[k];
			at = stack_parent(&s->node[at]);
		}
		wrong += at != t[row].root;
	}
	/* c, b and three leaves; in the other tree c, b and one; of a alone two
	 * frames and three leaves. */
	tap_ok(!wrong && !s->full && s->used == ROOTS + 5 + 3 + 5,
	       "each path spells its chain; %u nodes", s->used - ROOTS);
}

int main(void)
{
	test_init();
	test_cache();
	test_reset();
	test_retire();
	test_paths();
	return tap_plan_done();
}
