/* SPDX-License-Identifier: MIT */
/* Functions get addresses: see view.h, names. */
#include <errno.h>
#include <string.h>
#include "base/base.h"
#include "ledger/events.h"
#include "host/view/view.h"

/* Each function has so many bytes of addresses, and the byte below the first
 * one is its own too, or nobody's: a return address belongs to the call before
 * it. The report believes no name that is farther away than 64 KiB. */
#define FUNCTION_SHIFT 17
#define OFFSET_MAX ((64u << 10) - 1)
#define RANGE_SHIFT 40		/* of the addresses of a module */
#define RULE_SHIFT 32		/* of a rule */
#define OTHER_BASE (UINT64_C(1) << 56)
#define RULES_BASE (UINT64_C(2) << 56)
#define MODULES_BASE (UINT64_C(3) << 56)

uint64_t names_bytes(uint32_t functions, uint32_t modules)
{
	return (uint64_t)functions * sizeof(struct named) +
	       hash_bytes(functions) +
	       modules * (uint64_t)MODULE_NAME_BYTES;
}

/* One range for each rule. */
static void send_kinds(struct names *n)
{
	struct event e;

	for (uint32_t i = 0; i < KIND_RULES; i++) {
		event_begin(&e, EVENT_FUNCTION, 0);
		e.base = RULES_BASE + ((uint64_t)i << RULE_SHIFT);
		e.size = UINT32_MAX;
		print_to(e.name, sizeof(e.name), "%s", kind_rules[i].begins);
		ledger_apply(n->ledger, &e);
	}
	event_begin(&e, EVENT_FUNCTIONS_END, 0);
	ledger_apply(n->ledger, &e);
}

int names_init(struct names *n, struct arena *a, struct ledger *l,
	       uint32_t functions, uint32_t modules)
{
	*n = (struct names){
		.ledger = l, .capacity = functions, .used = 1,
		.modules_capacity = modules,
	};
	n->row = arena_take(a, functions, sizeof(*n->row));
	hash_init(&n->hash, a, functions);
	n->module = arena_take(a, modules, MODULE_NAME_BYTES);
	if (a->failed)
		return a->failed;
	n->row[0].base = OTHER_BASE;
	memcpy(n->row[0].name, "(other)", 8);
	send_kinds(n);
	return 0;
}

/* The number of a module, from 1 on; 0: no room. */
static uint32_t module_of(struct names *n, const struct frame *f)
{
	uint32_t i = 1;
	struct event e;

	event_begin(&e, EVENT_MODULE_RANGE, 0);
	print_to(e.name, sizeof(e.name), "%.*s", (int)f->module_len, f->module);
	while (i <= n->modules && strcmp(n->module[i], e.name))
		i++;
	if (i <= n->modules)
		return i;
	if (i == n->modules_capacity)
		return 0;
	n->modules = i;
	memcpy(n->module[i], e.name, sizeof(e.name));
	e.base = MODULES_BASE + ((uint64_t)i << RANGE_SHIFT);
	e.size = UINT64_C(1) << RANGE_SHIFT;
	ledger_apply(n->ledger, &e);
	return i;
}

static uint32_t *bucket_of(const struct names *n, const struct frame *f)
{
	const uint32_t name = text_hash(TEXT_HASH_BEGIN, f->name, f->name_len);

	return hash_bucket(&n->hash, text_hash(name, f->module, f->module_len),
			   f->size);
}

/* Is this the text, cut to `size` bytes with an end byte? */
static int is_text(const char *kept, size_t size, const char *text, size_t len)
{
	if (len >= size)
		len = size - 1;
	return !memcmp(kept, text, len) && !kept[len];
}

static int is_same(const struct names *n, const struct named *k,
		   const struct frame *f)
{
	return k->size == f->size && !k->module == !f->module &&
	       is_text(k->name, SYMBOL_BYTES, f->name, f->name_len) &&
	       (!f->module || is_text(n->module[k->module], MODULE_NAME_BYTES,
				      f->module, f->module_len));
}

static uint64_t base_of(struct names *n, const struct frame *f,
			uint32_t row, uint32_t module)
{
	const struct kind_rule *rule = module ? NULL :
				       kinds_rule(f->name, f->name_len);
	const uint64_t at = (uint64_t)row << FUNCTION_SHIFT;
	uint64_t i;

	if (module)
		return MODULES_BASE + ((uint64_t)module << RANGE_SHIFT) + at;
	if (!rule)
		return OTHER_BASE + at;
	i = (uint64_t)(rule - kind_rules);
	if (n->of_rule[i] == (1u << (RULE_SHIFT - FUNCTION_SHIFT)) - 2)
		return OTHER_BASE + at;
	return RULES_BASE + (i << RULE_SHIFT) +
	       ((uint64_t)++n->of_rule[i] << FUNCTION_SHIFT);
}

static uint32_t function_of(struct names *n, const struct frame *f)
{
	uint32_t *head = bucket_of(n, f), i = *head, module;

	while (i && !is_same(n, &n->row[i], f))
		i = n->row[i].next;
	if (i)
		return i;
	module = f->module ? module_of(n, f) : 0;
	if (n->used == n->capacity || (f->module && !module)) {
		n->full++;
		return 0;
	}
	i = n->used++;
	n->row[i] = (struct named){
		.base = base_of(n, f, i, module), .size = f->size,
		.module = module, .next = *head,
	};
	print_to(n->row[i].name, SYMBOL_BYTES, "%.*s", (int)f->name_len,
		 f->name);
	*head = i;
	return i;
}

/* An address must not look like one of the ledger's own marks. */
uint64_t names_address(struct names *n, const struct frame *f)
{
	const uint64_t offset = f->offset;

	if (!f->name)
		return !offset || stack_addr_retired(offset) ||
		       offset == STACKS_ROOT ? 1 : offset;
	return n->row[function_of(n, f)].base +
	       (offset < OFFSET_MAX ? offset : OFFSET_MAX);
}

/* The first row whose address is not below `addr`. */
static uint32_t row_from(const struct symbols *s, uint64_t addr)
{
	uint32_t low = 0, high = s->used;

	while (low < high) {
		const uint32_t mid = low + (high - low) / 2;

		if (s->row[mid].addr < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

void names_tell(const struct names *n, struct symbols *s)
{
	for (uint32_t i = 0; i < n->used; i++) {
		const struct named *k = &n->row[i];

		for (uint32_t at = row_from(s, k->base); at < s->used &&
		     s->row[at].addr - k->base <= OFFSET_MAX; at++) {
			s->row[at].start = k->base;
			memcpy(s->row[at].name, k->name, SYMBOL_BYTES);
		}
	}
}
