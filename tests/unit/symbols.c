/* SPDX-License-Identifier: MIT */
/*
 * report/symbols.c: the table of addresses, and names from a trace. Those from
 * kallsyms: tests/fuzz/texts.c.
 */
#include "limits.h"
#include "report/report.h"
#include "tap.h"

#define ROWS 16

static _Alignas(64) unsigned char memory[ROWS * sizeof(struct symbol) + 128];
static struct symbols table;

/* A table that asks for these addresses, the last one 0; sorted. */
static void ask(const uint64_t *addrs)
{
	struct arena arena;

	memset(memory, 0, sizeof(memory));
	arena_init(&arena, memory, sizeof(memory));
	table = (struct symbols){ .used = 0 };
	must(!symbols_init(&table, &arena, ROWS));
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

static void test_full(void)
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
	test_find();
	test_full();
	test_set();
	return tap_plan_done();
}
