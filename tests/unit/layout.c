/* SPDX-License-Identifier: MIT */
/*
 * ledger/layout.c: whatever the budget and the shape of RAM, the parts fit in
 * it or it is refused; what was asked for is kept; what is laid out can be
 * built.
 */
#include <errno.h>
#include <string.h>
#include "ledger/ledger.h"
#include "limits.h"
#include "report/symbols.h"
#include "tap.h"

#define KIB UINT64_C(1024)
#define MIB (UINT64_C(1024) * 1024)
#define PAGES(mib) (UINT64_C(256) * (mib))
#define PIECES 15u		/* of the arena, rounded up to 64 bytes each */

struct shape {
	const char *name;
	struct ram ram;
};

/* A kdump kernel's 160 MiB at 10 GiB, a laptop's holes, a large machine. */
static const struct shape shapes[] = {
	{ "no RAM", { .count = 0 } },
	{ "one page", { { { 0, 1 } }, 1 } },
	{ "kdump", { { { 1, 158 }, { PAGES(10240), PAGES(160) } }, 2 } },
	{ "1 GiB", { { { 1, 158 }, { 256, PAGES(1023) } }, 2 } },
	{ "16 GiB in pieces", { { { 1, 158 }, { 256, PAGES(700) },
		{ PAGES(720), PAGES(1200) }, { PAGES(2040), PAGES(1) },
		{ PAGES(4096), PAGES(14484) } }, 5 } },
	{ "4 TiB", { { { 1, 158 }, { 256, PAGES(2047) },
		{ PAGES(4096), PAGES(4 * 1024 * 1024) } }, 3 } },
	{ "absurd", { { { 0, UINT64_MAX / 2 }, { UINT64_MAX / 2 + 9,
		UINT64_MAX / 4 } }, 2 } },
};

static uint64_t ram_bytes(const struct ram *ram)
{
	uint64_t pages = 0;

	for (uint32_t i = 0; i < ram->count; i++)
		pages += ram->range[i].count_pages;
	return pages * 4096;
}

/* Grows by a sixteenth and something odd. */
static uint64_t next_budget(uint64_t b)
{
	return b + (b < MIB ? 4 * KIB + 1 : b / 16 + 7);
}

/* Does a ledger of this layout find room in an arena of layout_bytes? */
static int can_be_built(const struct layout *l, const struct ram *ram)
{
	struct ledger *ledger = malloc(sizeof(*ledger));
	size_t bytes = layout_bytes(l, ram) - l->ring_bytes -
		       l->symbols * sizeof(struct symbol) + PIECES * 63;
	void *memory = malloc(bytes);
	struct arena a;
	int error;

	if (!ledger || !memory)
		abort();
	arena_init(&a, memory, bytes);
	error = ledger_init(ledger, &a, l, ram);
	free(memory);
	free(ledger);
	return error == (ram->count ? 0 : -EINVAL);
}

static void test_shape(const struct shape *s)
{
	const struct layout nothing = { 0 };
	uint32_t too_much = 0, unbuilt = 0, refused = 0, odd = 0, n = 0;
	uint64_t largest_refused = 0;

	for (uint64_t b = 16 * KIB; b <= 64 * MIB; b = next_budget(b), n++) {
		struct layout l;
		int error = layout_divide(&l, &nothing, &s->ram, b, 0);

		odd += error && error != -ENOMEM;
		if (error) {
			refused++;
			largest_refused = b;
			continue;
		}
		too_much += layout_bytes(&l, &s->ram) > b;
		odd += !l.nodes || !l.owners || !l.tasks || !l.modules ||
		       !l.symbols || !l.pages_bytes || !l.ring_bytes;
		unbuilt += n % 4 == 0 && !can_be_built(&l, &s->ram);
	}
	tap_ok(n > 200 && refused < n, "%s: %u budgets, %u refused", s->name,
	       n, refused);
	tap_ok(!too_much, "%s: none is exceeded", s->name);
	tap_ok(!unbuilt, "%s: what is laid out can be built", s->name);
	tap_ok(!odd, "%s: every part gets something, or no memory", s->name);
	tap_ok(largest_refused < BUDGET_FLOOR_BYTES,
	       "%s: the floor of limits.h suffices (largest refused: %u)",
	       s->name, (unsigned int)largest_refused);
}

/* Tasks and modules as before; all else is given back. */
static void test_samples(const struct shape *s)
{
	const struct layout nothing = { 0 };
	uint32_t wrong = 0, unbuilt = 0, large = 0;

	for (uint64_t b = BUDGET_FLOOR_BYTES; b <= 64 * MIB;
	     b = next_budget(b)) {
		struct layout l, traced;

		wrong += layout_divide(&traced, &nothing, &s->ram, b, 0) != 0;
		l = traced;
		layout_for_samples(&l);
		wrong += l.tasks != traced.tasks || l.symbols != traced.symbols ||
			 l.modules != traced.modules || l.ring_bytes;
		large += layout_bytes(&l, &s->ram) > b * 3 / 8;
		unbuilt += !can_be_built(&l, &s->ram);
	}
	tap_ok(!wrong, "%s: samples: tasks and modules as traced", s->name);
	tap_ok(!large, "%s: samples: three eighths of the budget do", s->name);
	tap_ok(!unbuilt, "%s: samples: they can be built", s->name);
}

static void test_small(void)
{
	const struct layout nothing = { 0 };
	struct layout l;
	uint32_t wrong = 0;

	for (uint64_t b = 0; b < 16 * KIB; b++)
		wrong += layout_divide(&l, &nothing, &shapes[2].ram, b, 0) !=
			 -ENOMEM;
	tap_ok(!wrong, "less than 16 KiB is refused, byte by byte");
}

/* The one-CPU kdump guest that the design has in mind. */
static void test_default(void)
{
	const struct layout nothing = { 0 };
	const struct shape *s = &shapes[2];
	uint64_t budget = ram_bytes(&s->ram) / BUDGET_DIVISOR;
	struct layout l;

	tap_ok(layout_divide(&l, &nothing, &s->ram, budget, 0) == 0 &&
	       l.pages_bytes == pages_flat_bytes(&s->ram),
	       "the default budget holds all of RAM flat");
	tap_ok(layout_divide(&l, &nothing, &shapes[5].ram,
			     BUDGET_CEILING_BYTES, 0) == 0 &&
	       l.pages_bytes == BUDGET_CEILING_BYTES / 2,
	       "where flat does not fit half of it, a hash gets that half");
}

/* A kernel that does not preempt: rings as large as usual or larger, a power of
 * two each; no table is larger than usual. */
static void test_large_rings(const struct shape *s)
{
	const struct layout nothing = { 0 };
	uint32_t wrong = 0, larger = 0;

	for (uint64_t b = 16 * KIB; b <= 64 * MIB; b = next_budget(b))
		for (uint32_t rings = 1; rings <= 64; rings *= 4) {
			struct layout l, usual;
			uint64_t each;

			if (layout_divide(&l, &nothing, &s->ram, b, rings) ||
			    layout_divide(&usual, &nothing, &s->ram, b, 0))
				continue;
			each = l.ring_bytes / rings;
			wrong += layout_bytes(&l, &s->ram) > b ||
				 l.nodes > usual.nodes ||
				 l.ring_bytes % rings || (each & (each - 1)) ||
				 each * 2 * rings <= usual.ring_bytes;
			larger += l.ring_bytes > usual.ring_bytes;
		}
	tap_ok(!wrong && larger, "%s: without preemption rings are larger, "
	       "and the budget is not exceeded: %u", s->name, larger);
}

/* The guest of tests/boot/nopreempt.t: 5,000 records in one system call. */
static void test_call_that_fills_rings(void)
{
	const struct layout nothing = { 0 };
	const struct ram ram = { { { 1, 158 }, { 256, PAGES(299) } }, 2 };
	struct layout l;

	for (uint32_t rings = 1; rings <= 4; rings *= 2)
		tap_ok(!layout_divide(&l, &nothing, &ram, 2000 * KIB, rings) &&
		       l.ring_bytes == MIB, "300 MiB: %u rings share 1 MiB",
		       rings);
}

static void test_overrides(const struct shape *s)
{
	static const struct layout wants[] = {
		{ .pages_bytes = 123457 }, { .pages_bytes = 1 << 20 },
		{ .nodes = 600 }, { .nodes = 70001 },
		{ .tasks = 17 }, { .tasks = 3001 },
		{ .modules = 3 }, { .modules = 333 },
		{ .ring_bytes = 65536 }, { .ring_bytes = 1 << 20 },
		{ 200000, 4000, 9000, 400, 99, 55, 1 << 17, 0, 0, 0 },
	};
	uint32_t lost = 0, refused = 0;

	for (size_t i = 0; i < ARRAY_LEN(wants); i++) {
		const struct layout *w = &wants[i];
		struct layout l;

		for (uint64_t b = 768 * KIB; b < 40 * MIB; b += b / 3) {
			int error = layout_divide(&l, w, &s->ram, b, 0);

			refused += error && error != -EINVAL;
			lost += (w->pages_bytes &&
				 l.pages_bytes != w->pages_bytes) ||
				(w->nodes && l.nodes != w->nodes) ||
				(w->owners && l.owners != w->owners) ||
				(w->tasks && l.tasks != w->tasks) ||
				(w->modules && l.modules != w->modules) ||
				(w->symbols && l.symbols != w->symbols) ||
				(w->ring_bytes &&
				 l.ring_bytes != w->ring_bytes);
			if (!error && s->ram.count && b < 4 * MIB &&
			    !can_be_built(&l, &s->ram))
				lost++;
		}
	}
	tap_ok(!lost, "%s: what was asked for is kept", s->name);
	tap_ok(!refused, "%s: and the budget no reason to refuse it: %u",
	       s->name, refused);
}

static void test_impossible(void)
{
	const struct layout more_modules = { .modules = 5000, .nodes = 5000 };
	const struct layout more_tasks = { .tasks = 900, .owners = 900 };
	struct layout l;

	tap_ok(layout_divide(&l, &more_modules, &shapes[3].ram, 4 * MIB, 0) ==
	       -EINVAL, "every module needs a node");
	tap_ok(layout_divide(&l, &more_tasks, &shapes[3].ram, 4 * MIB, 0) ==
	       -EINVAL, "and every task an owner");
	tap_ok(sizeof(struct symbol) == 64, "a symbol is 64 bytes");
}

int main(void)
{
	test_small();
	for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
		test_shape(&shapes[i]);
		test_samples(&shapes[i]);
		test_overrides(&shapes[i]);
		test_large_rings(&shapes[i]);
	}
	test_default();
	test_call_that_fills_rings();
	test_impossible();
	return tap_plan_done();
}
