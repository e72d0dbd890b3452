/* SPDX-License-Identifier: MIT */
/*
 * ledger/modules.c: rows that are used again when a module is gone and holds
 * nothing, and ranges of text that never overlap.
 */
#include "arena_fixture.h"
#include "ledger/modules.h"
#include "random.h"
#include "tap.h"

static struct modules *fresh(uint32_t rows)
{
	static struct modules m;

	memset(&m, 0, sizeof(m));
	must(!modules_init(&m, arena_fresh(ARENA_BYTES), rows));
	return &m;
}

static uint32_t take(struct modules *m, const char *name,
		     uint16_t state, uint32_t peak)
{
	int recycled;
	const uint32_t row = modules_take(m, &recycled);

	m->row[row] = (struct module){ .state = state, .pages.peak = peak };
	strcpy(m->row[row].name, name);
	return row;
}

static void test_rows(void)
{
	struct modules *m = fresh(MODULES_FIXED + 4);
	char longest[MODULE_NAME_BYTES] = "";
	struct arena *arena;
	uint32_t a, b;

	tap_ok(!strcmp(m->row[MODULE_NONE].name, "(no module)") &&
	       !strcmp(m->row[MODULE_OTHER].name, "(other)") &&
	       !modules_find(m, "(other)") && !modules_find(m, ""),
	       "the fixed rows have names, and are no modules");
	memset(longest, 'x', sizeof(longest) - 1);
	a = take(m, longest, MODULE_LIVE, 0);
	tap_ok(modules_find(m, longest) == a, "the longest name");
	a = take(m, "ext4", MODULE_LIVE, 0);
	b = take(m, "ext", MODULE_LIVE, 0);
	tap_ok(modules_find(m, "ext4") == a && modules_find(m, "ext") == b &&
	       !modules_find(m, "ext3") && !modules_find(m, "ext44"),
	       "a module is found by its whole name");
	m->row[a].state = MODULE_GONE;
	m->row[b].state = MODULE_LOADING;
	tap_ok(!modules_find(m, "ext4") && !modules_find(m, "ext"),
	       "not when it is gone, nor before it is there");
	arena = arena_fresh(ARENA_BYTES);
	tap_ok(!modules_init(m, arena, 40) &&
	       arena_took(arena, modules_bytes(40), 2),
	       "modules_bytes tells what it takes");
	tap_ok(modules_init(m, arena, MODULES_FIXED) == -EINVAL &&
	       modules_init(m, arena_fresh(256), 40) == -ENOMEM,
	       "no row beside the fixed ones, and no room");
}

static void test_recycle(void)
{
	struct modules *m = fresh(MODULES_FIXED + 5);
	uint32_t live, small, held, failed;
	int recycled;

	live = take(m, "live", MODULE_LIVE, 1);
	take(m, "large", MODULE_GONE, 9);
	small = take(m, "small", MODULE_GONE, 5);
	held = take(m, "held", MODULE_GONE, 2);
	m->row[held].pages.now = 1;
	failed = take(m, "failed", MODULE_FAILED, 6);
	modules_add_range(m, live, 0x1000, 0x1000, 0);
	modules_add_range(m, small, 0x3000, 0x1000, 0);
	modules_add_range(m, small, 0x5000, 0x1000, 1);
	tap_ok(modules_take(m, &recycled) == small && recycled &&
	       m->recycled == 1 && m->recycled_peak == 5,
	       "gone, holding nothing, smallest peak: used again");
	tap_ok(!modules_at(m, 0x3000) && !modules_at(m, 0x5000) &&
	       modules_at(m, 0x1000) == live && m->ranges == 1,
	       "its ranges go with it, no other");
	m->row[small].state = MODULE_LOADING;
	tap_ok(modules_take(m, &recycled) == failed && recycled &&
	       m->recycled_peak == 6, "then the failed load");
	m->row[failed].state = MODULE_LIVE;
	m->row[MODULES_FIXED + 1].pages.now = 1;
	tap_ok(modules_take(m, &recycled) == MODULE_OTHER && !recycled &&
	       m->full == 1 && m->row[live].state == MODULE_LIVE &&
	       m->row[live].pages.peak,
	       "loading, live and holding ones stay as they were");
}

static int at(const struct modules *m, uint64_t addr, uint32_t row)
{
	return modules_at(m, addr) == row;
}

static void test_ranges(void)
{
	struct modules *m = fresh(16);
	uint32_t a = take(m, "a", MODULE_LIVE, 0);
	uint32_t b = take(m, "b", MODULE_LIVE, 0);

	tap_ok(at(m, 0, 0) && at(m, UINT64_MAX, 0), "no range, no module");
	modules_add_range(m, b, 0x4000, 0x1000, 0);
	modules_add_range(m, a, 0x1000, 0x1000, 0);
	tap_ok(!modules_range_at(m, 0xfff) && !modules_range_at(m, 0x2000) &&
	       modules_range_at(m, 0x1fff)->base == 0x1000 &&
	       modules_range_at(m, 0x4000)->row == b, "which range it is");
	tap_ok(modules_range_end(m, 0x800, 0x1800) == 0x1000 &&
	       modules_range_end(m, 0x800, 0x1000) == 0x1000 &&
	       modules_range_end(m, 0x1000, 0x4001) == 0x4000 &&
	       modules_range_end(m, 0x4000, 0x9000) == 0x9000,
	       "a new one would end where the next core begins");
	modules_add_range(m, a, 0x8000, 0, 0);
	modules_add_range(m, a, UINT64_MAX - 1, 9, 0);
	modules_add_range(m, a, UINT64_MAX - 10, 10, 0);
	tap_ok(m->ranges == 3 && at(m, UINT64_MAX - 1, a) &&
	       at(m, UINT64_MAX, 0), "an empty range and one that wraps are "
	       "none; the top of memory");
}

static void test_ranges_full(void)
{
	struct modules *m = fresh(MODULES_FIXED + 1);
	uint32_t a = take(m, "a", MODULE_LIVE, 0);

	for (uint32_t i = 0; i < m->ranges_capacity; i++)
		modules_add_range(m, a, 0x1000 * (i + 1), 0x100, 0);
	tap_ok(m->ranges == m->ranges_capacity && !m->ranges_full,
	       "as many as there is room for");
	modules_add_range(m, a, 0x800, 0x100, 0);
	tap_ok(m->ranges == m->ranges_capacity && m->ranges_full == 1 &&
	       at(m, 0x800, 0) && at(m, 0x1000, a),
	       "one more is counted, not kept; the others stay");
}

/* Random ranges against an owner for each byte, painted by the same rules. */
#define SPAN 512u

static struct cell {
	uint32_t row, base, init;	/* of the range that it is in */
} cells[SPAN];

static void paint(const struct modules *m, const struct cell *new, uint32_t end)
{
	for (uint32_t i = new->base + 1; i < end; i++)
		if (cells[i].base == i && !cells[i].init &&
		    m->row[cells[i].row].state == MODULE_LIVE)
			end = i;
	for (uint32_t i = 0; i < SPAN; i++) {
		struct cell *c = &cells[i];

		/* A range that starts inside goes, one before it ends here. */
		if (i >= new->base && i < end)
			*c = *new;
		else if (c->base >= new->base ? c->base < end : i >= new->base)
			*c = (struct cell){ 0 };
	}
}

static int well_formed(const struct modules *m)
{
	for (uint32_t i = 0; i < m->ranges; i++)
		if (m->range[i].base >= m->range[i].end ||
		    (i && m->range[i - 1].end > m->range[i].base))
			return 0;
	return 1;
}

static void test_random(uint64_t seed)
{
	struct modules *m = fresh(200);
	struct random r = { seed };
	uint32_t i, wrong = 0;

	memset(cells, 0, sizeof(cells));
	for (i = 0; i < 8; i++)
		take(m, "m", i < 5 ? MODULE_LIVE : MODULE_GONE, 0);
	for (i = 0; i < 3000 && !wrong; i++) {
		const struct cell new = {
			.row = MODULES_FIXED + random_below(&r, 8),
			.base = random_below(&r, SPAN - 40),
			.init = random_below(&r, 2) * 4,
		};
		uint32_t size = 1 + random_below(&r, 40);

		modules_add_range(m, new.row, new.base, size, new.init);
		paint(m, &new, new.base + size);
		for (uint32_t k = 0; k < SPAN; k++)
			wrong += modules_at(m, k) != cells[k].row;
		wrong += !well_formed(m);
	}
	tap_ok(!wrong && !m->ranges_full, "seed %u: %u random ranges",
	       (unsigned int)seed, i);
}

int main(void)
{
	test_rows();
	test_recycle();
	test_ranges();
	test_ranges_full();
	for (uint64_t seed = 1; seed <= 4; seed++)
		test_random(seed);
	return tap_plan_done();
}
