/* SPDX-License-Identifier: MIT */
/*
 * ledger/kinds.c and kind_rules.c: the table of functions can be searched;
 * chains of real kernels are of the kind that they are for (cases/kinds).
 *
 * ledger/areas.c: many areas are found quickly. All else of both, replayed traces
 * show (cases.t, random.t).
 */
#include "report/parts.h"
#include "cases.h"
#include "ledger_fixture.h"

#define FUNCTION_BYTES 0x1000u
#define CORE 0xffffffff81000000u
#define MODULES 0xffffffffc0000000u

static void tell(struct fixture *f, uint32_t type, const char *name,
		 uint64_t base, uint64_t size)
{
	named(f, name, (struct event){ .type = type, .base = base,
				       .size = size });
}

/* A function of its own; if it is a module's, that module has its text. Where a
 * call of it returns to. */
static uint64_t tell_frame(struct fixture *f, const char *text)
{
	const uint64_t at = f->now_ns * FUNCTION_BYTES;
	char name[64], module[32];

	if (sscanf(text, "%63[^ ,] [%31[^]]", name, module) == 2) {
		tell(f, EVENT_MODULE_RANGE, module, MODULES + at,
		     FUNCTION_BYTES);
		return MODULES + at + 0x10;
	}
	tell(f, EVENT_FUNCTION, name, CORE + at, FUNCTION_BYTES);
	return CORE + at + 0x10;
}

static void test_table(void)
{
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < KIND_RULES; i++) {
		const struct kind_rule *r = &kind_rules[i];
		const size_t len = strnlen(r->begins, sizeof(r->begins));

		wrong += !len || len == sizeof(r->begins) ||
			 r->begins[0] == '_' || !r->kind ||
			 kinds_rule(r->begins, len) != r;
		if (i)
			wrong += strcmp(r[-1].begins, r->begins) >= 0;
	}
	tap_ok(!wrong, "the table is sorted, and each rule is found");
	tap_ok(kinds_rule("shmem_charge", 12)->kind == KIND_TMPFS &&
	       kinds_rule("shmem_read_folio_gfp", 20)->kind == KIND_DRIVER,
	       "of two names the longer one decides");
	tap_ok(kinds_rule("__pte_alloc_one.constprop.0", 27) ==
	       kinds_rule("pte_alloc", 9), "a suffix and underscores are no "
	       "other function");
	tap_ok(!kinds_rule("pte_allo", 8) && !kinds_rule("", 0) &&
	       !kinds_rule("____", 4) && !kinds_rule("zzz", 3) &&
	       !kinds_rule("a", 1), "a beginning of a beginning is none");
}

/* "a < b [module]", innermost first. */
static void test_chain(const struct cases *c)
{
	struct fixture *f = fixture_new();
	uint64_t chain[CHAIN_FRAMES_MAX];
	uint32_t len = 0;

	for (const char *at = c->text; *at; at += strspn(at, " <")) {
		chain[len++] = tell_frame(f, at);
		at += strcspn(at, "<");
	}
	case_is(c, kind_name(kinds_of_chain(&f->ledger.kinds,
					    &f->ledger.modules, chain, len)));
	free(f);
}

/* --- areas --- */

#define AREA(n) (0xffffc90000000000u + (uint64_t)(n) * 0x8000)

/* How many areas there are in all chains, and rows that are looked at to find
 * each once: so many an area. */
static uint32_t held(const struct areas *a, uint32_t *steps_each)
{
	uint32_t count = 0, steps = 0;

	for (uint32_t i = 0; i <= a->hash.mask; i++) {
		uint32_t length = 0;

		for (uint32_t at = a->hash.bucket[i]; at && count <= a->used;
		     at = a->row[at].next, count++)
			steps += ++length;
	}
	*steps_each = steps / count;
	return count;
}

/* Kernel stacks of thousands of threads lie one behind the other: each is found
 * in a few steps, also when every second one has gone. */
static void test_many(void)
{
	enum { ROWS = 64, TASKS = 8000 };
	const size_t bytes = areas_bytes(ROWS, TASKS) + 1024;
	void *memory = calloc(1, bytes);
	struct areas a = { 0 };
	struct arena arena;
	uint32_t missing = 0, more = 0, steps = 0;

	must(memory != NULL);
	arena_init(&arena, memory, bytes);
	tap_ok(!areas_init(&a, &arena, ROWS, TASKS), "a table for many");
	for (uint32_t i = 0; i < TASKS; i++)
		missing += !areas_take(&a, AREA(i));
	tap_ok(!missing && !a.full, "there is one for each task");
	tap_ok(held(&a, &steps) == TASKS && steps <= 2,
	       "each is found in %u steps", steps);
	for (uint32_t i = 0; i < TASKS; i += 2)
		areas_give_back(&a, areas_find(&a, AREA(i)));
	for (uint32_t i = 0; i < TASKS; i++) {
		const struct area *row = areas_find(&a, AREA(i));

		missing += i % 2 && !row;
		more += i % 2 == 0 && row != NULL;
	}
	tap_ok(!missing && !more && held(&a, &steps) == TASKS / 2,
	       "those that stay are found, those that went are not");
	for (uint32_t i = 0; i < TASKS; i += 2)
		missing += !areas_take(&a, AREA(i));
	tap_ok(!missing && held(&a, &steps) == TASKS && a.used == TASKS + 1,
	       "their rows are used again");
	free(memory);
}

int main(void)
{
	struct cases c = { .file = NULL };

	test_table();
	while (next_case(&c, "kinds"))
		if (strcmp(c.reader, "no rule"))
			test_chain(&c);
		else
			tap_ok(!kinds_rule(c.text, c.len), "%s: none", c.text);
	test_many();
	return tap_plan_done();
}
