/* SPDX-License-Identifier: MIT */
/*
 * Short ways to say what becomes of an area of vmalloc, for the tests of
 * ledger/areas.c and area_events.c.
 */
#ifndef AREAS_FIXTURE_H
#define AREAS_FIXTURE_H

#include "ledger_fixture.h"

#define TEXT 0xffffffffc0000000u
#define AREA(n) (0xffffc90000000000u + (uint64_t)(n) * 0x10000)

/* How many areas there are. */
static inline uint32_t held(const struct areas *a)
{
	uint32_t count = 0;

	for (uint32_t i = 1; i < a->used; i++)
		count += a->row[i].base != 0;
	return count;
}

static inline int sums_agree(const struct fixture *f)
{
	const struct areas *a = &f->ledger.areas;
	const struct modules *m = &f->ledger.modules;
	uint64_t pages = 0, callers = 0, modules = 0;

	for (uint32_t i = 0; i < a->used; i++)
		pages += area_pages(&a->row[i]);
	for (uint32_t i = 0; i < a->callers; i++)
		callers += a->caller[i].pages.now;
	for (uint32_t i = 0; i < m->used; i++)
		modules += m->row[i].image.now + m->row[i].vmalloc.now;
	return pages == a->held.now && callers == pages && modules == pages;
}

static inline int are(uint32_t got_now, uint32_t got_peak, uint32_t now,
	       uint32_t peak)
{
	if (got_now == now && got_peak == peak)
		return 1;
	printf("# holds %u, peak %u\n", got_now, got_peak);
	return 0;
}

static inline enum fate area(struct fixture *f, uint32_t type, uint64_t base,
		      uint64_t pages, uint32_t flags)
{
	struct event e = { .type = type, .tid = 7, .tgid = 7, .base = base,
			   .pages = pages, .flags = flags };

	return apply(f, &e);
}

static inline enum fate area_by(struct fixture *f, uint64_t base, uint64_t frame)
{
	struct event e = { .type = EVENT_AREA_ALLOC, .tid = 7, .tgid = 7,
			   .base = base, .chain_len = 1, .chain = { frame } };

	return apply(f, &e);
}

static inline enum fate seen(struct fixture *f, uint64_t base, uint64_t pages,
		      const char *name, uint32_t flags)
{
	struct event e = { .type = EVENT_AREA_SEEN, .base = base,
			   .pages = pages, .flags = flags };

	memcpy(e.name, name, strnlen(name, sizeof(e.name) - 1));
	return apply(f, &e);
}

static inline const struct caller *caller_at(const struct fixture *f, uint64_t base)
{
	const struct areas *a = &f->ledger.areas;

	return &a->caller[areas_find(a, base)->caller];
}

#endif
