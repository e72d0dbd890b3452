/* SPDX-License-Identifier: MIT */
/* Objects of slab: see parts.h, text slab. */
#include "report/report.h"
#include "report/parts.h"

/* A few objects take less than a KiB. */
static const char *bytes_mark(uint64_t bytes)
{
	return bytes && bytes < 10000 ? "%uB" : "%b";
}

static void put_sums(struct sheet *s, const struct object_sums *k)
{
	const uint64_t at_peak = sums_at_peak(k, s->ledger->epoch);
	const uint64_t waste = k->allocated_bytes -
			       smaller(k->requested_bytes, k->allocated_bytes);
	const struct { const char *mark; uint64_t value; } figures[] = {
		{ bytes_mark(k->now_bytes), k->now_bytes },
		{ bytes_mark(k->peak_bytes), k->peak_bytes },
		{ bytes_mark(at_peak), at_peak },
		{ "%u", k->live },
		{ "%u", k->allocs },
		{ bytes_mark(waste), waste },
		{ "%u", k->cross_cpu_frees },
	};
	size_t column = NAME_COLUMN;

	for (unsigned int i = 0; i < ARRAY_LEN(figures); i++) {
		column += FIGURE_COLUMNS;
		line_figure(&s->line, column, figures[i].mark,
			    figures[i].value);
	}
	column += FIGURE_COLUMNS;
	if (k->oldest_ns && s->r->session->end_ns)
		line_figure(&s->line, column, "%d", s->r->session->end_ns -
			   smaller(k->oldest_ns, s->r->session->end_ns));
}

static void put_cache(struct sheet *s, uint32_t row)
{
	slab_cache_write(&s->line, s->ledger, row, s->r->session->page_size);
}

static void put_site(struct sheet *s, uint32_t row)
{
	if (row == SITE_OTHER)
		line_str(&s->line, "(other)");
	else
		sheet_frame(s, s->ledger->slab.sites.row[row].addr);
}

static void show(void *context, const struct slab_shown *shown)
{
	static const char *const others[SLAB_TABLES] = {
		[SLAB_SITES] = "... and %u more site%s",
		[SLAB_MODULES] = "... and %u more module%s",
		[SLAB_CACHES] = "... and %u more cache%s",
	};
	struct sheet *s = context;
	const struct site *site = &s->ledger->slab.sites.row[shown->row];

	if (!shown->sums) {
		sheet_line(s, others[shown->table],
			   &(uint64_t){ shown->count });
		return;
	}
	if (shown->table == SLAB_MODULES)
		row_write(&s->line, s->ledger, TABLE_MODULES, shown->row);
	else if (shown->table == SLAB_CACHES)
		put_cache(s, shown->row);
	else
		put_site(s, shown->row);
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

static void put_table(struct sheet *s, enum slab_table t)
{
	static const char *const names[SLAB_TABLES] = {
		[SLAB_SITES] = "slab objects by site",
		[SLAB_MODULES] = "slab objects by module",
		[SLAB_CACHES] = "slab objects by cache",
	};

	if (t == SLAB_CACHES && s->r->level < 2 && !s->r->top)
		return;
	line_str(&s->line, names[t]);
	line_pad(&s->line, NAME_COLUMN);
	line_str(&s->line, s->ledger->total.lost ?
		 "    ~now   ~peak at peak ~living  allocs   waste   cross "
		 "~oldest" :
		 "     now    peak at peak  living  allocs   waste   cross "
		 " oldest");
	if (t == SLAB_SITES)
		line_str(&s->line, "  cache");
	sheet_emit(s);
	slab_walk(s->r, t, show, s);
}

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

	if (!slab_balance_get(s->r, &b))
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
		line_str(&s->line, slab_fault_text(f->kind));
		line_str(&s->line, ": ");
		put_site(s, f->site);
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
		if (s->ledger->modules.row[i].state < MODULE_FAILED ||
		    !k->module[i].live)
			continue;
		line_str(&s->line, "left    ");
		row_write(&s->line, s->ledger, TABLE_MODULES, i);
		sheet_line(s, " is gone; %u object%s of it, %u bytes, were not "
			   "seen freed", (const uint64_t[]){ k->module[i].live,
			   k->module[i].now_bytes });
	}
}

void text_slab(struct sheet *s)
{
	if (!s->ledger->slab.on)
		return;
	slab_find_oldest(&s->r->ledger->slab);
	put_totals(s);
	put_balance(s);
	for (unsigned int t = 0; t < SLAB_TABLES; t++)
		put_table(s, (enum slab_table)t);
	put_faults(s);
	put_left(s);
}

/* The site of a line that names the largest one. */
static void show_largest(void *context, const struct slab_shown *shown)
{
	struct sheet *s = context;

	if (!shown->sums)
		return;
	line_str(&s->line, "        most by ");
	put_site(s, shown->row);
	sheet_line(s, " %b in %u object%s", (const uint64_t[]){
		   shown->sums->now_bytes, shown->sums->live });
}

void text_slab_briefly(struct sheet *s)
{
	const struct object_sums *t = &s->ledger->slab.sites.total;
	struct report largest = *s->r;

	if (!s->ledger->slab.on)
		return;
	largest.top = 1;
	sheet_line(s, "slab    %b in %u object%s, peak %b", (const uint64_t[]){
		   t->now_bytes, t->live, t->peak_bytes });
	slab_walk(&largest, SLAB_SITES, show_largest, s);
}
