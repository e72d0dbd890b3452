/* SPDX-License-Identifier: MIT */
/* See parts.h, slab rows. */
#include "report/report.h"
#include "report/parts.h"

#define ROWS_BRIEFLY 5u
#define ROWS_SHOWN 10u

/* The largest object of kmalloc that is in a cache: KMALLOC_MAX_CACHE_SIZE of
 * SLUB, two pages. */
static int has_own_pages(const struct slab_cache *c, uint64_t page_bytes)
{
	return c->is_kmalloc && c->object_bytes > 2 * page_bytes;
}

static uint32_t rows_of(const struct sites *s, enum slab_table t)
{
	return t == SLAB_SITES ? s->used :
	       t == SLAB_MODULES ? s->modules : s->caches;
}

static const struct object_sums *sums_of(const struct sites *s,
					 enum slab_table t, uint32_t row)
{
	return t == SLAB_SITES ? &s->row[row].sums :
	       t == SLAB_MODULES ? &s->module[row] : &s->cache[row].sums;
}

struct slab_ranking {
	struct ranking ranking;		/* first */
	enum slab_table table;
};

static int before(const struct ranking *k, uint32_t a, uint32_t b)
{
	const enum slab_table t = ((const struct slab_ranking *)k)->table;
	const struct sites *s = &k->ledger->slab.sites;
	const struct object_sums *x = sums_of(s, t, a), *y = sums_of(s, t, b);
	const int by_peak = k->order <= BY_PEAK;
	const uint64_t first = by_peak ? x->peak_bytes : x->now_bytes;
	const uint64_t second = by_peak ? y->peak_bytes : y->now_bytes;

	if (first != second)
		return first > second;
	return x->allocs != y->allocs ? x->allocs > y->allocs : a < b;
}

static uint32_t rows_shown(const struct report *r, enum slab_table t)
{
	if (r->top)
		return r->top;
	if (r->level > 2)
		return UINT32_MAX;
	if (r->level > 1)
		return ROWS_SHOWN;
	return t == SLAB_CACHES ? 0 : ROWS_BRIEFLY;
}

void slab_walk(const struct report *r, enum slab_table t,
	       void (*show)(void *context, const struct slab_shown *shown),
	       void *context)
{
	const struct ledger *l = r->ledger;
	const struct sites *s = &l->slab.sites;
	const uint32_t most = rows_shown(r, t);
	struct slab_shown shown = { .table = t };
	struct slab_ranking k = {
		.ranking = {
			.ledger = l, .order = r->order, .item = l->scratch,
			.capacity = (uint32_t)smaller(most,
						      l->scratch_capacity),
			.before = before,
		},
		.table = t,
	};

	for (uint32_t i = 0; i < rows_of(s, t) && most; i++)
		if (sums_of(s, t, i)->allocs)
			ranking_offer(&k.ranking, i);
	ranking_sort(&k.ranking);
	for (uint32_t i = 0; i < k.ranking.kept; i++) {
		shown.row = k.ranking.item[i];
		shown.sums = sums_of(s, t, shown.row);
		show(context, &shown);
	}
	if (k.ranking.offered == k.ranking.kept)
		return;
	shown.row = UINT32_MAX;
	shown.count = k.ranking.offered - k.ranking.kept;
	shown.sums = NULL;
	show(context, &shown);
}

/* The only cache of this size that slabinfo has; NULL: none, or several. */
static const char *only_name(const struct slab_ledger *s, uint64_t object_bytes)
{
	const char *name = NULL;

	for (uint32_t i = 0; i < s->seens; i++) {
		if (s->seen[i].object_bytes != object_bytes)
			continue;
		if (name)
			return NULL;
		name = s->seen[i].name;
	}
	return name;
}

void slab_cache_write(struct line *l, const struct ledger *g, uint32_t row,
		      uint64_t page_bytes)
{
	const struct slab_cache *c = &g->slab.sites.cache[row];
	const char *name = c->name[0] ? c->name :
			   only_name(&g->slab, c->object_bytes);

	if (row == SLAB_CACHE_OTHER)
		line_str(l, "(other)");
	else if (has_own_pages(c, page_bytes))
		line_fill(l, "(pages, %u)", &c->object_bytes);
	else if (c->is_kmalloc)
		line_fill(l, "kmalloc-%u", &c->object_bytes);
	else if (name)
		line_name(l, name);
	else
		line_fill(l, "(%u bytes)", &c->object_bytes);
}

int slab_balance_get(const struct report *r, struct slab_balance *b)
{
	const struct slab_ledger *s = &r->ledger->slab;
	uint64_t bulk = 0;

	*b = (struct slab_balance){ .permille = UNKNOWN };
	for (uint32_t i = 0; i < s->seens; i++) {
		const struct cache_seen *k = &s->seen[i];

		b->grown_objects += (int64_t)(k->now_objects -
					      k->start_objects);
		b->grown_pages += (int64_t)(k->now_pages - k->start_pages);
		bulk += k->unknown_frees -
			smaller(k->unknown_frees, k->start_objects);
	}
	for (uint32_t i = 1; i < s->sites.caches; i++) {
		const struct slab_cache *c = &s->sites.cache[i];

		if (!has_own_pages(c, r->session->page_size))
			continue;
		b->page_objects += c->sums.live;
		b->page_bytes += c->sums.now_bytes;
	}
	b->bulk_objects = bulk;
	/* An object without a row, or whose event was lost, is unknown too. */
	if (s->total.untracked || r->ledger->total.lost) {
		b->bulk_objects = UNKNOWN;
		bulk = 0;
	}
	b->traced_objects = (int64_t)(s->sites.total.live - b->page_objects -
				      (s->total.before_frees - bulk));
	if (s->seens && b->grown_objects > 0)
		b->permille = b->traced_objects < 0 ? 0 :
			      (uint64_t)share_of(b->traced_objects,
						 b->grown_objects, 1000);
	return s->seens != 0;
}

static const struct {
	const char *name, *text;
} faults[] = {
	[FAULT_WRONG_FAMILY] = {
		"wrong_family", "freed by the other family's function",
	},
	[FAULT_DOUBLE_FREE] = { "double_free", "freed twice" },
	[FAULT_SHORT] = { "short", "allocated with fewer bytes than requested" },
};

const char *slab_fault_name(uint32_t kind)
{
	return faults[kind].name;
}

const char *slab_fault_text(uint32_t kind)
{
	return faults[kind].text;
}
