/* SPDX-License-Identifier: MIT */
/* Who allocates the objects of slab: see objects.h, sites. */
#include <string.h>
#include "ledger/objects.h"

static void sums_keep(struct object_sums *s, uint32_t epoch)
{
	if (s->epoch == epoch)
		return;
	s->kept_bytes = s->now_bytes;
	s->epoch = epoch;
}

void sums_begin(struct object_sums *s, uint32_t epoch, uint64_t bytes)
{
	sums_keep(s, epoch);
	s->live++;
	s->now_bytes += bytes;
	if (s->now_bytes > s->peak_bytes)
		s->peak_bytes = s->now_bytes;
}

void sums_end(struct object_sums *s, uint32_t epoch, uint64_t bytes)
{
	sums_keep(s, epoch);
	s->live--;
	s->now_bytes -= bytes;
}

/* Also adds what was held at the peak: see count_fold(). */
void sums_fold(struct object_sums *to, struct object_sums *from,
	       uint32_t epoch)
{
	sums_keep(to, epoch);
	to->kept_bytes += sums_at_peak(from, epoch);
	to->now_bytes += from->now_bytes;
	if (to->peak_bytes < to->now_bytes)
		to->peak_bytes = to->now_bytes;
	if (to->peak_bytes < to->kept_bytes)
		to->peak_bytes = to->kept_bytes;
	to->requested_bytes += from->requested_bytes;
	to->allocated_bytes += from->allocated_bytes;
	to->allocs += from->allocs;
	to->frees += from->frees;
	to->cross_cpu_frees += from->cross_cpu_frees;
	to->settled += from->settled;
	to->live += from->live;
	*from = (struct object_sums){ 0 };
}

uint64_t sites_bytes(uint32_t rows, uint32_t module_rows)
{
	return (uint64_t)rows * sizeof(struct site) + hash_bytes(rows) +
	       (uint64_t)module_rows * sizeof(struct object_sums) +
	       (uint64_t)SLAB_CACHES_MAX * sizeof(struct slab_cache);
}

int sites_init(struct sites *s, struct arena *a, uint32_t rows,
	       uint32_t module_rows)
{
	s->row = arena_take(a, rows, sizeof(*s->row));
	hash_init(&s->hash, a, rows);
	s->module = arena_take(a, module_rows, sizeof(*s->module));
	s->cache = arena_take(a, SLAB_CACHES_MAX, sizeof(*s->cache));
	s->capacity = rows;
	s->modules = module_rows;
	s->used = SITES_FIXED;
	s->caches = 1;
	return a->failed;
}

static uint32_t *bucket_of(const struct sites *s, uint64_t addr, uint32_t leaf)
{
	return hash_bucket(&s->hash, leaf ? leaf : addr, leaf != 0);
}

static uint32_t find(const struct sites *s, uint64_t addr, uint32_t leaf)
{
	uint32_t i = *bucket_of(s, addr, leaf);

	for (; i; i = s->row[i].next)
		if (s->row[i].leaf == leaf && (leaf || s->row[i].addr == addr))
			break;
	return i;
}

uint32_t sites_enter(struct sites *s, uint64_t addr, uint32_t leaf)
{
	uint32_t *head = bucket_of(s, addr, leaf);
	const uint32_t found = find(s, addr, leaf);

	if (found)
		return found;
	if (s->used == s->capacity) {
		s->full++;
		return SITE_OTHER;
	}
	s->row[s->used] = (struct site){
		.addr = addr, .leaf = leaf, .next = *head,
	};
	*head = s->used;
	return s->used++;
}

static int is_cache(const struct slab_cache *c, const char *name,
		    uint64_t object_bytes, int is_kmalloc)
{
	return c->object_bytes == object_bytes && c->is_kmalloc == is_kmalloc &&
	       !strncmp(c->name, name, sizeof(c->name) - 1);
}

/* This runs for each event: so the row that was last found for a name and size
 * with this hash is tried first. */
static uint8_t *last_found(struct sites *s, const char *name,
			   uint64_t object_bytes, int is_kmalloc)
{
	char start[sizeof(uint64_t)] = "";
	uint64_t word;

	memcpy(start, name, strnlen(name, sizeof(start)));
	memcpy(&word, start, sizeof(word));
	return &s->found[hash_mix(word, object_bytes << 1 |
				  (is_kmalloc != 0)) % SLAB_CACHES_MAX];
}

static uint8_t enter_cache(struct sites *s, const char *name,
			   uint64_t object_bytes, int is_kmalloc)
{
	struct slab_cache *c;
	uint32_t i = 1;

	while (i < s->caches &&
	       !is_cache(&s->cache[i], name, object_bytes, is_kmalloc))
		i++;
	if (i < s->caches)
		return (uint8_t)i;
	if (i == SLAB_CACHES_MAX)
		return SLAB_CACHE_OTHER;
	c = &s->cache[i];
	c->object_bytes = object_bytes;
	c->is_kmalloc = is_kmalloc;
	memcpy(c->name, name, strnlen(name, sizeof(c->name) - 1));
	return (uint8_t)s->caches++;
}

uint8_t sites_cache(struct sites *s, const char *name, uint64_t object_bytes,
		    int is_kmalloc)
{
	uint8_t *found = last_found(s, name, object_bytes, is_kmalloc);

	if (!*found || !is_cache(&s->cache[*found], name, object_bytes,
				 is_kmalloc))
		*found = enter_cache(s, name, object_bytes, is_kmalloc);
	return *found;
}

void sites_retire(struct sites *s, uint32_t row, uint64_t addr)
{
	struct site *k = &s->row[row];
	uint32_t *link = bucket_of(s, k->addr, 0);

	while (!k->leaf && *link && *link != row)
		link = &s->row[*link].next;
	if (!k->leaf && *link)
		*link = k->next;
	k->addr = addr;
}
