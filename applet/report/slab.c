/* SPDX-License-Identifier: MIT */
/* The objects of slab, as text and JSON: see parts.h, slab. */
#include "report/report.h"
#include "report/parts.h"

/* The growth of the caches by /proc/slabinfo, and what was traced. Objects of
 * kmalloc that are larger than any cache's have pages of their own, and are
 * left out. */
struct slab_balance {
	int64_t grown_objects, grown_pages;
	int64_t traced_objects;		/* live, less those freed from before */
	uint64_t bulk_objects;		/* allocated in bulk, and freed: more were
					 * freed unknown than there were before;
					 * UNKNOWN: they may have been lost */
	uint64_t permille;		/* explained; UNKNOWN: nothing grew */
	uint64_t page_objects, page_bytes;	/* left out, live now */
};

/* 0: slabinfo was not read, so the growth is not known. */
static int get_balance(const struct report *r, struct slab_balance *b)
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

		if (!slab_has_own_pages(c, r->session->page_size))
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

/* A module that is gone while objects of it live. */
static int is_left(const struct ledger *l, uint32_t row)
{
	return l->modules.row[row].state >= MODULE_FAILED &&
	       l->slab.sites.module[row].live;
}

static const struct {
	const char *name, *text;	/* in JSON; in words */
} faults[] = {
	[FAULT_WRONG_FAMILY] = {
		"wrong_family", "freed by the other family's function",
	},
	[FAULT_DOUBLE_FREE] = { "double_free", "freed twice" },
	[FAULT_SHORT] = { "short", "allocated with fewer bytes than requested" },
};

static void put_tables(struct sheet *s, void (*show)(void *context,
						     const struct shown *shown))
{
	for (unsigned int t = TABLE_SITES; t < TABLES; t++)
		select_table(s->r, (enum table)t, show, s);
}

/* --- text --- */

static void put_totals(struct sheet *s)
{
	const struct slab_ledger *k = &s->ledger->slab;
	const struct object_sums *t = &k->sites.total;

	sheet_line(s, "slab    %b in %u object%s, peak %b; %u allocated (%b, of "
		   "which %b waste)", (const uint64_t[]){
		   t->now_bytes, t->live, t->peak_bytes, t->allocs,
		   t->allocated_bytes, t->allocated_bytes -
		   smaller(t->requested_bytes, t->allocated_bytes) });
	sheet_line(s, "        %u freed, %u of them on another CPU; %u without "
		   "an event; %u unknown", (const uint64_t[]){
		   t->frees, t->cross_cpu_frees, t->settled,
		   k->total.before_frees });
	if (k->total.untracked || k->sites.full)
		sheet_line(s, "        no room for %u object%s, nor for the sites "
			   "of %u: raise rd.memstrack.slab", (const uint64_t[]){
			   k->total.untracked, k->sites.full });
	if (k->sites.cache[SLAB_CACHE_OTHER].sums.allocs)
		sheet_line(s, "        no room for the caches of %u object%s",
			   &k->sites.cache[SLAB_CACHE_OTHER].sums.allocs);
	if (k->total.caches_full)
		sheet_line(s, "        the balance is without %u line%s of "
			   "slabinfo", &k->total.caches_full);
}

static void put_balance(struct sheet *s)
{
	struct slab_balance b;

	if (!get_balance(s->r, &b))
		return;
	line_fill(&s->line, "        the caches grew by %i objects, %q of pages; "
		  "of these objects %i traced", (const uint64_t[]){
		  (uint64_t)b.grown_objects, (uint64_t)b.grown_pages,
		  (uint64_t)b.traced_objects });
	if (b.permille != UNKNOWN)
		line_fill(&s->line, " (%m%%)", &b.permille);
	sheet_emit(s);
	if (b.bulk_objects && b.bulk_objects != UNKNOWN)
		sheet_line(s, "        of the unknown ones %u were allocated in "
			   "bulk, at least", &b.bulk_objects);
	if (b.page_objects)
		sheet_line(s, "        %u object%s of %b have pages of their own",
			   (const uint64_t[]){ b.page_objects, b.page_bytes });
}

static void put_faults(struct sheet *s)
{
	const struct slab_ledger *k = &s->ledger->slab;

	for (uint32_t i = 0; i < k->faults; i++) {
		const struct object_fault *f = &k->fault[i];

		if (!f->count)
			continue;
		line_fill(&s->line, "suspect %u ", &f->count);
		line_str(&s->line, faults[f->kind].text);
		line_str(&s->line, ": ");
		sheet_site(s, f->site);
		if (f->freed_by) {
			line_str(&s->line, ", by ");
			sheet_frame(s, f->freed_by);
		}
		sheet_emit(s);
	}
	if (k->total.faults_full)
		sheet_line(s, "suspect %u more, at other sites",
			   &k->total.faults_full);
}

static void put_left(struct sheet *s)
{
	const struct sites *k = &s->ledger->slab.sites;

	for (uint32_t i = MODULES_FIXED; i < s->ledger->modules.used; i++) {
		if (!is_left(s->ledger, i))
			continue;
		line_str(&s->line, "left    ");
		row_write(&s->line, s->ledger, TABLE_MODULES, i);
		sheet_line(s, " is gone; %u object%s of it, %u bytes, were not "
			   "seen freed", (const uint64_t[]){ k->module[i].live,
			   k->module[i].now_bytes });
	}
}

static void text_objects(struct sheet *s)
{
	put_totals(s);
	put_balance(s);
	put_tables(s, text_show);
	put_faults(s);
	put_left(s);
}

/* The site of a line that names the largest one. */
static void show_largest(void *context, const struct shown *shown)
{
	struct sheet *s = context;

	if (shown->kind != SHOWN_ROW)
		return;
	line_str(&s->line, "        most by ");
	sheet_site(s, shown->row);
	sheet_line(s, " %b in %u object%s", (const uint64_t[]){
		   shown->value[SUMS_NOW], shown->value[SUMS_LIVE] });
}

void slab_text_briefly(struct sheet *s)
{
	const struct object_sums *t = &s->ledger->slab.sites.total;
	struct report largest = *s->r;

	if (!ledger_has_objects(s->ledger))
		return;
	largest.top = 1;
	sheet_line(s, "slab    %b in %u object%s, peak %b", (const uint64_t[]){
		   t->now_bytes, t->live, t->peak_bytes });
	select_table(&largest, TABLE_SITES, show_largest, s);
}

/* --- JSON --- */

static void json_balance(struct sheet *s)
{
	const struct slab_totals *t = &s->ledger->slab.total;
	struct slab_balance b;
	const int known = get_balance(s->r, &b);

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
	sheet_site(s, site);
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
static void show_reuse(void *context, const struct shown *shown)
{
	if (shown->kind == SHOWN_ROW && shown->value[SUMS_SETTLED])
		put_fault(context, "live_reuse", shown->row, 0,
			  shown->value[SUMS_SETTLED]);
}

static void json_faults(struct sheet *s)
{
	const struct slab_ledger *k = &s->ledger->slab;

	for (uint32_t i = 0; i < k->faults; i++)
		if (k->fault[i].count)
			put_fault(s, faults[k->fault[i].kind].name,
				  k->fault[i].site, k->fault[i].freed_by,
				  k->fault[i].count);
	select_table(s->r, TABLE_SITES, show_reuse, s);
	for (uint32_t i = MODULES_FIXED; i < s->ledger->modules.used; i++) {
		const struct object_sums *m = &k->sites.module[i];

		if (!is_left(s->ledger, i))
			continue;
		json_begin(s, "slab_fault");
		json_name(s, "kind", "unload");
		json_row_name(s, "module", TABLE_MODULES, i);
		json_numbers(s, "count live_bytes",
			     (const uint64_t[]){ m->live, m->now_bytes });
		json_end(s);
	}
}

static void json_objects(struct sheet *s)
{
	put_tables(s, json_show);
	json_balance(s);
	json_faults(s);
}

void slab_write(struct sheet *s)
{
	if (!ledger_has_objects(s->ledger))
		return;
	slab_find_oldest(&s->r->ledger->slab);
	if (sheet_is_json(s))
		json_objects(s);
	else
		text_objects(s);
}
