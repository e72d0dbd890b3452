/* SPDX-License-Identifier: MIT */
/* The kinds of pages, by functions and modules: see tables.h, kinds. */
#include <string.h>
#include "ledger/tables.h"

/* Negative: the rule comes before the function in the order of the table;
 * positive: behind it; 0: the rule is for this function. */
static int compare(const struct kind_rule *r, const char *function, size_t len)
{
	const size_t n = strlen(r->begins);
	const int order = memcmp(r->begins, function, n < len ? n : len);

	return order ? order : n > len;
}

/* One binary search finds the rule. If a rule's name begins with the name of
 * another rule, it stands right behind that rule, and is tried too. */
const struct kind_rule *kinds_rule(const char *function, size_t len)
{
	uint32_t low = 0, high = KIND_RULES;

	for (; len && *function == '_'; len--)
		function++;
	while (low < high) {
		const uint32_t mid = (low + high) / 2;
		const int order = compare(&kind_rules[mid], function, len);

		if (!order)	/* the longer name decides */
			return &kind_rules[mid + (mid + 1 < KIND_RULES &&
				!compare(&kind_rules[mid + 1], function, len))];
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

/* The first range above this address. */
static uint32_t range_above(const struct kinds *k, uint64_t addr)
{
	uint32_t low = 0, high = k->ranges;

	while (low < high) {
		const uint32_t mid = (low + high) / 2;

		if (k->range[mid].base > addr)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

int kinds_add(struct kinds *k, const char *function, uint64_t base,
	      uint32_t size_bytes)
{
	const struct kind_rule *rule = kinds_rule(function, strlen(function));
	const uint32_t at = range_above(k, base);

	if (!rule)
		return -1;
	/* Reading the names was interrupted, and has started again. */
	if (at && k->range[at - 1].base == base)
		return 0;
	if (k->ranges == KIND_RANGES_MAX) {
		k->full++;
		return -1;
	}
	memmove(&k->range[at + 1], &k->range[at],
		(k->ranges - at) * sizeof(*k->range));
	k->range[at] = (struct kind_range){
		base, size_bytes, rule->kind, rule->over,
	};
	k->ranges++;
	return 1;
}

/* The range of the function with this return address, or NULL. */
static const struct kind_range *range_at(const struct kinds *k, uint64_t addr)
{
	const struct kind_range *r = &k->range[range_above(k, addr - 1)];

	return r > k->range && addr - 1 - r[-1].base < r[-1].size_bytes ?
	       r - 1 : NULL;
}

uint32_t kinds_function(const struct kinds *k, uint64_t addr)
{
	const struct kind_range *r = range_at(k, addr);

	return r ? r->kind : KIND_OTHER;
}

enum page_kind kinds_of_module(const char *module)
{
	static const struct {
		char name[9];
		uint8_t kind;
	} names[] = {
		{ "squashfs", KIND_IMAGE }, { "loop", KIND_IMAGE },
		{ "erofs", KIND_IMAGE }, { "cramfs", KIND_IMAGE },
		{ "zsmalloc", KIND_COMPRESSED }, { "zbud", KIND_COMPRESSED },
		{ "z3fold", KIND_COMPRESSED },
	};

	for (uint32_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(module, names[i].name))
			return names[i].kind;
	return KIND_DRIVER;
}

/* The row of the module whose code is at this address, or 0. */
static uint32_t module_at(const struct modules *m, uint64_t addr)
{
	uint64_t row;

	if (!stack_addr_retired(addr))
		return modules_at(m, addr - 1);
	row = (addr - STACKS_RETIRED) >> STACKS_RETIRED_SHIFT;
	return row < m->used ? (uint32_t)row : 0;
}

enum page_kind kinds_of_chain(const struct kinds *k, const struct modules *m,
			      const uint64_t *chain, uint32_t len)
{
	uint32_t kind = KIND_OTHER;

	for (uint32_t i = 0; i < len; i++) {
		const struct kind_range *r = range_at(k, chain[i]);
		const uint32_t module = r ? 0 : module_at(m, chain[i]);

		if (r && (!kind || r->over == kind))
			kind = kind && r->kind == KIND_INIT ? KIND_AREA :
							      r->kind;
		else if (module && (!kind || (kind == KIND_CACHE &&
			 kinds_of_module(m->row[module].name) == KIND_IMAGE)))
			kind = kinds_of_module(m->row[module].name);
	}
	return kind == KIND_AREA ? KIND_VMALLOC :
	       kind == KIND_LARGE ? KIND_SLAB :
	       kind == KIND_INIT ? KIND_OTHER : kind;
}

enum page_kind kinds_of_caller(const struct kinds *k, uint64_t addr,
			       const char *name)
{
	const struct kind_rule *rule = kinds_rule(name, strlen(name));
	const struct kind_range *r = range_at(k, addr);
	const int stacks = addr ? r && r->kind == KIND_STACKS :
				  rule && rule->kind == KIND_STACKS;

	return stacks ? KIND_STACKS : KIND_VMALLOC;
}

void kinds_limit(struct kinds *k, enum page_kind kind, uint64_t pages)
{
	pages += k->limit[kind];
	k->limit[kind] = pages > UINT32_MAX ? UINT32_MAX : (uint32_t)pages;
}

void kinds_move(struct kinds *k, enum page_kind from, enum page_kind to,
		const struct count *pages, uint32_t epoch)
{
	const uint32_t at_peak = count_at_peak(pages, epoch);
	struct count *c = &k->row[to];

	kinds_limit(k, to, pages->peak);
	if (from == to)
		return;
	count_keep(&k->row[from], epoch);
	k->row[from].now -= pages->now;
	k->row[from].kept -= at_peak;
	count_keep(c, epoch);
	c->now += pages->now;
	c->kept += at_peak;
}
