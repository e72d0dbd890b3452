/* SPDX-License-Identifier: MIT */
/* Tables of the objects of slab, as text and JSON: see parts.h, slab rows. */
#include "report/report.h"
#include "report/parts.h"

#define ROWS_BRIEFLY 5u
#define ROWS_SHOWN 10u

/* The largest object of kmalloc that is in a cache: KMALLOC_MAX_CACHE_SIZE of
 * SLUB, two pages. */
int slab_has_own_pages(const struct slab_cache *c, uint64_t page_bytes)
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

/* "kmalloc-64", "dentry"; "(192 bytes)" if several caches have this size. */
static void write_cache(struct line *l, const struct ledger *g, uint32_t row,
			uint64_t page_bytes)
{
	const struct slab_cache *c = &g->slab.sites.cache[row];
	const char *name = c->name[0] ? c->name :
			   only_name(&g->slab, c->object_bytes);

	if (row == SLAB_CACHE_OTHER)
		line_str(l, "(other)");
	else if (slab_has_own_pages(c, page_bytes))
		line_fill(l, "(pages, %u)", &c->object_bytes);
	else if (c->is_kmalloc)
		line_fill(l, "kmalloc-%u", &c->object_bytes);
	else if (name)
		line_name(l, name);
	else
		line_fill(l, "(%u bytes)", &c->object_bytes);
}

/* Of a row, in the order of JSON. */
enum {
	SUMS_ALLOCS, SUMS_FREES, SUMS_REQUESTED, SUMS_ALLOCATED,
	SUMS_LIVE, SUMS_NOW, SUMS_PEAK, SUMS_AT_PEAK, SUMS_CROSS,
	SUMS_SETTLED, SUMS_OLDEST, SUMS_WASTE, SUMS_COUNTS,
};
#define SUMS_KEYS "allocs frees requested_bytes allocated_bytes " \
	"live_objects live_bytes peak_bytes at_peak_bytes cross_cpu_frees " \
	"settled oldest_ns"

static const struct text_column columns[] = {
	{ SUMS_NOW, 'b', "~now" }, { SUMS_PEAK, 'b', "~peak" },
	{ SUMS_AT_PEAK, 'b', "at peak" }, { SUMS_LIVE, 'u', "~living" },
	{ SUMS_ALLOCS, 'u', "allocs" }, { SUMS_WASTE, 'b', "waste" },
	{ SUMS_CROSS, 'u', "cross" }, { SUMS_OLDEST, 'd', "~oldest" },
};

static void put_sums(struct sheet *s, const struct object_sums *k)
{
	const uint64_t end_ns = s->r->session->end_ns;
	const uint64_t value[SUMS_COUNTS] = {
		k->allocs, k->frees, k->requested_bytes, k->allocated_bytes,
		k->live, k->now_bytes, k->peak_bytes,
		sums_at_peak(k, s->ledger->epoch), k->cross_cpu_frees,
		k->settled, k->oldest_ns && end_ns ?
		end_ns - smaller(k->oldest_ns, end_ns) : UNKNOWN,
		k->allocated_bytes -
		smaller(k->requested_bytes, k->allocated_bytes),
	};

	if (sheet_is_json(s))
		json_numbers(s, SUMS_KEYS, value);
	else
		text_figures(s, columns, ARRAY_LEN(columns), value);
}

/* In JSON as a member. */
static void put_cache(struct sheet *s, uint32_t row)
{
	const int json = sheet_is_json(s);

	line_str(&s->line, json ? ",\"cache\":\"" : "");
	write_cache(&s->line, s->ledger, row, s->r->session->page_size);
	line_str(&s->line, json ? "\"" : "");
}

void slab_site_write(struct sheet *s, uint32_t row)
{
	const int json = sheet_is_json(s);

	line_str(&s->line, json ? ",\"site\":\"" : "");
	if (row == SITE_OTHER)
		line_str(&s->line, "(other)");
	else
		sheet_frame(s, s->ledger->slab.sites.row[row].addr);
	line_str(&s->line, json ? "\"" : "");
}

static const struct slab_names {
	const char *type, *heading, *others;
} names[SLAB_TABLES] = {
	[SLAB_SITES] = {
		"slab", "slab objects by site", "... and %u more site%s",
	},
	[SLAB_MODULES] = {
		"slab_module", "slab objects by module",
		"... and %u more module%s",
	},
	[SLAB_CACHES] = {
		"slab_cache", "slab objects by cache",
		"... and %u more cache%s",
	},
};

/* --- text --- */

static void show_text(void *context, const struct slab_shown *shown)
{
	struct sheet *s = context;
	const struct site *site = &s->ledger->slab.sites.row[shown->row];

	if (!shown->sums) {
		sheet_line(s, names[shown->table].others,
			   &(uint64_t){ shown->count });
		return;
	}
	if (shown->table == SLAB_MODULES)
		row_write(&s->line, s->ledger, TABLE_MODULES, shown->row);
	else if (shown->table == SLAB_CACHES)
		put_cache(s, shown->row);
	else
		slab_site_write(s, shown->row);
	put_sums(s, shown->sums);
	if (shown->table == SLAB_SITES && shown->row != SITE_OTHER) {
		line_str(&s->line, "  ");
		if (site->several)
			line_str(&s->line, "(several)");
		else
			put_cache(s, site->cache);
	}
	sheet_emit(s);
	if (shown->table == SLAB_SITES && site->leaf && s->r->level > 1)
		text_frames(s, site->leaf);
}

/* --- JSON --- */

/* The module in whose text the site lies, or of its chain. */
static const char *module_of(const struct ledger *l, const struct site *k)
{
	const uint64_t row = k->leaf ? stacks_root(&l->stacks, k->leaf) :
			     stack_addr_retired(k->addr) ?
			     stack_retired_row(k->addr) :
			     modules_at(&l->modules, k->addr - 1);

	return row && row < l->modules.used ?
	       row_name(l, TABLE_MODULES, (uint32_t)row) : "";
}

static void put_names(struct sheet *s, const struct slab_shown *shown)
{
	const struct site *k = &s->ledger->slab.sites.row[shown->row];

	json_begin(s, names[shown->table].type);
	if (shown->table != SLAB_SITES) {
		if (shown->table == SLAB_MODULES)
			json_row_name(s, "module", TABLE_MODULES, shown->row);
		else
			put_cache(s, shown->row);
		return;
	}
	if (s->r->live)
		json_number(s, "row", shown->row);
	slab_site_write(s, shown->row);
	json_name(s, "module", module_of(s->ledger, k));
	if (k->several || shown->row == SITE_OTHER)
		json_name(s, "cache", "(several)");
	else
		put_cache(s, k->cache);
}

static void show_json(void *context, const struct slab_shown *shown)
{
	struct sheet *s = context;
	const struct site *k = &s->ledger->slab.sites.row[shown->row];

	if (!shown->sums) {
		json_begin(s, "rest");
		json_name(s, "of", names[shown->table].type);
		json_number(s, "rows", shown->count);
		json_end(s);
		return;
	}
	put_names(s, shown);
	put_sums(s, shown->sums);
	json_end(s);
	if (shown->table != SLAB_SITES || !k->leaf ||
	    !live_wishes(s->r, TABLES, shown->row))
		return;
	json_begin(s, "slab_stack");
	slab_site_write(s, shown->row);
	json_frames(s, k->leaf);
}

void slab_table_write(struct sheet *s, enum slab_table t)
{
	const int json = sheet_is_json(s);

	if (!json && rows_shown(s->r, t)) {
		line_str(&s->line, names[t].heading);
		text_heading(s, columns, ARRAY_LEN(columns));
		line_str(&s->line, t == SLAB_SITES ? "  cache" : "");
		sheet_emit(s);
	}
	slab_walk(s->r, t, json ? show_json : show_text, s);
}
