/* SPDX-License-Identifier: MIT */
/*
 * base/arena.c: pieces are untouched, aligned, apart from each other and never
 * more than there is; after the seal there are none.
 */
#include <stdint.h>
#include "base/arena.h"
#include "tap.h"

#define BYTES 1024u

static _Alignas(64) unsigned char block[BYTES];

static struct arena *fresh(void)
{
	static struct arena arena;

	memset(block, 0xff, sizeof(block));
	arena_init(&arena, block, sizeof(block));
	return &arena;
}

static void test_pieces(void)
{
	struct arena *a = fresh();
	unsigned char *one = arena_take(a, 1, 1);
	unsigned char *two = arena_take(a, 13, 5);
	unsigned char *none = arena_take(a, 0, 8);
	unsigned char *three = arena_take(a, 64, 1);

	tap_ok(one == block, "the first piece is where the block starts");
	tap_ok(two == one + 64, "the next begins at a multiple of 64");
	tap_ok(none == two + 128 && three == none,
	       "nothing takes nothing, 65 bytes take 128");
	tap_ok(block[0] == 0xff && block[255] == 0xff,
	       "pieces are not touched: the block is zero already");
	tap_ok(a->used_bytes == 256, "used_bytes tells what was taken");
}

static void test_full(void)
{
	static const size_t bad[][2] = {
		{ 1, BYTES + 1 }, { SIZE_MAX, 2 }, { 2, SIZE_MAX },
		{ SIZE_MAX / 2 + 1, 2 }, { SIZE_MAX, 1 }, { 1, SIZE_MAX - 62 },
		{ SIZE_MAX / 8 + 1, 8 }, { SIZE_MAX / 64 + 1, 64 },
		{ 1, SIZE_MAX - 64 },
	};
	struct arena *a = fresh();

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		tap_ok(!arena_take(a, bad[i][0], bad[i][1]) && !a->used_bytes,
		       "%zu times %zu: refused", bad[i][0], bad[i][1]);
	tap_ok(arena_take(a, 1, BYTES - 64) && !arena_take(a, 1, 65) &&
	       arena_take(a, 64, 1) && a->used_bytes == BYTES &&
	       !arena_take(a, 1, 1), "the last 64 are there, no more");
	arena_init(a, block, 100);
	tap_ok(!arena_take(a, 1, 65) && arena_take(a, 1, 64),
	       "the odd end of a block is not handed out");
	fresh();
	arena_take(a, 1, 8);
	arena_seal(a);
	tap_ok(!arena_take(a, 1, 8) && !arena_take(a, 0, 0) &&
	       a->used_bytes == 64, "sealed: nothing, not even nothing");
}

int main(void)
{
	test_pieces();
	test_full();
	return tap_plan_done();
}
