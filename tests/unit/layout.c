/* SPDX-License-Identifier: MIT */
/*
 * ledger/layout.c: whatever the budget and the shape of RAM, the parts fit in
 * it or it is refused; what was asked for is kept; what is laid out can be
 * built.
 */
#include "ledger/ledger.h"
#include "limits.h"
#include "report/report.h"
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

static int divide(struct layout *l, const struct shape *s, uint64_t bytes,
		  uint32_t rings)
{
	const struct layout_rings r = { rings, RINGS_MOST_UNPREEMPTED };

	return layout_divide(l, &(struct layout){ 0 }, &s->ram, bytes,
			     rings ? &r : NULL);
}

/* Does a ledger of this layout find room in an arena of layout_bytes, and take
 * all of it, but for pages that need less? */
static int can_be_built(const struct layout *l, const struct ram *ram)
{
	static struct ledger ledger;
	size_t needed = layout_bytes(l, ram) - l->ring_bytes -
			l->symbols * sizeof(struct symbol);
	size_t bytes = needed + PIECES * 63;
	void *memory = malloc(bytes);
	struct arena a;
	int error;

	must(memory != NULL);
	arena_init(&a, memory, bytes);
	error = ledger_init(&ledger, &a, l, ram);
	free(memory);
	return error == (ram->count ? 0 : -EINVAL) &&
	       (error || a.used_bytes >= needed - l->pages_bytes +
		(ledger.pages.flat ? pages_flat_bytes(ram) : 0));
}

/* Tasks and modules as traced; three eighths of the budget do for all. */
static int fits_sampled(const struct layout *traced, const struct shape *s,
			uint64_t budget_bytes)
{
	struct layout l = *traced;

	layout_for_samples(&l);
	return l.tasks == traced->tasks && l.symbols == traced->symbols &&
	       l.modules == traced->modules && !l.ring_bytes &&
	       layout_bytes(&l, &s->ram) <= budget_bytes * 3 / 8 &&
	       can_be_built(&l, &s->ram);
}

/* A kernel that does not preempt: rings as large as usual or larger, a power of
 * two each; no table is larger than usual. */
static int has_rings(const struct layout *l, const struct layout *usual,
		     uint32_t rings)
{
	const uint64_t each = l->ring_bytes / rings;

	return l->nodes <= usual->nodes && l->ring_bytes % rings == 0 &&
	       (each & (each - 1)) == 0 &&
	       each * 2 * rings > usual->ring_bytes;
}

static void test_shape(const struct shape *s)
{
	uint32_t too_much = 0, unbuilt = 0, refused = 0, odd = 0, n = 0;
	uint32_t unsampled = 0, bad_rings = 0, larger = 0;
	uint64_t largest_refused = 0;

	for (uint64_t b = 16 * KIB; b <= 64 * MIB;
	     b += b < MIB ? 4 * KIB + 1 : b / 16 + 7, n++) {
		struct layout l, ringed;
		int error = divide(&l, s, b, 0);

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
		unsampled += b >= BUDGET_FLOOR_BYTES && !fits_sampled(&l, s, b);
		for (uint32_t rings = 1; rings <= 64; rings *= 4) {
			if (divide(&ringed, s, b, rings))
				continue;
			too_much += layout_bytes(&ringed, &s->ram) > b;
			bad_rings += !has_rings(&ringed, &l, rings);
			larger += ringed.ring_bytes > l.ring_bytes;
		}
	}
	tap_ok(n > 200 && largest_refused < BUDGET_FLOOR_BYTES,
	       "%s: of %u budgets, %u below the floor of limits.h are refused",
	       s->name, n, refused);
	tap_ok(!too_much, "%s: none is exceeded", s->name);
	tap_ok(!unbuilt, "%s: what is laid out can be built", s->name);
	tap_ok(!odd, "%s: every part gets something, or no memory", s->name);
	tap_ok(!unsampled, "%s: samples do with less", s->name);
	tap_ok(!bad_rings && larger, "%s: without preemption rings are larger: "
	       "%u", s->name, larger);
}

/* What the least budget, the defaults and the ceiling are enough for. */
static void test_budgets(void)
{
	const struct shape *kdump = &shapes[2], *large = &shapes[5];
	const uint64_t flat_bytes = pages_flat_bytes(&kdump->ram);
	struct layout l;
	uint32_t wrong = 0;

	for (uint64_t b = 0; b < 16 * KIB; b++)
		wrong += divide(&l, kdump, b, 0) != -ENOMEM;
	tap_ok(!wrong, "less than 16 KiB is refused, byte by byte");
	tap_ok(!divide(&l, kdump, flat_bytes * 1024 / BUDGET_DIVISOR, 0) &&
	       l.pages_bytes >= flat_bytes &&
	       l.pages_bytes < flat_bytes + 4096 && !(l.pages_bytes % 4096),
	       "the default budget, of 1024 times that, holds all of RAM flat");
	tap_ok(!divide(&l, large, BUDGET_CEILING_BYTES, 0) &&
	       l.pages_bytes == BUDGET_CEILING_BYTES / 2,
	       "where flat does not fit half of it, a hash gets that half");
	for (size_t i = 0; i < ARRAY_LEN(shapes); i++)
		tap_ok(!divide(&l, &shapes[i], BUDGET_FLOOR_BYTES, 0) &&
		       fits_sampled(&l, &shapes[i], BUDGET_FLOOR_BYTES),
		       "%s: the floor suffices", shapes[i].name);
}

/* The guest of tests/boot/ram.t: 5,000 records in one system call. */
static void test_call_that_fills_rings(void)
{
	static const struct shape s = {
		"300 MiB", { { { 1, 158 }, { 256, PAGES(299) } }, 2 },
	};
	struct layout l;

	for (uint32_t rings = 1; rings <= 4; rings *= 2)
		tap_ok(!divide(&l, &s, 2000 * KIB, rings) &&
		       l.ring_bytes == MIB, "%s: %u rings share 1 MiB", s.name,
		       rings);
}

/* A kernel that preempts: no ring is smaller than by the usual share, some are
 * twice as large, and each table has three quarters of its usual rows. */
static void test_rounding_up(void)
{
	const struct shape *s = &shapes[3];
	uint32_t smaller = 0, larger = 0, short_tables = 0;

	for (uint64_t b = BUDGET_FLOOR_BYTES; b < 32 * MIB; b += 64 * KIB)
		for (uint32_t cpus = 1; cpus <= 32; cpus *= 2) {
			const struct layout_rings r = { cpus, RINGS_MOST };
			struct layout usual, l;
			uint64_t each = 1;

			if (divide(&usual, s, b, 0) ||
			    layout_divide(&l, &(struct layout){ 0 }, &s->ram,
					  b, &r))
				continue;
			while (each * 2 * cpus <= usual.ring_bytes)
				each *= 2;
			smaller += l.ring_bytes < each * cpus;
			larger += l.ring_bytes == 2 * each * cpus;
			short_tables += l.nodes * 4 < usual.nodes * 3 ||
					l.tasks * 4 < usual.tasks * 3;
		}
	tap_ok(!smaller && larger > 100 && !short_tables,
	       "where the kernel preempts, %u times rings are rounded up",
	       larger);
}

static int is_kept(uint64_t asked, uint64_t got)
{
	return !asked || got == asked;
}

static int are_kept(const struct layout *w, const struct layout *l)
{
	return is_kept(w->pages_bytes, l->pages_bytes) &&
	       is_kept(w->nodes, l->nodes) && is_kept(w->owners, l->owners) &&
	       is_kept(w->tasks, l->tasks) && is_kept(w->modules, l->modules) &&
	       is_kept(w->symbols, l->symbols) &&
	       is_kept(w->ring_bytes, l->ring_bytes);
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

	for (size_t i = 0; i < ARRAY_LEN(wants); i++)
		for (uint64_t b = 768 * KIB; b < 40 * MIB; b += b / 3) {
			struct layout l;
			int error = layout_divide(&l, &wants[i], &s->ram, b,
						  NULL);

			refused += error && error != -EINVAL;
			lost += !are_kept(&wants[i], &l) ||
				(!error && s->ram.count && b < 4 * MIB &&
				 !can_be_built(&l, &s->ram));
		}
	tap_ok(!lost, "%s: what was asked for is kept", s->name);
	tap_ok(!refused, "%s: and the budget no reason to refuse it: %u",
	       s->name, refused);
}

static void test_flat_beside(void)
{
	static const struct {
		uint64_t ram_mib, online_mib, bytes;
		const char *name;
	} t[] = {
		{ 16384, 16384, 0, "16 GiB: half of the budget has room" },
		{ 16400, 16400, 4 * PAGES(16400), "more: besides the budget" },
		{ 65536, 65536, 4 * PAGES(65536), "up to 64 GiB" },
		{ 65537, 65537, 0, "more than 64 GiB: a hash" },
		{ 2304, 256, 4 * PAGES(2304), "2 GiB offline beside 256 MiB" },
		{ 20480, 256, 0, "20 GiB offline are too many for 256 MiB" },
		{ 256, 256, 0, "a small machine: its share has room" },
	};

	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		const struct ram ram = { { { 0, PAGES(t[i].ram_mib) } }, 1 };

		tap_ok(layout_flat_beside(&ram, t[i].online_mib * MIB, 4096) ==
		       t[i].bytes, "%s", t[i].name);
	}
}

static void test_impossible(void)
{
	const struct layout more_modules = { .modules = 5000, .nodes = 5000 };
	const struct layout more_tasks = { .tasks = 900, .owners = 900 };
	const struct layout plain = { .pages_bytes = MIB };
	const struct layout history = { .pages_bytes = MIB, .history = 1 };
	struct layout l, drawn;

	tap_ok(layout_divide(&l, &more_modules, &shapes[3].ram, 4 * MIB, NULL) ==
	       -EINVAL, "every module needs a node");
	tap_ok(layout_divide(&l, &more_tasks, &shapes[3].ram, 4 * MIB, NULL) ==
	       -EINVAL, "and every task an owner");
	layout_divide(&l, &plain, &shapes[3].ram, 9 * MIB, NULL);
	layout_divide(&drawn, &history, &shapes[3].ram,
		      9 * MIB + history_bytes(0, 0), 0);
	tap_ok(drawn.nodes == l.nodes && drawn.modules < l.modules &&
	       drawn.tasks < l.tasks, "a history is of modules and of tasks");
	tap_ok(sizeof(struct symbol) == 64, "a symbol is 64 bytes");
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
		test_shape(&shapes[i]);
		test_overrides(&shapes[i]);
	}
	test_budgets();
	test_call_that_fills_rings();
	test_rounding_up();
	test_flat_beside();
	test_impossible();
	return tap_plan_done();
}
