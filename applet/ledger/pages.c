/* SPDX-License-Identifier: MIT */
/* Page frame number to owner: see tables.h, pages. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include "base/base.h"
#include "ledger/tables.h"

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

uint64_t ram_pages(const struct ram *ram)
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

/* The length of the array: all that fits `bytes`, so that RAM that comes later
 * has room. */
static uint64_t flat_places(uint64_t pages, uint64_t bytes)
{
	const uint64_t places = bytes / sizeof(uint32_t);

	return places < pages ? pages :
	       places < UINT32_MAX ? places : UINT32_MAX;
}

uint64_t pages_bytes(const struct ram *ram, uint64_t bytes, uint64_t flat_bytes)
{
	const uint64_t flat = pages_flat_bytes(ram);

	return flat > bytes && flat > flat_bytes ? bytes :
	       flat_places(flat / sizeof(uint32_t), bytes) * sizeof(uint32_t);
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
	p->ram_pages = total;
	/* A hash is kept at most 7/8 full, so that probing stays short. */
	p->capacity_pages = slots - slots / 8;
	if (total * sizeof(uint32_t) <= bytes && total <= UINT32_MAX) {
		p->capacity_pages = (uint32_t)total;
		flat_bytes = bytes;
	}
	if (total * sizeof(uint32_t) <= flat_bytes) {
		p->flat_pages = (uint32_t)flat_places(total, bytes);
		p->flat = arena_take(a, p->flat_pages, sizeof(uint32_t));
	} else {
		p->slot = arena_take(a, slots, sizeof(*p->slot));
		p->mask = slots - 1;
	}
	return a->failed;
}

/* The number of a page among all pages of RAM, or -1. Mostly the page is in the
 * same range as the last page. */
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

/* Linear probing without tombstones: entries behind the hole move back, unless
 * a move would put them before their home slot. */
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

/* The slot of the key, or the slot that the key would get. */
static uint32_t find_slot(const struct pages *p, uint32_t key)
{
	uint32_t at = home_slot(p, key);

	while (p->slot[at].owner && p->slot[at].key != key)
		at = (at + 1) & p->mask;
	return at;
}

/* A word of a packed array: a number of places without an owner, then a place
 * with this owner (0 after GAP_MOST places without an owner). */
#define GAP_SHIFT 27u
#define GAP_MOST (UINT32_MAX >> GAP_SHIFT)
#define OWNER_MASK ((1u << GAP_SHIFT) - 1)

/* Packs the array at its own beginning. Returns the number of words. */
static uint32_t pack(uint32_t *place, uint32_t places)
{
	uint32_t words = 0, gap = 0;

	for (uint32_t i = 0; i < places; i++) {
		const uint32_t owner = place[i];

		if (!owner && gap < GAP_MOST) {
			gap++;
			continue;
		}
		place[words++] = gap << GAP_SHIFT | owner;
		gap = 0;
	}
	return words;
}

/* An entry that does not have its slot in the hash yet. */
#define UNPLACED (1u << 31)

/* Puts an entry into its slot. An unplaced entry in this slot is placed
 * next. */
static void place_entry(struct pages *p, struct page_slot e)
{
	while (e.owner) {
		uint32_t at = home_slot(p, e.key);
		struct page_slot next;

		while (p->slot[at].owner && !(p->slot[at].owner & UNPLACED))
			at = (at + 1) & p->mask;
		next = p->slot[at];
		e.owner &= ~UNPLACED;
		p->slot[at] = e;
		e = next;
	}
}

/* Turns the array into a hash in the same memory: packs the array, moves it to
 * the end, unpacks it at the beginning, and puts the entries into their slots.
 * Unread words are not overwritten: all entries take at most 7/8 of the memory,
 * and the packed array at most half. */
static void become_hash(struct pages *p, uint32_t slots)
{
	uint32_t *const place = p->flat;
	const uint32_t words = pack(place, p->flat_pages);
	const uint32_t *from = place + p->flat_pages - words;
	uint32_t key = 0, entries = 0;

	memmove(place + p->flat_pages - words, place, words * sizeof(*place));
	p->slot = (struct page_slot *)(void *)place;
	p->flat = NULL;
	p->mask = slots - 1;
	for (; from < place + p->flat_pages; from++, key++) {
		const uint32_t word = *from;

		key += word >> GAP_SHIFT;
		if (word & OWNER_MASK)
			p->slot[entries++] = (struct page_slot){
				key, (word & OWNER_MASK) | UNPLACED };
	}
	memset(p->slot + entries, 0, (slots - entries) * sizeof(*p->slot));
	for (uint32_t i = 0; i < entries; i++) {
		const struct page_slot e = p->slot[i];

		if (!(e.owner & UNPLACED))
			continue;
		p->slot[i].owner = 0;
		place_entry(p, e);
	}
}

/* Ranges stay sorted by pfn, but not by the numbers of their pages. The range
 * with the last numbers may become longer. */
static int add_range(struct pages *p, uint64_t pfn, uint64_t count)
{
	uint32_t at = 0;

	while (at < p->ram.count && p->ram.range[at].first_pfn < pfn)
		at++;
	if (at < p->ram.count && p->ram.range[at].first_pfn - pfn < count)
		return -EEXIST;
	if (at) {
		struct ram_range *r = &p->ram.range[at - 1];

		if (pfn - r->first_pfn < r->count_pages)
			return -EEXIST;
		if (r->first_pfn + r->count_pages == pfn &&
		    p->first[at - 1] + r->count_pages == p->ram_pages) {
			r->count_pages += count;
			return 0;
		}
	}
	if (p->ram.count == RAM_RANGES_MAX)
		return -ENOSPC;
	for (uint32_t i = p->ram.count++; i > at; i--) {
		p->ram.range[i] = p->ram.range[i - 1];
		p->first[i] = p->first[i - 1];
	}
	p->ram.range[at] = (struct ram_range){ pfn, count };
	p->first[at] = p->ram_pages;
	return 0;
}

int pages_add(struct pages *p, uint64_t pfn, uint64_t count)
{
	const uint32_t slots = hash_slots((uint64_t)p->flat_pages *
					  sizeof(uint32_t));
	const int is_whole = p->capacity_pages == p->ram_pages;

	if (!count || pfn > UINT64_MAX - count || p->ram_pages > UINT32_MAX ||
	    count > UINT32_MAX - p->ram_pages || add_range(p, pfn, count))
		return -ENOSPC;
	p->ram_pages += count;
	p->last_range = 0;
	if (!p->flat)
		return 0;
	if (is_whole && p->ram_pages <= p->flat_pages) {
		p->capacity_pages = (uint32_t)p->ram_pages;
		return 0;
	}
	if (slots > p->flat_pages / 2 || p->used_pages > slots - slots / 8)
		return 0;
	if (p->capacity_pages > slots - slots / 8)
		p->capacity_pages = slots - slots / 8;
	become_hash(p, slots);
	return 0;
}

/* The place of the page's owner in the array or hash, or where it would be. */
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
	if (p->flat && index >= p->flat_pages)
		return owner ? -2 : 0;
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

	if (index < 0 || index > UINT32_MAX ||
	    (p->flat && index >= p->flat_pages))
		return 0;
	at = place_of(p, index);
	return p->flat ? p->flat[at] : p->slot[at].owner;
}
