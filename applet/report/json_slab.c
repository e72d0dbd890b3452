/* SPDX-License-Identifier: MIT */
/* Objects of slab in JSON: see parts.h, json slab. */
#include "report/parts.h"
#include "report/report.h"

static void put_sums(struct sheet *s, const struct object_sums *k)
{
	const uint64_t end_ns = s->r->session->end_ns;

	json_numbers(s, "allocs frees requested_bytes allocated_bytes "
			"live_objects live_bytes peak_bytes at_peak_bytes "
			"cross_cpu_frees settled oldest_ns", (const uint64_t[]){
			k->allocs, k->frees, k->requested_bytes,
			k->allocated_bytes, k->live, k->now_bytes,
			k->peak_bytes, sums_at_peak(k, s->ledger->epoch),
			k->cross_cpu_frees, k->settled,
			k->oldest_ns && end_ns ?
			end_ns - smaller(k->oldest_ns, end_ns) : UNKNOWN });
}

static void put_site(struct sheet *s, uint32_t row)
{
	line_str(&s->line, ",\"site\":\"");
	if (row == SITE_OTHER)
		line_str(&s->line, "(other)");
	else
		sheet_frame(s, s->ledger->slab.sites.row[row].addr);
	line_char(&s->line, '"');
}

static void put_cache(struct sheet *s, uint32_t row)
{
	line_str(&s->line, ",\"cache\":\"");
	slab_cache_write(&s->line, s->ledger, row, s->r->session->page_size);
	line_char(&s->line, '"');
}

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

static void show_site(struct sheet *s, const struct slab_shown *shown)
{
	const struct site *k = &s->ledger->slab.sites.row[shown->row];

	json_begin(s, "slab");
	if (s->r->live)
		json_number(s, "row", shown->row);
	put_site(s, shown->row);
	json_name(s, "module", module_of(s->ledger, k));
	if (k->several || shown->row == SITE_OTHER)
		json_name(s, "cache", "(several)");
	else
		put_cache(s, k->cache);
	put_sums(s, shown->sums);
	json_end(s);
	if (!k->leaf || !live_wishes(s->r, TABLES, shown->row))
		return;
	json_begin(s, "slab_stack");
	put_site(s, shown->row);
	json_frames(s, k->leaf);
}

static void show(void *context, const struct slab_shown *shown)
{
	static const char *const names[SLAB_TABLES] = {
		[SLAB_SITES] = "slab", [SLAB_MODULES] = "slab_module",
		[SLAB_CACHES] = "slab_cache",
	};
	struct sheet *s = context;

	if (!shown->sums) {
		json_begin(s, "rest");
		json_name(s, "of", names[shown->table]);
		json_number(s, "rows", shown->count);
		json_end(s);
		return;
	}
	if (shown->table == SLAB_SITES) {
		show_site(s, shown);
		return;
	}
	json_begin(s, names[shown->table]);
	if (shown->table == SLAB_MODULES)
		json_name(s, "module",
			  row_name(s->ledger, TABLE_MODULES, shown->row));
	else
		put_cache(s, shown->row);
	put_sums(s, shown->sums);
	json_end(s);
}

static void put_balance(struct sheet *s)
{
	const struct slab_totals *t = &s->ledger->slab.total;
	struct slab_balance b;
	const int known = slab_balance_get(s->r, &b);

	json_begin(s, "slab_balance");
	line_numbers(&s->line, "%i", "grown_objects grown_pages traced_objects",
		     (const uint64_t[]){
		     known ? (uint64_t)b.grown_objects : UNKNOWN,
		     known ? (uint64_t)b.grown_pages : UNKNOWN,
		     (uint64_t)b.traced_objects });
	json_numbers(s, "explained_permille page_objects page_objects_bytes "
			"before_frees bulk_objects failed_allocs untracked "
			"late sites_full caches_full faults_full",
			(const uint64_t[]){
			b.permille, b.page_objects, b.page_bytes,
			t->before_frees, b.bulk_objects, t->failed_allocs,
			t->untracked, t->late, s->ledger->slab.sites.full,
			t->caches_full, t->faults_full });
	json_end(s);
}

static void put_fault(struct sheet *s, const char *kind, uint32_t site,
		      uint64_t freed_by, uint64_t count)
{
	json_begin(s, "slab_fault");
	json_name(s, "kind", kind);
	put_site(s, site);
	if (freed_by) {
		line_str(&s->line, ",\"freed_by\":\"");
		sheet_frame(s, freed_by);
		line_char(&s->line, '"');
	}
	json_number(s, "count", count);
	json_end(s);
}

/* A pointer that was handed out while it seemed to live: mostly its object was
 * freed in bulk. Printed for the sites that are shown. */
static void show_reuse(void *context, const struct slab_shown *shown)
{
	if (shown->sums && shown->sums->settled)
		put_fault(context, "live_reuse", shown->row, 0,
			  shown->sums->settled);
}

static void put_faults(struct sheet *s)
{
	const struct slab_ledger *k = &s->ledger->slab;

	for (uint32_t i = 0; i < k->faults; i++)
		if (k->fault[i].count)
			put_fault(s, slab_fault_name(k->fault[i].kind),
				  k->fault[i].site, k->fault[i].freed_by,
				  k->fault[i].count);
	slab_walk(s->r, SLAB_SITES, show_reuse, s);
	for (uint32_t i = MODULES_FIXED; i < s->ledger->modules.used; i++) {
		const struct object_sums *m = &k->sites.module[i];

		if (s->ledger->modules.row[i].state < MODULE_FAILED || !m->live)
			continue;
		json_begin(s, "slab_fault");
		json_name(s, "kind", "unload");
		json_name(s, "module",
			  row_name(s->ledger, TABLE_MODULES, i));
		json_number(s, "count", m->live);
		json_number(s, "live_bytes", m->now_bytes);
		json_end(s);
	}
}

void json_slab(struct sheet *s)
{
	if (!s->ledger->slab.on)
		return;
	slab_find_oldest(&s->r->ledger->slab);
	for (unsigned int t = 0; t < SLAB_TABLES; t++)
		slab_walk(s->r, (enum slab_table)t, show, s);
	put_balance(s);
	put_faults(s);
}

void json_slab_sites(struct sheet *s)
{
	if (s->ledger->slab.on)
		slab_walk(s->r, SLAB_SITES, show, s);
}
