/* SPDX-License-Identifier: MIT */
/* Divides the share of memory for objects of slab: see objects.h, slab. */
#include <stddef.h>
#include <string.h>
#include "base/base.h"
#include "ledger/objects.h"
#include "limits.h"

/* Sites get an eighth of the share: one site for some 20 live objects. */
#define SITES_DIVISOR 8u
#define SITE_BYTES (sizeof(struct site) + 2 * sizeof(uint32_t))
#define OBJECT_BYTES (sizeof(struct object) + 2 * sizeof(uint32_t))

static uint32_t site_rows(uint64_t share_bytes)
{
	return (uint32_t)(share_bytes / SITES_DIVISOR / SITE_BYTES) +
	       SITES_FIXED;
}

static uint64_t beside_objects(uint64_t share_bytes)
{
	return sites_bytes(site_rows(share_bytes), 0) +
	       OBJECT_FAULTS_MAX * sizeof(struct object_fault) +
	       CACHES_SEEN_MAX * sizeof(struct cache_seen);
}

static uint32_t object_rows(uint64_t share_bytes)
{
	const uint64_t beside = beside_objects(share_bytes);

	return share_bytes <= beside ? 0 :
	       (uint32_t)((share_bytes - beside) / OBJECT_BYTES);
}

uint64_t slab_bytes(uint64_t share_bytes, uint32_t module_rows)
{
	const uint32_t rows = object_rows(share_bytes);

	return rows ? beside_objects(share_bytes) + objects_bytes(rows) +
		      (uint64_t)module_rows * sizeof(struct object_sums) : 0;
}

int slab_init(struct slab_ledger *s, struct arena *a, uint64_t share_bytes,
	      uint32_t module_rows)
{
	const uint32_t rows = object_rows(share_bytes);
	int error;

	if (!rows)
		return 0;
	s->on = 1;
	error = objects_init(&s->objects, a, rows);
	if (!error)
		error = sites_init(&s->sites, a, site_rows(share_bytes),
				   module_rows);
	if (error)
		return error;
	s->fault = arena_take(a, OBJECT_FAULTS_MAX, sizeof(*s->fault));
	s->seen = arena_take(a, CACHES_SEEN_MAX, sizeof(*s->seen));
	return a->failed;
}

struct slab_sums slab_sums_of(struct slab_ledger *s, const struct object *k)
{
	return (struct slab_sums){ {
		&s->sites.row[k->site].sums, &s->sites.module[k->module],
		&s->sites.cache[k->cache].sums, &s->sites.total,
	} };
}

void slab_find_oldest(struct slab_ledger *s)
{
	for (uint32_t i = 0; i < s->sites.used; i++)
		s->sites.row[i].sums.oldest_ns = 0;
	for (uint32_t i = 0; i < s->sites.modules; i++)
		s->sites.module[i].oldest_ns = 0;
	for (uint32_t i = 0; i < s->sites.caches; i++)
		s->sites.cache[i].sums.oldest_ns = 0;
	s->sites.total.oldest_ns = 0;
	for (uint32_t i = 1; i < s->objects.used; i++) {
		const struct object *k = &s->objects.row[i];
		const struct slab_sums of = slab_sums_of(s, k);

		if (!(k->flags & OBJECT_LIVE))
			continue;
		for (unsigned int j = 0; j < ARRAY_LEN(of.row); j++)
			if (!of.row[j]->oldest_ns ||
			    of.row[j]->oldest_ns > k->time_ns)
				of.row[j]->oldest_ns = k->time_ns;
	}
}

static int is_seen(const struct cache_seen *c, const char *name)
{
	return !strncmp(c->name, name, sizeof(c->name) - 1);
}

/* Before Linux 6.16 each free from a cache asks: so the row that was last found
 * for a name with this hash is tried first. A name without a row, of a cache
 * that came after the last look at slabinfo, is searched for each time. */
static uint16_t *last_found(struct slab_ledger *s, const char *name)
{
	return &s->found[text_hash(TEXT_HASH_BEGIN, name,
				   strnlen(name, SLAB_NAME_BYTES - 1)) %
			 CACHES_FOUND];
}

struct cache_seen *slab_cache_seen(struct slab_ledger *s, const char *name)
{
	uint16_t *found = last_found(s, name);
	uint32_t i = 0;

	if (*found && is_seen(&s->seen[*found - 1], name))
		return &s->seen[*found - 1];
	while (i < s->seens && !is_seen(&s->seen[i], name))
		i++;
	if (i == s->seens)
		return NULL;
	*found = (uint16_t)(i + 1);
	return &s->seen[i];
}
