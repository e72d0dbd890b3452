/* SPDX-License-Identifier: MIT */
/*
 * source/proc/vmallocinfo.c on any text as lines of /proc/vmallocinfo; what it takes
 * of them goes to a ledger, sampled, twice with different lines missing: the
 * areas of a ledger always add up.
 */
#include "fuzz.h"
#include "ledger/events.h"
#include "source/proc/proc.h"

#define ARENA_BYTES (1u << 18)

static void apply(struct ledger *l, struct event *e)
{
	e->time_ns = l->last_ns + 1;
	ledger_apply(l, e);
}

/* Every `skip`th line is left out. */
static void lines(struct ledger *l, const uint8_t *data, size_t size,
		  uint32_t skip)
{
	struct event e = { .flags = EVENT_SAMPLED };
	struct input t = { .at = data, .left = size };

	for (uint32_t n = 1; input_line(&t); n++)
		if (!vmallocinfo_line(t.line, t.len, &e) && n % skip)
			apply(l, &e);
	e.type = EVENT_AREAS_SEEN;
	apply(l, &e);
}

/* Modulo 2^32, as they are kept: any number of pages is possible here. */
static void check(const struct ledger *l)
{
	const struct areas *a = &l->areas;
	uint32_t pages = 0, callers = 0, modules = 0;

	must(a->used <= a->rows && a->callers <= a->callers_capacity);
	for (uint32_t i = 0; i < a->used; i++)
		pages += area_pages(&a->row[i]);
	for (uint32_t i = 0; i < a->callers; i++) {
		must(memchr(a->caller[i].name, 0, CALLER_BYTES) != NULL);
		callers += a->caller[i].pages.now;
	}
	for (uint32_t i = 0; i < l->modules.used; i++)
		modules += l->modules.row[i].image.now +
			   l->modules.row[i].vmalloc.now;
	must(pages == a->held.now && callers == pages && modules == pages);
	must(!ledger_check(l));
}

void fuzz_vmallocinfo(const uint8_t *data, size_t size)
{
	static const struct layout want = {
		.pages_bytes = 4096, .nodes = 64, .owners = 64, .tasks = 16,
		.modules = 8,
	};
	static const struct ram ram = { { { 0x100, 512 } }, 1 };
	static _Alignas(64) unsigned char memory[ARENA_BYTES];
	static struct ledger l;
	struct event text = { .type = EVENT_MODULE_RANGE, .size = 0x4000,
			      .base = 0xffffffffc0200000, .name = "planted" };
	struct arena arena;

	memset(memory, 0, sizeof(memory));
	arena_init(&arena, memory, sizeof(memory));
	must(!ledger_init(&l, &arena, &want, &ram));
	lines(&l, data, size, 2);
	apply(&l, &text);
	for (uint32_t skip = 1; skip < 5; skip++) {
		lines(&l, data, size, skip);
		check(&l);
	}
}
