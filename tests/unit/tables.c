/* SPDX-License-Identifier: MIT */
/*
 * The tables of ledger/: their room; and what no report shows.
 *
 * owners.c: owners that hold nothing make room for others, small ones first.
 * idle.c: the rows that may go.
 * stacks.c: the cache of chains. modules.c: rows that are used again when a
 * module is gone and holds nothing, and where ranges of text end. All else of them, and of tasks.c, is shown by tests/replay/cases.t,
 * and by random.t, which compares many rows, in tables that are too small too, with
 * a model.
 *
 * report/symbols.c: the table of addresses, and names from a trace. Those from
 * kallsyms: tests/fuzz/texts.c.
 */
#include "exact.h"
#include "ledger/tables.h"
#include "limits.h"
#include "report/report.h"
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

static void test_owners(void)
{
	struct owners *o = owners_fresh(4);
	struct arena *a;
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < TASKS; i++)
		wrong += o->row[i].task != i || o->row[i].leaf ||
			 o->row[i].now;
	tap_ok(!wrong, "every task row has an owner without a stack");
	a = arena_fresh(ARENA_BYTES);
	tap_ok(!owners_init(o, a, TASKS, 64) &&
	       arena_took(a, owners_bytes(64), 3),
	       "owners_bytes tells what they take");
	tap_ok(tasks_init(&tasks, a, TASKS_FIXED) == -EINVAL,
	       "tasks: no row beside the fixed ones");
	tap_ok(owners_init(o, a, TASKS, TASKS) == -EINVAL &&
	       owners_init(o, arena_fresh(128), TASKS, 64) == -ENOMEM,
	       "there must be one beside them, and room");
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

static void test_stacks(void)
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

/* --- modules.c --- */

static struct modules *modules_fresh(uint32_t rows)
{
	static struct modules m;

	memset(&m, 0, sizeof(m));
	must(!modules_init(&m, arena_fresh(ARENA_BYTES), rows));
	return &m;
}

static uint32_t take(struct modules *m, const char *name,
		     uint8_t state, uint32_t peak)
{
	int recycled;
	const uint32_t row = modules_take(m, &recycled);

	m->row[row] = (struct module){ .state = state, .held_peak = peak };
	strcpy(m->row[row].name, name);
	modules_note_idle(m, row);
	return row;
}

static void test_modules(void)
{
	struct modules *m = modules_fresh(MODULES_FIXED + 4);
	struct arena *arena;

	tap_ok(!modules_find(m, "(other)") && !modules_find(m, ""),
	       "the fixed rows are no modules");
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
	struct modules *m = modules_fresh(MODULES_FIXED + 5);
	uint32_t live, small, held, failed;
	int recycled;

	live = take(m, "live", MODULE_LIVE, 1);
	take(m, "large", MODULE_GONE, 9);
	small = take(m, "small", MODULE_GONE, 5);
	held = take(m, "held", MODULE_GONE, 2);
	m->row[held].pages.now = 1;
	modules_note_idle(m, held);
	failed = take(m, "failed", MODULE_FAILED, 6);
	modules_add_range(m, live, 0x1000, 0x1000, 0);
	modules_add_range(m, small, 0x3000, 0x1000, 0);
	modules_add_range(m, small, 0x5000, 0x1000, 1);
	tap_ok(modules_take(m, &recycled) == small && recycled &&
	       m->idle.recycled == 1 && m->idle.recycled_peak == 5,
	       "gone, holding nothing, smallest peak: used again");
	tap_ok(!modules_at(m, 0x3000) && !modules_at(m, 0x5000) &&
	       modules_at(m, 0x1000) == live && m->ranges == 1,
	       "its ranges go with it, no other");
	m->row[small].state = MODULE_LOADING;
	tap_ok(modules_take(m, &recycled) == failed && recycled &&
	       m->idle.recycled_peak == 6, "then the failed load");
	m->row[failed].state = MODULE_LIVE;
	m->row[MODULES_FIXED + 1].pages.now = 1;
	modules_note_idle(m, MODULES_FIXED + 1);
	tap_ok(modules_take(m, &recycled) == MODULE_OTHER && !recycled &&
	       m->full == 1 && m->row[live].state == MODULE_LIVE &&
	       m->row[live].held_peak,
	       "loading, live and holding ones stay as they were");
}

static int at(const struct modules *m, uint64_t addr, uint32_t row)
{
	return modules_at(m, addr) == row;
}

static void test_ranges(void)
{
	struct modules *m = modules_fresh(16);
	uint32_t a = take(m, "", MODULE_LIVE, 0);
	uint32_t b = take(m, "", MODULE_LIVE, 0);

	modules_add_range(m, b, 0x4000, 0x1000, 0);
	modules_add_range(m, a, 0x1000, 0x1000, 0);
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
	struct modules *m = modules_fresh(MODULES_FIXED + 1);
	uint32_t a = take(m, "", MODULE_LIVE, 0);

	for (uint32_t i = 0; i < m->ranges_capacity; i++)
		modules_add_range(m, a, 0x1000 * (i + 1), 0x100, 0);
	tap_ok(m->ranges == m->ranges_capacity && !m->ranges_full,
	       "as many as there is room for");
	modules_add_range(m, a, 0x800, 0x100, 0);
	tap_ok(m->ranges == m->ranges_capacity && m->ranges_full == 1 &&
	       at(m, 0x800, 0) && at(m, 0x1000, a),
	       "one more is counted, not kept; the others stay");
}

/* --- report/symbols.c --- */

#define ROWS 16

static struct symbols table;

/* A table that asks for these addresses, the last one 0; sorted. */
static void ask(const uint64_t *addrs)
{
	table = (struct symbols){ .used = 0 };
	must(!symbols_init(&table, arena_fresh(ARENA_BYTES), ROWS));
	for (; *addrs; addrs++)
		symbols_add(&table, *addrs);
	symbols_sort(&table);
}

static int is(uint64_t addr, uint64_t start, const char *name)
{
	const struct symbol *found = symbols_find(&table, addr);

	return found && found->addr == addr && found->start == start &&
	       !strcmp(found->name, name);
}

static void test_find(void)
{
	struct symbols *s = &table;

	ask((const uint64_t[]){ 0x2000, 0x1000, 0x3000, 0 });
	tap_ok(!symbols_find(s, 0x1001) && !symbols_find(s, 0) &&
	       !symbols_find(s, 0xfff) && !symbols_find(s, UINT64_MAX),
	       "an address never asked for is not found");
	symbols_clear(s);
	symbols_add(s, 0x1000);
	tap_ok(!symbols_find(s, 0x1000), "nothing is found before the sort");
	symbols_sort(s);
	tap_ok(s->used == 1 && is(0x1000, 0, ""), "a cleared table is new");
	symbols_clear(s);
	symbols_sort(s);
	tap_ok(!symbols_find(s, 0x1000), "nothing is found in an empty table");
	symbols_line(s, "1000 t name", 11);
	tap_ok(s->used == 0, "an empty table takes nothing");
}

static void test_symbols_full(void)
{
	struct symbols *s = &table;
	struct arena none = { 0 };
	int all = 1;

	ask((const uint64_t[]){ 0 });
	symbols_clear(s);
	for (uint64_t addr = 1; addr <= 20; addr++)
		symbols_add(s, addr * 0x1000);
	symbols_add(s, 0x1000);
	tap_ok(s->used == s->capacity && s->capacity == 14 && s->full == 6,
	       "a full table holds its capacity; what found no room is "
	       "counted: %llu", (unsigned long long)s->full);
	symbols_sort(s);
	for (uint64_t addr = 1; addr <= 14; addr++)
		all &= symbols_find(s, addr * 0x1000) != NULL;
	tap_ok(all, "what found room is there");
	symbols_add(s, 0x999000);
	tap_ok(s->used == 14, "nothing is added after the sort");
	tap_ok(symbols_init(s, &none, 1000) == -ENOMEM, "no room");
}

static void test_set(void)
{
	struct symbols *s = &table;

	ask((const uint64_t[]){ 0 });
	symbols_clear(s);
	symbols_add(s, 0x1010);
	symbols_add(s, 0x1020);
	symbols_set(s, 0x1010, 0x1000, "known_name", 5);
	symbols_set(s, 0x3010, 0x3000, "other", 5);
	symbols_set(s, 0x4010, 0x4010, "not_below", 9);
	symbols_set(s, 0, 0, "nothing", 7);
	symbols_sort(s);
	tap_ok(is(0x1010, 0x1000, "known") && is(0x1020, 0, ""),
	       "a name from a trace; its neighbour has none");
	tap_ok(is(0x3010, 0x3000, "other"), "one that was not added");
	tap_ok(is(0x4010, 0, ""), "a function cannot start behind it");
}

int main(void)
{
	test_owners();
	test_choice();
	test_idle();
	test_stacks();
	test_cache();
	test_modules();
	test_recycle();
	test_ranges();
	test_ranges_full();
	test_find();
	test_symbols_full();
	test_set();
	return tap_plan_done();
}
