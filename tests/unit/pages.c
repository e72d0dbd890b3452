/* SPDX-License-Identifier: MIT */
/*
 * ledger/pages.c: one owner a page, the same from a flat array and from a
 * hash of live pages; ranges of RAM in any order, nothing outside them.
 */
#include "exact.h"
#include "ledger/tables.h"
#include "limits.h"
#include "tap.h"

#define END (UINT64_MAX >> 12)	/* of the largest address */

static struct pages table;
static struct arena *arena;

static int init(const struct ram *ram, uint64_t bytes, uint64_t flat_bytes,
		size_t arena_bytes)
{
	arena = arena_fresh(arena_bytes);
	memset(&table, 0, sizeof(table));
	return pages_init(&table, arena, ram, bytes, flat_bytes);
}

static struct pages *fresh(const struct ram *ram, uint64_t bytes,
			   uint64_t flat_bytes)
{
	must(!init(ram, bytes, flat_bytes, ARENA_BYTES));
	return &table;
}

static void test_refused(void)
{
	static const struct {
		struct ram ram;
		size_t arena_bytes;
		int error;
		const char *what;
	} t[] = {
		{ { .count = 0 }, ARENA_BYTES, -EINVAL, "no range" },
		{ { { { 5, 0 }, { 9, 0 } }, 2 }, ARENA_BYTES, -EINVAL,
		  "no page" },
		{ { { { UINT64_MAX - 1, 9 } }, 1 }, ARENA_BYTES, -EINVAL,
		  "a range that wraps" },
		{ { { { 0, 8 } }, RAM_RANGES_MAX + 1 }, ARENA_BYTES, -EINVAL,
		  "more ranges than there can be" },
		{ { { { 0, 8 } }, 1 }, 16, -ENOMEM, "no room, flat" },
		{ { { { 0, 1u << 20 } }, 1 }, 2048, -ENOMEM, "or hashed" },
	};
	const struct ram absurd = { { { 0, UINT64_C(1) << 62 } }, 1 };

	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		tap_ok(init(&t[i].ram, 4096, 0, t[i].arena_bytes) == t[i].error,
		       "RAM: %s", t[i].what);
	tap_ok(init(&absurd, UINT64_MAX, 0, ARENA_BYTES) == -ENOMEM &&
	       !table.flat && pages_flat_bytes(&absurd) > UINT64_MAX / 5,
	       "absurd RAM: no room, and no overflow");
}

/* Unsorted, overlapping, touching, inside another, empty. */
static const struct ram odd_ram = {
	{ { 0x1000, 16 }, { 0x10, 4 }, { 0x14, 4 }, { 0x1008, 16 },
	  { 0x1002, 2 }, { 0x500, 0 }, { END - 8, 8 }, { 0x40, 1 } }, 8,
};

#define ODD_PAGES 41u

static void test_ranges(uint64_t bytes, const char *kind)
{
	static const uint64_t in[] = {
		0x10, 0x13, 0x14, 0x17, 0x40, 0x1000, 0x1002, 0x1017,
		END - 8, END - 1,
	};
	static const uint64_t out[] = {
		0, 0xf, 0x18, 0x3f, 0x41, 0x500, 0xfff, 0x1018, END - 9, END,
		UINT64_MAX, UINT64_MAX - 1, UINT64_MAX / 2,
	};
	struct pages *p = fresh(&odd_ram, bytes, 0);
	uint32_t wrong = 0;

	tap_ok((p->flat != NULL) == (bytes >= ODD_PAGES * 4) &&
	       p->ram.count == 4, "%s: eight ranges are four", kind);
	for (size_t i = 0; i < ARRAY_LEN(out); i++)
		wrong += pages_swap(p, out[i], 9) != -1 ||
			 pages_swap(p, out[i], 0) != -1;
	tap_ok(!wrong, "%s: what is outside", kind);
	for (uint32_t i = 0; i < ARRAY_LEN(in); i++)
		wrong += pages_swap(p, in[i], i + 1) != 0;
	for (uint32_t i = 0; i < ARRAY_LEN(in); i++)
		wrong += pages_swap(p, in[i], 100 + i) != i + 1;
	for (uint32_t i = 0; i < ARRAY_LEN(in); i++)
		wrong += pages_swap(p, in[i], 0) != 100 + i ||
			 pages_swap(p, in[i], 0) != 0;
	tap_ok(!wrong, "%s: what is inside has a place of its own", kind);
}

static void test_sizes(void)
{
	const struct ram ram = { { { 100, 50 }, { 1000, 206 } }, 2 };
	struct pages *p = fresh(&ram, 1024, 0);

	tap_ok(p->flat && p->capacity_pages == 256 &&
	       pages_flat_bytes(&ram) == 1024 && arena->used_bytes == 1024,
	       "flat takes four bytes a page");
	p = fresh(&ram, 1023, 0);
	tap_ok(!p->flat && arena->used_bytes == 512 && p->capacity_pages == 56,
	       "one byte less: the largest hash that fits, seven eighths of it "
	       "used");
	p = fresh(&ram, 1023, 1024);
	tap_ok(p->flat && arena->used_bytes == 1024 &&
	       p->capacity_pages == 56, "flat, with room for as many pages");
	p = fresh(&ram, 1023, 1023);
	tap_ok(!p->flat, "a flat one would need more");
	tap_ok(fresh(&odd_ram, 4096, 0)->capacity_pages == ODD_PAGES,
	       "pages that two ranges name are counted once");
}

/* Every page of a small RAM against a plain array, after every step. */
static struct {
	uint32_t span, owner[4096];
	uint64_t held;
} plain;

static int agree(struct pages *p)
{
	for (uint32_t i = 0; i < plain.span; i++)
		if (pages_owner(p, i) != plain.owner[i] ||
		    pages_swap(p, i, plain.owner[i]) != plain.owner[i])
			return 0;
	return p->used_pages == plain.held;
}

static int step(struct pages *p, struct random *r)
{
	uint32_t pfn = random_below(r, plain.span);
	uint32_t owner = random_below(r, 2) ? 1 + random_below(r, 9) : 0;
	uint32_t old = plain.owner[pfn];

	if (owner && !old && plain.held == p->capacity_pages)
		return pages_swap(p, pfn, owner) == -2;
	plain.held += (owner != 0) - (uint64_t)(old != 0);
	plain.owner[pfn] = owner;
	return pages_swap(p, pfn, owner) == old;
}

/* In sixteen slots, for fourteen pages, every chain of probes wraps round the
 * end sooner or later; in a larger table they run into each other. */
static void test_random(uint32_t span, uint64_t bytes,
			uint64_t flat_bytes, uint32_t steps, uint64_t seed)
{
	const struct ram ram = { { { 0, span } }, 1 };
	struct pages *p = fresh(&ram, bytes, flat_bytes);
	struct random r = { seed };
	uint32_t i;

	memset(&plain, 0, sizeof(plain));
	plain.span = span;
	for (i = 0; i < steps; i++)
		if (!step(p, &r) || (i % (span / 16) == 0 && !agree(p)))
			break;
	tap_ok(i == steps, "%u pages, %llu bytes, %s, seed %llu: right for %u "
	       "of %u steps", span, (unsigned long long)bytes,
	       p->flat ? "flat" : "hash", (unsigned long long)seed, i, steps);
}

/* `held` of `span` pages have an owner, from `first` on, each `each`-th; then as
 * many pages come. */
static struct pages *grown(uint32_t span, uint32_t first, uint32_t each,
			   uint32_t held)
{
	const struct ram ram = { { { 0, span } }, 1 };
	struct pages *p = fresh(&ram, 4 * span, 0);

	memset(&plain, 0, sizeof(plain));
	plain.span = 2 * span;
	plain.held = held;
	for (uint32_t i = 0; i < held; i++) {
		const uint32_t pfn = (first + i * each) % span;

		plain.owner[pfn] = 1 + pfn % 9;
		must(!pages_swap(p, pfn, plain.owner[pfn]));
	}
	must(!pages_add(p, span, span));
	return p;
}

/* 1024 pages: as a hash 512 slots, 448 of which may be used. */
static void test_growth(void)
{
	static const struct { uint32_t first, each, held; } t[] = {
		{ 0, 1, 0 }, { 1023, 1, 1 }, { 0, 1, 448 }, { 576, 1, 448 },
		{ 0, 2, 448 }, { 31, 32, 32 }, { 33, 33, 31 }, { 0, 1, 32 },
		{ 5, 7, 448 },
	};
	const struct ram two = { { { 0, 16 }, { 100, 16 } }, 2 };
	struct random r = { 1 };
	struct pages *p;
	uint32_t steps = 0;

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		p = grown(1024, t[i].first, t[i].each, t[i].held);
		tap_ok(!p->flat && p->capacity_pages == 448 && agree(p),
		       "%u pages, each %u. from %u on, find room in a hash",
		       t[i].held, t[i].each, t[i].first);
	}
	while (steps < 20000 && step(p, &r))
		steps++;
	tap_ok(steps == 20000 && agree(p), "which is right from then on");
	p = grown(1024, 0, 1, 449);
	tap_ok(p->flat && pages_swap(p, 1023, 5) == 0 &&
	       pages_swap(p, 1024, 5) == -2 && !pages_owner(p, 1024) &&
	       !pages_swap(p, 2047, 0) && pages_swap(p, 2048, 5) == -1,
	       "one page more: the array stays, without room for new pages");
	p = fresh(&two, 4 * 64, 0);
	tap_ok(!pages_add(p, 50, 16) && !pages_add(p, 66, 16) && p->flat &&
	       p->ram.count == 3 && p->capacity_pages == 64 &&
	       !pages_swap(p, 81, 7) && !pages_swap(p, 115, 8) &&
	       pages_owner(p, 81) == 7 && pages_owner(p, 115) == 8,
	       "an array with room has new pages; those that follow are one "
	       "range");
	tap_ok(pages_add(p, 15, 2) == -ENOSPC &&
	       pages_add(p, 90, 11) == -ENOSPC &&
	       pages_add(p, 100, 1) == -ENOSPC &&
	       pages_add(p, 200, 0) == -ENOSPC &&
	       pages_add(p, 200, UINT64_MAX) == -ENOSPC &&
	       pages_add(p, 200, UINT32_MAX - 63) == -ENOSPC &&
	       p->ram_pages == 64 && pages_owner(p, 115) == 8,
	       "pages that are RAM already, none, or too many");
	for (uint64_t i = 0; i < RAM_RANGES_MAX - 3; i++)
		must(!pages_add(p, 1000 + 9 * i, 1));
	tap_ok(pages_add(p, 900, 1) == -ENOSPC, "no row for a range");
}

int main(void)
{
	const uint64_t seeds = getenv("QUICK") ? 2 : 8;

	test_refused();
	test_ranges(4096, "flat");
	test_ranges(41 * 4 - 1, "hash");
	test_sizes();
	test_growth();
	for (uint64_t seed = 1; seed <= seeds; seed++) {
		test_random(16, 128, 0, 20000, seed);
		test_random(40, 128, 0, 20000, seed);
		test_random(40, 128, 160, 20000, seed);
		test_random(4096, 4096, 0, 100000, seed);
	}
	test_random(4096, 65536, 0, 20000, 1);
	test_random(4096, 4096, 65536, 20000, 1);
	return tap_plan_done();
}
