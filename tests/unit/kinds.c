/* SPDX-License-Identifier: MIT */
/*
 * ledger/kinds.c and ledger/kind_rules.c: the table of functions can be
 * searched; chains of real kernels are of the kind that they are for; what is
 * known late is moved, not counted twice.
 */
#include "kind_chains.h"
#include "ledger_fixture.h"

#define NAMES_MAX 1024
#define FUNCTION_BYTES 0x1000u
#define CORE 0xffffffff81000000u
#define MODULES 0xffffffffc0000000u

/* Every function of the chains, at an address of its own. */
static struct function {
	char name[64], module[32];
	uint64_t base;
} functions[NAMES_MAX];
static uint32_t functions_used;

static struct function *function(const char *text, size_t len)
{
	const char *open = memchr(text, '[', len);
	size_t name = open ? (size_t)(open - text) - 1 : len;
	struct function f = { .name = "" };

	snprintf(f.name, sizeof(f.name), "%.*s", (int)name, text);
	if (open)
		snprintf(f.module, sizeof(f.module), "%.*s",
			 (int)(len - name - 3), open + 1);
	for (uint32_t i = 0; i < functions_used; i++)
		if (!strcmp(functions[i].name, f.name) &&
		    !strcmp(functions[i].module, f.module))
			return &functions[i];
	if (functions_used == NAMES_MAX)
		abort();
	f.base = (open ? MODULES : CORE) + functions_used * FUNCTION_BYTES;
	functions[functions_used] = f;
	return &functions[functions_used++];
}

/* The return addresses of "a < b [module] < c". */
static uint32_t chain_of(const char *text, uint64_t chain[CHAIN_FRAMES_MAX])
{
	uint32_t len = 0;

	while (*text) {
		const char *end = strstr(text, " < ");
		size_t n = end ? (size_t)(end - text) : strlen(text);

		chain[len++] = function(text, n)->base + 0x10;
		text += n + (end ? 3 : 0);
	}
	return len;
}

static void tell(struct fixture *f, uint32_t type, const char *name,
		 uint64_t base, uint64_t size)
{
	struct event e = { .type = type, .base = base, .size = size };

	snprintf(e.name, sizeof(e.name), "%s", name);
	apply(f, &e);
}

/* What the kernel's symbols tell of these functions; modules are ranges. */
static void tell_functions(struct fixture *f)
{
	for (uint32_t i = 0; i < functions_used; i++) {
		const struct function *n = &functions[i];

		if (*n->module)
			tell(f, EVENT_MODULE_RANGE, n->module, n->base,
			     FUNCTION_BYTES);
		else if (kinds_rule(n->name, strlen(n->name)))
			tell(f, EVENT_FUNCTION, n->name, n->base,
			     FUNCTION_BYTES);
	}
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
			wrong += strcmp(r[-1].begins, r->begins) >= 0 ||
				 !strncmp(r[-1].begins, r->begins,
					  strlen(r[-1].begins));
	}
	tap_ok(!wrong, "the table is sorted, and each rule is found");
	tap_ok(kinds_rule("__pte_alloc_one.constprop.0", 27) ==
	       kinds_rule("pte_alloc", 9), "a suffix and underscores are no "
	       "other function");
	tap_ok(!kinds_rule("pte_allo", 8) && !kinds_rule("", 0) &&
	       !kinds_rule("____", 4) && !kinds_rule("zzz", 3) &&
	       !kinds_rule("a", 1), "a beginning of a beginning is none");
}

static void test_chains(void)
{
	struct fixture *f = fixture_new();
	uint64_t chain[CHAIN_FRAMES_MAX];

	for (uint32_t i = 0; i < ARRAY_LEN(known_chains); i++)
		chain_of(known_chains[i].frames, chain);
	tell_functions(f);
	tell(f, EVENT_FUNCTIONS_END, "", 0, 0);
	for (uint32_t i = 0; i < ARRAY_LEN(known_chains); i++) {
		const struct known_chain *k = &known_chains[i];
		const uint32_t len = chain_of(k->frames, chain);

		tap_ok(kinds_of_chain(&f->ledger.kinds, &f->ledger.modules,
				      chain, len) == k->kind, "%s: %.60s",
		       k->kernel, k->frames);
	}
	free(f);
}

static void take_through(struct fixture *f, uint32_t page, uint32_t order,
			 const char *frames)
{
	struct event e = { .type = EVENT_ALLOC, .tid = 7, .tgid = 7,
			   .pfn = FIRST_PFN + page, .order = order };

	e.chain_len = chain_of(frames, e.chain);
	apply(f, &e);
}

/* 8 pages of slab at a time, and 4 of page cache, before the functions are
 * known; 2 and 4 after that. */
static void test_late(void)
{
	static const char slab[] = "__alloc_pages < allocate_slab < a";
	static const char more[] = "__alloc_pages < allocate_slab < b";
	static const char cache[] = "__alloc_pages < filemap_alloc_folio";
	struct fixture *f = fixture_new();
	const struct kinds *k = &f->ledger.kinds;

	take_through(f, 0, 2, slab);
	give(f, 7, 0, 2);
	take_through(f, 0, 2, more);
	give(f, 7, 0, 2);
	take_through(f, 8, 2, cache);
	take(f, 7, 16, 3);
	take_through(f, 4, 0, slab);
	tap_ok(k->row[KIND_OTHER].now == 5 && k->row[KIND_ANON].now == 8 &&
	       !k->row[KIND_SLAB].now, "before that all is other");
	tell_functions(f);
	tap_ok(!k->known, "not before the end is told");
	tell(f, EVENT_FUNCTIONS_END, "", 0, 0);
	tap_ok(k->known && k->row[KIND_SLAB].now == 1 &&
	       k->row[KIND_CACHE].now == 4 && !k->row[KIND_OTHER].now,
	       "then each is what it is");
	tap_ok(k->row[KIND_SLAB].peak == 1 && k->limit[KIND_SLAB] == 8 &&
	       !kinds_exact(k, KIND_SLAB),
	       "of slab more was held: 4, and 8 is what is known");
	tap_ok(kinds_exact(k, KIND_CACHE) && kinds_exact(k, KIND_ANON) &&
	       k->row[KIND_ANON].peak == 8, "of the others not");
	take_through(f, 0, 2, more);
	take_through(f, 32, 2, more);
	tap_ok(k->row[KIND_SLAB].peak == 9 && kinds_exact(k, KIND_SLAB),
	       "a higher peak is exact again");
	tap_ok(!ledger_check(&f->ledger), "all sums agree");
	tell(f, EVENT_FUNCTION, "shmem_fault", CORE, 16);
	tell(f, EVENT_FUNCTIONS_END, "", 0, 0);
	tap_ok(k->row[KIND_SLAB].now == 9 && !ledger_check(&f->ledger),
	       "told twice: nothing changes");
	free(f);
}

/* The reading of names was cut short, and began again. */
static void test_again(void)
{
	struct fixture *f = fixture_new();
	struct kinds *k = &f->ledger.kinds;

	for (int reading = 0; reading < 3; reading++)
		for (uint32_t i = 0; i < 150; i++)
			tell(f, EVENT_FUNCTION, "shmem_fault",
			     CORE + i * FUNCTION_BYTES, 16);
	tap_ok(k->ranges == 150 && !k->full && !f->ledger.total.rejected,
	       "functions that are told three times count once");
	tell(f, EVENT_FUNCTIONS_END, "", 0, 0);
	tap_ok(k->known, "then the kinds are known");
	free(f);
}

/* Addresses hidden by kptr_restrict: nothing is known, and nothing made up. */
static void test_hidden(void)
{
	struct fixture *f = fixture_new();

	take_through(f, 0, 2, "__alloc_pages < allocate_slab < a");
	tell(f, EVENT_FUNCTION, "allocate_slab", 0, 0);
	tell(f, EVENT_FUNCTION, "no_such_function", CORE, 16);
	tell(f, EVENT_FUNCTIONS_END, "", 0, 0);
	tap_ok(!f->ledger.kinds.known && !f->ledger.kinds.ranges,
	       "no function, no kinds");
	for (uint32_t i = 0; i < KIND_RANGES_MAX + 9; i++)
		tell(f, EVENT_FUNCTION, "shmem_fault",
		     CORE + (i * 7919u % 1000) * 32, 16);
	tell(f, EVENT_FUNCTIONS_END, "", 0, 0);
	tap_ok(f->ledger.kinds.ranges == KIND_RANGES_MAX &&
	       f->ledger.kinds.full && !ledger_check(&f->ledger),
	       "more than there is room for is counted");
	free(f);
}

int main(void)
{
	test_table();
	test_chains();
	test_late();
	test_again();
	test_hidden();
	return tap_plan_done();
}
