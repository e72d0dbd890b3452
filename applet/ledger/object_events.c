/* SPDX-License-Identifier: MIT */
/* Objects of slab are allocated and freed: see events.h, object events. */
#include <string.h>
#include "base/base.h"
#include "ledger/events.h"

/* Addresses that are not objects: NULL, and what kmalloc(0) returns. */
#define NO_OBJECT 16u

static void begin(struct ledger *l, struct object *k)
{
	const struct slab_sums of = slab_sums_of(&l->slab, k);

	objects_begin(&l->slab.objects, k);
	l->modules.row[k->module].objects++;
	for (unsigned int i = 0; i < ARRAY_LEN(of.row); i++)
		sums_begin(of.row[i], l->epoch, k->bytes);
}

static void end(struct ledger *l, struct object *k)
{
	const struct slab_sums of = slab_sums_of(&l->slab, k);

	for (unsigned int i = 0; i < ARRAY_LEN(of.row); i++)
		sums_end(of.row[i], l->epoch, k->bytes);
	l->modules.row[k->module].objects--;
	objects_end(&l->slab.objects, k);
}

static struct object_fault *fault_of(struct slab_ledger *s,
				     enum fault_kind kind, uint32_t site,
				     uint64_t freed_by)
{
	struct object_fault *f = s->fault, *behind = f + s->faults;

	while (f < behind && (f->kind != kind || f->site != site ||
			      f->freed_by != freed_by))
		f++;
	if (f < behind)
		return f;
	if (s->faults == OBJECT_FAULTS_MAX) {
		s->total.faults_full++;
		return NULL;
	}
	s->faults++;
	*f = (struct object_fault){
		.kind = kind, .site = site, .freed_by = freed_by,
	};
	return f;
}

/* Counts a fault. Returns its row + 1; 0: there was no room. */
static uint32_t note_fault(struct slab_ledger *s, enum fault_kind kind,
			   uint32_t site, uint64_t freed_by)
{
	struct object_fault *f = fault_of(s, kind, site, freed_by);

	if (!f)
		return 0;
	f->count++;
	return (uint32_t)(f - s->fault) + 1;
}

/* Counts the free of an object whose allocation was not seen. */
static void count_unknown(struct slab_ledger *s, const struct event *e,
			  struct object *k)
{
	struct cache_seen *cache = e->name[0] ? slab_cache_seen(s, e->name) : NULL;

	s->total.before_frees++;
	if (cache)
		cache->unknown_frees++;
	if (!k)
		return;
	k->site = 0;
	k->bytes = cache ? (uint32_t)(cache - s->seen) + 1 : 0;
}

/* The allocation of an unknown object has come, late. */
static void uncount_unknown(struct slab_ledger *s, const struct object *k)
{
	s->total.before_frees--;
	if (k->bytes)
		s->seen[k->bytes - 1].unknown_frees--;
}

/* Counts an object that was freed without an event. */
static void count_settled(struct ledger *l, const struct object *k)
{
	const struct slab_sums of = slab_sums_of(&l->slab, k);

	for (unsigned int i = 0; i < ARRAY_LEN(of.row); i++)
		of.row[i]->settled++;
}

static void count_alloc(struct ledger *l, const struct event *e,
			const struct object *k)
{
	const struct slab_sums of = slab_sums_of(&l->slab, k);

	for (unsigned int i = 0; i < ARRAY_LEN(of.row); i++) {
		of.row[i]->requested_bytes += e->size;
		of.row[i]->allocated_bytes += e->allocated_bytes;
		of.row[i]->allocs++;
	}
	if (e->allocated_bytes < e->size)
		note_fault(&l->slab, FAULT_SHORT, k->site, 0);
}

static void count_free(struct ledger *l, const struct event *e,
		       const struct object *k)
{
	const struct slab_sums of = slab_sums_of(&l->slab, k);

	for (unsigned int i = 0; i < ARRAY_LEN(of.row); i++) {
		of.row[i]->frees++;
		of.row[i]->cross_cpu_frees += e->cpu != k->cpu;
	}
}

/* Finds the rows of a new object. */
static struct object new_object(struct ledger *l, const struct event *e)
{
	struct sites *s = &l->slab.sites;
	const int is_kmalloc = !(e->flags & EVENT_CACHE);
	uint32_t loading = 0, leaf = 0;
	struct object k = {
		.time_ns = e->time_ns, .cpu = (uint16_t)e->cpu,
		.bytes = (uint32_t)e->allocated_bytes,
		.flags = is_kmalloc ? 0 : OBJECT_CACHE,
		.cache = sites_cache(s, e->name, e->allocated_bytes,
				     is_kmalloc),
	};
	struct site *site;

	if (!(e->flags & EVENT_IRQ))
		task_charged(l, e, &loading);
	if (e->chain_len)
		leaf = page_leaf(l, e, loading);
	k.module = leaf ? stacks_root(&l->stacks, leaf) :
			  modules_on(&l->modules, &e->site, 1);
	if (!k.module)
		k.module = loading;
	if (leaf < l->stacks.roots)
		leaf = 0;
	k.site = sites_enter(s, e->site, leaf);
	site = &s->row[k.site];
	if (site->sums.allocs && site->cache != k.cache)
		site->several = 1;
	site->cache = k.cache;
	return k;
}

/* An allocation that is older than the last free or allocation of this address
 * (tables.h, late): its object is no longer live. */
static void alloc_late(struct ledger *l, const struct event *e,
		       struct object *now, const struct object *k)
{
	struct slab_ledger *s = &l->slab;
	const int was_doubted = now->flags & OBJECT_DOUBTED;

	count_alloc(l, e, k);
	if (now->flags & OBJECT_LIVE || (now->site && !was_doubted)) {
		count_settled(l, k);
		return;
	}
	count_free(l, &(struct event){ .cpu = now->cpu }, k);
	if (was_doubted && now->bytes)
		s->fault[now->bytes - 1].count--;
	else if (!was_doubted)
		uncount_unknown(s, now);
	now->flags = (uint8_t)((now->flags & OBJECT_QUEUED) |
			       (k->flags & OBJECT_CACHE));
	now->site = k->site;
}

int object_alloc(struct ledger *l, const struct event *e)
{
	struct slab_ledger *s = &l->slab;
	struct object k, *now;

	if (!s->on)
		return 0;
	if (e->base <= NO_OBJECT) {
		s->total.failed_allocs++;
		return 0;
	}
	if (e->allocated_bytes > UINT32_MAX || e->size > UINT32_MAX)
		return -1;
	k = new_object(l, e);
	now = objects_find(&s->objects, e->base);
	if (now && e->time_ns < now->time_ns) {
		alloc_late(l, e, now, &k);
		return 1;
	}
	if (now && now->flags & OBJECT_LIVE) {
		count_settled(l, now);
		end(l, now);
	}
	if (!now)
		now = objects_take(&s->objects, e->base);
	count_alloc(l, e, &k);
	if (!now) {
		s->total.untracked++;
		return 1;
	}
	k.addr = now->addr;
	k.next = now->next;
	k.freed_next = now->freed_next;
	k.flags |= now->flags & OBJECT_QUEUED;
	*now = k;
	begin(l, now);
	return 1;
}

/* All allocations of kmalloc have events; an object of a cache may have been
 * allocated again in bulk. A second free is certain only if no event was lost,
 * and if all CPUs have been traced since the first free. */
static int is_second_free(const struct ledger *l, const struct event *e,
			  const struct object *k)
{
	return k->site && !((k->flags & OBJECT_CACHE) ||
			    (e->flags & EVENT_CACHE)) && !l->total.lost &&
	       k->time_ns >= l->slab.whole_ns;
}

/* The row of the address has no live object. */
static void free_again(struct ledger *l, const struct event *e,
		       struct object *k)
{
	if (is_second_free(l, e, k)) {
		k->bytes = note_fault(&l->slab, FAULT_DOUBLE_FREE, k->site,
				      e->site);
		k->flags |= OBJECT_DOUBTED;
	} else {
		k->flags &= (uint8_t)~OBJECT_DOUBTED;
		count_unknown(&l->slab, e, k);
	}
	k->cpu = (uint16_t)e->cpu;
	k->time_ns = e->time_ns;
}

/* Keeps a row, so that an allocation that comes late finds it. */
static void free_unknown(struct ledger *l, const struct event *e)
{
	struct object *k = objects_take(&l->slab.objects, e->base);

	count_unknown(&l->slab, e, k);
	if (!k)
		return;
	k->time_ns = e->time_ns;
	k->cpu = (uint16_t)e->cpu;
	objects_end(&l->slab.objects, k);
}

/* Does the free name another cache than the cache of the live object here?
 * kfree_rcu() and the bulk functions have no events: so the live object is
 * gone, and the memory went to the named cache without an event. */
static int is_anothers(struct slab_ledger *s, const struct event *e,
		       const struct object *k)
{
	const char *name = s->sites.cache[k->cache].name;
	const struct cache_seen *cache;

	if (!e->name[0])
		return 0;
	if (!(k->flags & OBJECT_CACHE))
		return !find_text(e->name, strlen(e->name), "kmalloc-");
	if (name[0])
		return strncmp(name, e->name, SLAB_NAME_BYTES - 1) != 0;
	cache = slab_cache_seen(s, e->name);
	return cache && cache->object_bytes != k->bytes;
}

static void free_anothers(struct ledger *l, const struct event *e,
			  struct object *k)
{
	count_settled(l, k);
	end(l, k);
	free_again(l, e, k);
}

int object_free(struct ledger *l, const struct event *e)
{
	struct slab_ledger *s = &l->slab;
	struct object *k;

	if (!s->on || e->base <= NO_OBJECT)
		return 0;
	k = objects_find(&s->objects, e->base);
	if (!k) {
		free_unknown(l, e);
	} else if (e->time_ns < k->time_ns) {
		s->total.late++;
	} else if (!(k->flags & OBJECT_LIVE)) {
		free_again(l, e, k);
	} else if (is_anothers(s, e, k)) {
		free_anothers(l, e, k);
	} else {
		if (!(k->flags & OBJECT_CACHE) != !(e->flags & EVENT_CACHE))
			note_fault(s, FAULT_WRONG_FAMILY, k->site, e->site);
		count_free(l, e, k);
		end(l, k);
		k->time_ns = e->time_ns;
		k->flags &= (uint8_t)~OBJECT_DOUBTED;
	}
	return 1;
}
