/* SPDX-License-Identifier: MIT */
/* See report.h, rank. */
#include <string.h>
#include "report/parts.h"
#include "report/report.h"

static const struct count *row_count(const struct ledger *l, enum table t,
				     uint32_t row)
{
	return t == TABLE_MODULES ? &l->modules.row[row].pages :
	       t == TABLE_KINDS ? kind_count(l, row) :
	       t == TABLE_INITCALLS ? &l->initcalls.row[row].pages :
	       t == TABLE_TASKS ? &l->tasks.row[row].pages :
				  &l->areas.caller[row].pages;
}

/* Does vmalloc hold pages that are in no other column? If each of them has an
 * event of its own (before Linux 5.14, and on 7.2), none are: then the columns
 * image and vmalloc are not known, rather than 0. */
static int areas_apart(const struct ledger *l)
{
	return l->areas.held.peak || is_sampled(l);
}

uint32_t row_holds(const struct ledger *l, enum table t, uint32_t row,
		  int at_peak)
{
	const struct module *m = &l->modules.row[row];
	const struct task *k = &l->tasks.row[row];

	if (t == TABLE_MODULES)
		return at_peak ? module_at_peak(m, l->epoch) : module_holds(m);
	if (t == TABLE_TASKS)
		return at_peak ? task_at_peak(k, l->epoch) : task_holds(k);
	return count_when(row_count(l, t, row), l->epoch, at_peak);
}

static void held_pages(const struct ledger *l, enum table t, uint32_t row,
		       uint64_t pages[PAGE_COUNTS])
{
	pages[PAGES_HELD] = row_holds(l, t, row, 0);
	if (of_books(l))
		return;
	pages[PAGES_HELD_PEAK] = row_peak(l, t, row);
	pages[PAGES_HELD_AT_PEAK] = row_holds(l, t, row, 1);
}

static void area_pages_of(const struct ledger *l, enum table t, uint32_t row,
			  uint64_t pages[PAGE_COUNTS])
{
	const struct module *m = &l->modules.row[row];
	const struct task *k = &l->tasks.row[row];

	if (t == TABLE_TASKS && l->areas.charged.peak) {
		pages[PAGES_VMALLOC] = k->vmalloc.now;
		pages[PAGES_VMALLOC_PEAK] = k->vmalloc.peak;
	}
	if (t != TABLE_MODULES || !areas_apart(l))
		return;
	pages[PAGES_VMALLOC] = m->vmalloc.now;
	pages[PAGES_VMALLOC_PEAK] = m->vmalloc.peak;
	if (is_sampled(l))	/* the image is what the row counts */
		return;
	pages[PAGES_IMAGE] = m->image.now;
	pages[PAGES_IMAGE_PEAK] = m->image.peak;
}

/* Is anything known of these kinds? Areas may be in no event at all. */
static int kinds_are_seen(const struct ledger *l)
{
	return l->kinds.known && !is_sampled(l) && !of_books(l) &&
	       (areas_apart(l) || l->kinds.row[KIND_MODULES].peak ||
		l->kinds.row[KIND_VMALLOC].peak);
}

/* Tasks have no column for images. */
static void kind_pages(const struct ledger *l, enum table t, uint32_t row,
		       uint64_t pages[PAGE_COUNTS])
{
	uint64_t of_kind[KINDS];

	pages[PAGES_KIND_IMAGE] = pages[PAGES_IMAGE];
	pages[PAGES_KIND_VMALLOC] = pages[PAGES_VMALLOC];
	if (!kinds_are_seen(l))
		return;
	kinds_of_row(l, t, row, 0, of_kind);
	if (t == TABLE_MODULES)
		pages[PAGES_KIND_IMAGE] = of_kind[KIND_MODULES];
	if (t == TABLE_MODULES || l->areas.charged.peak)
		pages[PAGES_KIND_VMALLOC] = of_kind[KIND_VMALLOC];
}

void row_pages(const struct ledger *l, enum table t, uint32_t row,
	       uint64_t pages[PAGE_COUNTS])
{
	const struct count *c = row_count(l, t, row);

	for (unsigned int i = PAGES_IMAGE; i < PAGE_COUNTS; i++)
		pages[i] = UNKNOWN;
	pages[PAGES_NOW] = c->now;
	pages[PAGES_PEAK] = c->peak;
	pages[PAGES_AT_PEAK] = count_at_peak(c, l->epoch);
	if (t == TABLE_CALLERS || of_books(l))
		pages[PAGES_AT_PEAK] = UNKNOWN;
	if (of_books(l))
		pages[PAGES_PEAK] = UNKNOWN;
	if (t >= TABLE_KINDS)
		return;
	held_pages(l, t, row, pages);
	area_pages_of(l, t, row, pages);
	kind_pages(l, t, row, pages);
}

static const struct object_sums *row_sums(const struct ledger *l,
					  enum table t, uint32_t row)
{
	const struct sites *s = &l->slab.sites;

	return t == TABLE_SITES ? &s->row[row].sums :
	       t == TABLE_CACHES ? &s->cache[row].sums : &s->module[row];
}

static void sums_values(const struct report *r, const struct object_sums *k,
			uint64_t value[COLUMNS])
{
	const uint64_t end_ns = r->session->end_ns;

	value[SUMS_ALLOCS] = k->allocs;
	value[SUMS_FREES] = k->frees;
	value[SUMS_REQUESTED] = k->requested_bytes;
	value[SUMS_ALLOCATED] = k->allocated_bytes;
	value[SUMS_LIVE] = k->live;
	value[SUMS_NOW] = k->now_bytes;
	value[SUMS_PEAK] = k->peak_bytes;
	value[SUMS_AT_PEAK] = sums_at_peak(k, r->ledger->epoch);
	value[SUMS_CROSS] = k->cross_cpu_frees;
	value[SUMS_SETTLED] = k->settled;
	if (k->oldest_ns && end_ns)
		value[SUMS_OLDEST] = end_ns - smaller(k->oldest_ns, end_ns);
	value[SUMS_WASTE] = k->allocated_bytes -
			    smaller(k->requested_bytes, k->allocated_bytes);
}

void row_values(const struct report *r, enum table t, uint32_t row,
		uint64_t value[COLUMNS])
{
	for (unsigned int i = 0; i < COLUMNS; i++)
		value[i] = UNKNOWN;
	if (is_of_objects(t))
		sums_values(r, row_sums(r->ledger, t, row), value);
	else
		row_pages(r->ledger, t, row, value);
}

uint32_t table_rows(const struct ledger *l, enum table t)
{
	const struct sites *s = &l->slab.sites;

	if (is_of_objects(t))
		return t == TABLE_SITES ? s->used :
		       t == TABLE_CACHES ? s->caches : s->modules;
	return t == TABLE_MODULES ? l->modules.used :
	       t == TABLE_TASKS ? l->tasks.used :
	       t == TABLE_INITCALLS ? l->initcalls.used :
	       t == TABLE_CALLERS ? l->areas.callers :
	       kinds_are_known(l) ? KINDS : 0;
}

void table_pages(const struct ledger *l, enum table t,
		 uint64_t pages[PAGE_COUNTS])
{
	uint64_t row[PAGE_COUNTS];

	memset(pages, 0, PAGE_COUNTS * sizeof(*pages));
	for (uint32_t n = 0; n < table_rows(l, t); n++) {
		row_pages(l, t, n, row);
		for (unsigned int i = 0; i < PAGE_COUNTS; i++)
			pages[i] = row[i] == UNKNOWN ? UNKNOWN :
				   pages[i] + row[i];
	}
	pages[PAGES_PEAK] = pages[PAGES_IMAGE_PEAK] = UNKNOWN;
	pages[PAGES_VMALLOC_PEAK] = pages[PAGES_HELD_PEAK] = UNKNOWN;
}

uint32_t row_peak(const struct ledger *l, enum table t, uint32_t row)
{
	return t == TABLE_MODULES ? l->modules.row[row].held_peak :
	       t == TABLE_TASKS ? l->tasks.row[row].held_peak :
	       row_count(l, t, row)->peak;
}

int row_is_used(const struct ledger *l, enum table t, uint32_t row)
{
	return is_of_objects(t) ? row_sums(l, t, row)->allocs != 0 :
				  row_peak(l, t, row) != 0;
}

uint32_t row_shown(const struct ranking *k, uint32_t row)
{
	const struct count *c = row_count(k->ledger, k->table, row);

	if (k->order == BY_PEAK || (k->order == BY_AT_PEAK &&
				    k->table == TABLE_CALLERS))
		return c->peak;
	return k->order == BY_NOW ? c->now :
	       row_holds(k->ledger, k->table, row, k->order == BY_AT_PEAK);
}

void stack_pages(const struct ranking *k, uint32_t item,
		 uint64_t pages[PAGES_AT_PEAK])
{
	if (k->table == TABLE_MODULES) {
		const struct stack_node *n = &k->ledger->stacks.node[item];

		pages[PAGES_NOW] = n->pages.now;
		pages[PAGES_PEAK] = n->pages.peak;
	} else {
		const struct owner *o = &k->ledger->owners.row[item];

		pages[PAGES_NOW] = o->now;
		pages[PAGES_PEAK] = o->peak;
	}
	if (of_books(k->ledger))
		pages[PAGES_PEAK] = UNKNOWN;
}

/* The item of greater weight comes first. A group has no peak. */
static uint64_t weight(const struct ranking *k, uint32_t item)
{
	uint64_t pages[PAGES_AT_PEAK];

	if (item & ITEM_GROUP)
		return (uint64_t)item_group(k, item)[1] << 32;
	if (!k->stacks)
		return (uint64_t)row_shown(k, item) << 32 |
		       row_peak(k->ledger, k->table, item);
	stack_pages(k, item, pages);
	return k->order > BY_PEAK ? pages[PAGES_NOW] :
	       pages[PAGES_PEAK] << 32 | pages[PAGES_NOW];
}

/* By peak, when memory runs out by what is held now; then by row. */
static int sums_before(const struct ranking *k, uint32_t a, uint32_t b)
{
	const struct object_sums *x = row_sums(k->ledger, k->table, a);
	const struct object_sums *y = row_sums(k->ledger, k->table, b);
	const int by_peak = k->order <= BY_PEAK;
	const uint64_t first = by_peak ? x->peak_bytes : x->now_bytes;
	const uint64_t second = by_peak ? y->peak_bytes : y->now_bytes;

	if (first != second)
		return first > second;
	return x->allocs != y->allocs ? x->allocs > y->allocs : a < b;
}

static int before(const struct ranking *k, uint32_t a, uint32_t b)
{
	const uint32_t row_a = item_row(k, a), row_b = item_row(k, b);
	const struct task *t;
	uint64_t weight_a, weight_b;
	int sign = 0;

	if (k->before)		/* of rows that may be of no ledger */
		return k->before(k, a, b);
	if (is_of_objects(k->table))
		return sums_before(k, a, b);
	t = k->ledger->tasks.row;
	if (k->by_name)
		sign = strcmp(row_name(k->ledger, k->table, a),
			      row_name(k->ledger, k->table, b));
	if (sign)
		return sign < 0;
	weight_a = weight(k, a);
	weight_b = weight(k, b);
	if (weight_a != weight_b)
		return weight_a > weight_b;
	if (!k->stacks)
		sign = strcmp(row_name(k->ledger, k->table, row_a),
			      row_name(k->ledger, k->table, row_b));
	if (!sign && !k->stacks && k->table == TABLE_TASKS)
		sign = (t[row_a].tid > t[row_b].tid) -
		       (t[row_a].tid < t[row_b].tid);
	return sign ? sign < 0 : a < b;
}

/* A heap: item 0 is the last in order of all items, and each item is the last
 * of those below it. */
static void sift_down(const struct ranking *k, uint32_t at, uint32_t count)
{
	uint32_t *item = k->item, child;

	for (; (child = 2 * at + 1) < count; at = child) {
		uint32_t kept = item[at];

		if (child + 1 < count &&
		    before(k, item[child], item[child + 1]))
			child++;
		if (!before(k, kept, item[child]))
			return;
		item[at] = item[child];
		item[child] = kept;
	}
}

static void make_heap(const struct ranking *k)
{
	for (uint32_t i = k->kept / 2; i-- > 0;)
		sift_down(k, i, k->kept);
}

void ranking_offer(struct ranking *k, uint32_t item)
{
	k->offered++;
	if (k->kept < k->capacity) {
		k->item[k->kept++] = item;
		if (k->kept == k->capacity)
			make_heap(k);
	} else if (k->capacity && before(k, item, k->item[0])) {
		k->item[0] = item;
		sift_down(k, 0, k->kept);
	}
}

void ranking_sort(struct ranking *k)
{
	make_heap(k);
	for (uint32_t n = k->kept; n > 1;) {
		uint32_t last = k->item[0];

		k->item[0] = k->item[--n];
		k->item[n] = last;
		sift_down(k, 0, n);
	}
}
