/* SPDX-License-Identifier: MIT */
/*
 * ledger/modules.c: rows that are used again when a module is gone and holds
 * nothing, and ranges of text. That those never overlap: tests/replay/random.t.
 */
#include "arena_fixture.h"
#include "ledger/modules.h"
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
	modules_add_range(m, b, 0x800, 0x1800, 1);
	tap_ok(at(m, 0xfff, b) && at(m, 0x1000, a) && m->ranges == 3,
	       "and so it does");
	modules_add_range(m, a, 0x6000, 0x1000, 1);
	modules_add_range(m, b, 0x6000, 0x800, 1);
	modules_add_range(m, a, 0x5800, 0x800, 1);
	tap_ok(at(m, 0x6000, b) && !modules_range_at(m, 0x6800) &&
	       at(m, 0x5fff, a) && m->ranges == 5,
	       "one begins where another did, one ends there");
	modules_add_range(m, a, 0x8000, 0, 0);
	modules_add_range(m, a, UINT64_MAX - 1, 9, 0);
	modules_add_range(m, a, UINT64_MAX - 10, 10, 0);
	tap_ok(m->ranges == 6 && at(m, UINT64_MAX - 1, a) &&
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

int main(void)
{
	test_rows();
	test_recycle();
	test_ranges();
	test_ranges_full();
	return tap_plan_done();
}
