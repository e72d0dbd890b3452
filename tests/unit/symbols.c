/* SPDX-License-Identifier: MIT */
/*
 * report/symbols.c: which name an address gets, from kallsyms in whatever
 * order its lines come, from a trace, or from nowhere. Odd lines:
 * tests/fuzz/kallsyms.c.
 */
#include "exact.h"
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

/* Each line from a buffer of its size, so that one byte too many is seen. */
static void feed(const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		char *line = exact(text, len);

		symbols_line(&table, line, len);
		free(line);
		text += len + (text[len] == '\n');
	}
	symbols_finish(&table);
}

static int is(uint64_t addr, uint64_t start, const char *name)
{
	const struct symbol *found = symbols_find(&table, addr);

	return found && found->addr == addr && found->start == start &&
	       !strcmp(found->name, name);
}

static const char listing[] =
	"ffffffff81000300 t third\n"
	"ffffffff81000100 T first\n"
	"ffffffff81000100 T first_alias\n"
	"ffffffff81000200 W second\n"
	"ffffffff81000240 d data_in_between\n"
	"ffffffff81000240 t $a\n"
	"ffffffff81000248 t .L17\n"
	"ffffffff810002f0 t __pfx_third\n"
	"ffffffff81000400 t __kretprobe_trampoline\n"
	"ffffffffc0000010 t in_module\t[some_mod]\n";

/* Of aliases, the first; neither data between functions nor a mark in one is a
 * function. An address is returned to: the byte after a function is that
 * function's. Padding in front of one (__pfx_) has no name. */
static void test_names(void)
{
	static const struct { uint64_t addr, start; const char *name; } t[] = {
		{ 0xffffffff810000ff, 0, "" },
		{ 0xffffffff81000110, 0xffffffff81000100, "first" },
		{ 0xffffffff81000130, 0xffffffff81000100, "first" },
		{ 0xffffffff81000200, 0xffffffff81000100, "first" },
		{ 0xffffffff81000201, 0xffffffff81000200, "second" },
		{ 0xffffffff81000250, 0xffffffff81000200, "second" },
		{ 0xffffffff810002f5, 0xffffffff81000200, "second" },
		{ 0xffffffff81000310, 0xffffffff81000300, "third" },
		/* Where a kretprobe lets a function return to. */
		{ 0xffffffff81000400, 0xffffffff810003ff,
		  "__kretprobe_trampoline" },
		{ 0xffffffffc0000020, 0xffffffffc0000010,
		  "in_module [some_mod]" },
	};
	uint64_t addrs[2 * ARRAY_LEN(t) + 1] = { 0 };

	for (size_t i = 0; i < 2 * ARRAY_LEN(t); i++)
		addrs[i] = t[i * 7 % ARRAY_LEN(t)].addr;
	ask(addrs);
	feed(listing);
	tap_ok(table.used == ARRAY_LEN(t) && !table.full,
	       "repeated addresses are one");
	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		tap_ok(is(t[i].addr, t[i].start, t[i].name), "%llx: '%s'",
		       (unsigned long long)t[i].addr, t[i].name);
}

static void test_find(void)
{
	struct symbols *s = &table;

	ask((const uint64_t[]){ 0x2000, 0x1000, 0x3000, 0 });
	tap_ok(!symbols_find(s, 0x1001) && !symbols_find(s, 0) &&
	       !symbols_find(s, 0xfff) && !symbols_find(s, UINT64_MAX),
	       "an address never asked for is not found");
	tap_ok(s->row[0].addr == 0x1000 && s->row[1].addr == 0x2000 &&
	       s->row[2].addr == 0x3000, "rows are in order of address");
	symbols_clear(s);
	symbols_add(s, 0x1000);
	tap_ok(!symbols_find(s, 0x1000), "nothing is found before the sort");
	symbols_sort(s);
	tap_ok(s->used == 1 && is(0x1000, 0, ""), "a cleared table is new");
	symbols_clear(s);
	symbols_sort(s);
	tap_ok(!symbols_find(s, 0x1000), "nothing is found in an empty table");
	feed(listing);
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

static void test_lengths(void)
{
	const char *n47 = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTU";
	char text[5000];

	snprintf(text, sizeof(text), "0000000000001000 T %sVW\n"
		 "0000000000002000 T %s\t[m]\n"
		 "0000000000003000 T %04095d\t[m]\n", n47, n47, 0);
	ask((const uint64_t[]){ 0x1010, 0x2010, 0x3010, 0 });
	feed(text);
	tap_ok(is(0x1010, 0x1000, n47), "a long name is cut");
	tap_ok(is(0x2010, 0x2000, n47),
	       "a module that does not fit is left out whole");
	tap_ok(symbols_find(&table, 0x3010)->start == 0x3000 &&
	       strlen(symbols_find(&table, 0x3010)->name) == 47,
	       "of an overlong line the beginning counts");
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

/* More rows than one can sort by eye, from a hash that is full. */
static void test_order(void)
{
	static struct symbol rows[4096];
	struct symbols s = { .row = rows, .slots = 4096, .capacity = 3584 };
	uint32_t wrong = 0;

	for (uint64_t i = 0; i < 3584; i++)
		symbols_add(&s, i * 0x9e3779b97f4a7c15u | 1);
	symbols_sort(&s);
	for (uint32_t i = 1; i < s.used; i++)
		wrong += rows[i - 1].addr >= rows[i].addr;
	tap_ok(s.used > 3000 && !wrong, "%u rows are in order", s.used);
}

int main(void)
{
	test_names();
	test_find();
	test_full();
	test_lengths();
	test_set();
	test_order();
	return tap_plan_done();
}
