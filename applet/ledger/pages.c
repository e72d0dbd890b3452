/* SPDX-License-Identifier: MIT */
/* Page frame number to owner: see pages.h. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include "ledger/hash.h"
#include "ledger/pages.h"

static void sort_ranges(struct ram *ram)
{
	struct ram_range *end = &ram->range[ram->count];

	for (struct ram_range *r = ram->range; r < end; r++)
		for (struct ram_range *s = r + 1; s < end; s++) {
			struct ram_range higher = *r;

			if (s->first_pfn >= r->first_pfn)
				continue;
			*r = *s;
			*s = higher;
		}
}

/* Joins ranges that overlap or touch. */
static void join_ranges(struct ram *ram)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < ram->count; i++) {
		struct ram_range r = ram->range[i];
		struct ram_range *last = kept ? &ram->range[kept - 1] : NULL;
		uint64_t end = r.first_pfn + r.count_pages;

		if (end <= r.first_pfn)
			continue;
		if (last &&
		    r.first_pfn - last->first_pfn <= last->count_pages) {
			if (end - last->first_pfn > last->count_pages)
				last->count_pages = end - last->first_pfn;
			continue;
		}
		ram->range[kept++] = r;
	}
	ram->count = kept;
}

static uint64_t ram_pages(const struct ram *ram)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < ram->count; i++) {
		if (ram->range[i].count_pages > UINT64_MAX / 16 - total)
			return UINT64_MAX / 16;
		total += ram->range[i].count_pages;
	}
	return total;
}

uint64_t pages_flat_bytes(const struct ram *ram)
{
	return ram_pages(ram) * sizeof(uint32_t);
}

static uint32_t hash_slots(uint64_t bytes)
{
	uint32_t slots = 16;

	while (slots < 1u << 31 &&
	       slots <= bytes / 2 / sizeof(struct page_slot))
		slots *= 2;
	return slots;
}

int pages_init(struct pages *p, struct arena *a, const struct ram *ram,
	       uint64_t bytes, uint64_t flat_bytes)
{
	const uint32_t slots = hash_slots(bytes);
	uint64_t total;

	memcpy(&p->ram, ram, sizeof(*ram));
	if (p->ram.count > RAM_RANGES_MAX)
		return -EINVAL;
	sort_ranges(&p->ram);
	join_ranges(&p->ram);
	total = ram_pages(&p->ram);
	if (!total)
		return -EINVAL;
	for (uint32_t i = 1; i < p->ram.count; i++)
		p->first[i] = p->first[i - 1] + p->ram.range[i - 1].count_pages;
	/* A hash is kept at most 7/8 full, so that probing stays short. */
	p->capacity_pages = slots - slots / 8;
	if (total * sizeof(uint32_t) <= bytes && total <= UINT32_MAX) {
		p->capacity_pages = (uint32_t)total;
		flat_bytes = bytes;
	}
	if (total * sizeof(uint32_t) <= flat_bytes) {
		p->flat = arena_take(a, (size_t)total,
				     sizeof(uint32_t));
	} else {
		p->slot = arena_take(a, slots, sizeof(*p->slot));
		p->mask = slots - 1;
	}
	return a->failed;
}

/* The number of a page among all pages of RAM, or -1. Mostly the page lies in
 * the same range as the last one. */
static int64_t page_index(struct pages *p, uint64_t pfn)
{
	uint32_t i = p->last_range;

	do {
		uint64_t at = pfn - p->ram.range[i].first_pfn;

		if (at < p->ram.range[i].count_pages) {
			p->last_range = i;
			return (int64_t)(p->first[i] + at);
		}
		if (++i == p->ram.count)
			i = 0;
	} while (i != p->last_range);
	return -1;
}

static uint32_t home_slot(const struct pages *p, uint32_t key)
{
	return (uint32_t)hash_mix(key, 0) & p->mask;
}

/* Linear probing without tombstones: entries after the hole move back, unless a
 * move would put them before their home slot. */
static void erase_slot(struct pages *p, uint32_t hole)
{
	uint32_t at = hole;

	for (;;) {
		uint32_t home;

		at = (at + 1) & p->mask;
		if (!p->slot[at].owner)
			break;
		home = home_slot(p, p->slot[at].key);
		if (((at - home) & p->mask) < ((at - hole) & p->mask))
			continue;
		p->slot[hole] = p->slot[at];
		hole = at;
	}
	p->slot[hole].owner = 0;
}

/* The slot of the key, or the slot that it would get. */
static uint32_t find_slot(const struct pages *p, uint32_t key)
{
	uint32_t at = home_slot(p, key);

	while (p->slot[at].owner && p->slot[at].key != key)
		at = (at + 1) & p->mask;
	return at;
}

/* Where the page's owner is, or would be. */
static uint32_t place_of(const struct pages *p, int64_t index)
{
	return p->flat ? (uint32_t)index : find_slot(p, (uint32_t)index);
}

int64_t pages_swap(struct pages *p, uint64_t pfn, uint32_t owner)
{
	const int64_t index = page_index(p, pfn);
	uint32_t at, old;

	if (index < 0 || index > UINT32_MAX)
		return -1;
	at = place_of(p, index);
	old = p->flat ? p->flat[at] : p->slot[at].owner;
	if (owner && !old && p->used_pages == p->capacity_pages)
		return -2;
	p->used_pages += (owner != 0) - (uint32_t)(old != 0);
	if (p->flat)
		p->flat[at] = owner;
	else if (owner)
		p->slot[at] = (struct page_slot){ (uint32_t)index, owner };
	else if (old)
		erase_slot(p, at);
	return old;
}

uint32_t pages_owner(struct pages *p, uint64_t pfn)
{
	const int64_t index = page_index(p, pfn);
	uint32_t at;

	if (index < 0 || index > UINT32_MAX)
		return 0;
	at = place_of(p, index);
	return p->flat ? p->flat[at] : p->slot[at].owner;
}
