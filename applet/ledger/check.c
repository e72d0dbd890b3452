/* SPDX-License-Identifier: MIT */
/*
 * The books must balance: two sums over the same pages must be equal.
 *
 * The check walks all tables, so only tests and sanitized builds call it.
 */
#include <stddef.h>
#include "ledger/events.h"
#include "ledger/ledger.h"

static uint32_t areas_of(const struct ledger *l, uint32_t task)
{
	const struct areas *a = &l->areas;
	uint32_t held = 0;

	for (uint32_t i = 1; i < a->used; i++)
		if (a->row[i].base && area_task(&a->row[i], &l->tasks) == task)
			held += area_pages(&a->row[i]);
	return held;
}

static const char *check_tasks(const struct ledger *l)
{
	uint64_t now = 0, at_peak = 0, tree = 0;
	uint32_t areas = 0;

	for (uint32_t i = 0; i < l->tasks.used; i++) {
		const struct task *k = &l->tasks.row[i];
		uint64_t held = l->owners.row[i].now;

		for (uint32_t o = k->owners; o; o = l->owners.row[o].task_next)
			held += l->owners.row[o].now;
		if (held != k->pages.now && !is_sampled(l))
			return "a task's owners do not add up to it";
		if (k->pages.now > k->pages.peak ||
		    task_holds(k) > k->held_peak ||
		    task_at_peak(k, l->epoch) > k->held_peak)
			return "a task holds more than its peak";
		if (idle_has(&l->tasks.idle, i) != task_may_go(l, i))
			return "the set of idle tasks is wrong";
		if (k->vmalloc.peak && areas_of(l, i) != k->vmalloc.now)
			return "a task's areas do not add up to its vmalloc";
		areas += k->vmalloc.now;
		now += k->pages.now;
		tree += k->in_tree ? k->pages.now : 0;
		at_peak += count_at_peak(&k->pages, l->epoch);
	}
	if (areas != l->areas.charged.now)
		return "vmalloc of tasks does not add up to the total";
	if (is_sampled(l))
		return NULL;
	if (tree != l->tree_pages)
		return "tasks of the tree do not add up to it";
	if (now != l->traced.now)
		return "tasks do not add up to the total";
	if (at_peak != count_at_peak(&l->traced, l->epoch))
		return "tasks at the peak do not add up to the peak";
	return NULL;
}

static const char *check_modules(const struct ledger *l)
{
	uint64_t now = 0, at_peak = 0;
	uint32_t areas = 0, areas_at_peak = 0;

	for (uint32_t i = 0; i < l->modules.used; i++) {
		const struct module *m = &l->modules.row[i];
		const uint32_t pages = count_at_peak(&m->pages, l->epoch);

		if (module_holds(m) > m->held_peak ||
		    module_at_peak(m, l->epoch) > m->held_peak)
			return "a module holds more than its peak";
		if (idle_has(&l->modules.idle, i) != module_may_go(m))
			return "the set of idle modules is wrong";
		areas += module_holds(m) - m->pages.now;
		areas_at_peak += module_at_peak(m, l->epoch) - pages;
		now += m->pages.now;
		at_peak += pages;
	}
	if (now != l->traced.now && !is_sampled(l))
		return "modules do not add up to the total";
	if (at_peak != count_at_peak(&l->traced, l->epoch) && !is_sampled(l))
		return "modules at the peak do not add up to the peak";
	if (areas_at_peak != count_at_peak(&l->areas.held, l->epoch))
		return "areas of modules at the peak do not add up to it";
	return areas == l->areas.held.now ? NULL :
	       "images and vmalloc of modules do not add up to the areas";
}

static const char *check_stacks(const struct ledger *l)
{
	const struct stacks *s = &l->stacks;
	uint64_t leaves = 0, owned = 0, held = 0;

	for (uint32_t i = 0; i < s->used; i++) {
		const struct stack_node *n = &s->node[i];

		if (i < s->roots || !stack_is_leaf(n))
			continue;
		if (n->pages.now > n->pages.peak)
			return "a stack holds more than its peak";
		if (n->pages.peak >
		    l->modules.row[stacks_root(s, i)].pages.peak)
			return "a stack has a higher peak than its module";
		leaves += n->pages.now;
	}
	for (uint32_t i = 0; i < l->owners.used; i++) {
		if (idle_has(&l->owners.idle, i) !=
		    (i >= l->owners.fixed && !l->owners.row[i].now))
			return "the set of idle owners is wrong";
		held += l->owners.row[i].now;
		if (l->owners.row[i].leaf >= s->roots)
			owned += l->owners.row[i].now;
	}
	if (leaves != owned)
		return "stacks do not add up to their owners";
	return held == l->traced.now ? NULL :
	       "owners do not add up to the total";
}

static const char *check_pages(const struct ledger *l)
{
	const struct pages *p = &l->pages;
	uint64_t held = 0;

	if (p->flat)
		for (uint64_t i = 0; i < pages_flat_bytes(&p->ram) /
					 sizeof(*p->flat); i++)
			held += p->flat[i] != 0;
	else
		for (uint64_t i = 0; i <= p->mask; i++)
			held += p->slot[i].owner != 0;
	if (held != p->used_pages)
		return "the page table does not count its entries right";
	return held == l->traced.now ? NULL :
	       "pages with an owner do not add up to the total";
}

static const char *check_initcalls(const struct ledger *l)
{
	const struct initcalls *c = &l->initcalls;
	uint64_t held = 0, owned = 0;

	for (uint32_t i = 0; i < c->used; i++) {
		held += c->row[i].pages.now;
		if (c->row[i].pages.now > c->row[i].pages.peak)
			return "an initcall holds more than its peak";
	}
	for (uint32_t i = 0; i < l->owners.used; i++) {
		const uint32_t row = initcall_of_owner(l, i);

		if (row && i >= l->owners.fixed && !c->row[row].addr &&
		    row != INITCALL_OTHER)
			return "an owner's initcall has no row";
		owned += row ? l->owners.row[i].now : 0;
	}
	return held == owned ? NULL :
	       "initcalls do not add up to their owners";
}

static const char *check_areas(const struct ledger *l)
{
	const struct areas *a = &l->areas;
	uint32_t held = 0, called = 0;

	for (uint32_t i = 0; i < a->used; i++)
		held += area_pages(&a->row[i]);
	for (uint32_t i = 0; i < a->callers; i++)
		called += a->caller[i].pages.now;
	if (called != a->held.now)
		return "callers do not add up to the areas";
	return held == a->held.now ? NULL : "areas do not add up";
}

/* A forged trace may have areas of 2^32 pages: all sums wrap in the same
 * way. */
static const char *check_kinds(const struct ledger *l)
{
	uint32_t now = 0, at_peak = 0, held[KINDS] = { 0 };

	for (uint32_t i = 0; i < l->owners.used; i++)
		held[kind_of_leaf(l, l->owners.row[i].leaf)] +=
			l->owners.row[i].now;
	for (uint32_t i = 0; i < l->areas.callers; i++) {
		const struct caller *c = &l->areas.caller[i];

		held[kind_of_areas(c)] += c->pages.now - c->image.now;
		held[KIND_MODULES] += c->image.now;
	}
	for (uint32_t i = 0; i < KINDS; i++) {
		const struct count *c = &l->kinds.row[i];

		if (c->now > c->peak)
			return "a kind of page holds more than its peak";
		if (c->now != held[i])
			return "stacks and callers of a kind do not add up";
		now += c->now;
		at_peak += count_at_peak(c, l->epoch);
	}
	if (now != l->traced.now + l->areas.held.now)
		return "kinds do not add up to the total";
	return at_peak == count_at_peak(&l->traced, l->epoch) +
			  count_at_peak(&l->areas.held, l->epoch) ? NULL :
	       "kinds at the peak do not add up to the peak";
}

static void add_sums(struct object_sums *to, const struct object_sums *s,
		     uint32_t epoch)
{
	to->allocs += s->allocs;
	to->frees += s->frees;
	to->settled += s->settled;
	to->live += s->live;
	to->allocated_bytes += s->allocated_bytes;
	to->now_bytes += s->now_bytes;
	to->kept_bytes += sums_at_peak(s, epoch);
}

static int is_total(const struct ledger *l, const struct object_sums *s)
{
	const struct object_sums *t = &l->slab.sites.total;

	return s->allocs == t->allocs && s->frees == t->frees &&
	       s->settled == t->settled && s->live == t->live &&
	       s->allocated_bytes == t->allocated_bytes &&
	       s->now_bytes == t->now_bytes &&
	       s->kept_bytes == sums_at_peak(t, l->epoch);
}

static const char *check_objects(const struct ledger *l)
{
	const struct sites *s = &l->slab.sites;
	const struct object_sums *t = &s->total;
	struct object_sums sites = { 0 }, modules = { 0 }, caches = { 0 };
	uint64_t live = 0, bytes = 0;

	for (uint32_t i = 0; i < s->used; i++)
		add_sums(&sites, &s->row[i].sums, l->epoch);
	for (uint32_t i = 0; i < s->modules; i++)
		add_sums(&modules, &s->module[i], l->epoch);
	for (uint32_t i = 0; i < s->caches; i++)
		add_sums(&caches, &s->cache[i].sums, l->epoch);
	for (uint32_t i = 1; i < l->slab.objects.used; i++) {
		const struct object *k = &l->slab.objects.row[i];

		live += k->flags & OBJECT_LIVE;
		bytes += k->flags & OBJECT_LIVE ? k->bytes : 0;
	}
	if (!is_total(l, &sites) || !is_total(l, &modules) ||
	    !is_total(l, &caches))
		return "sites, modules or caches of objects do not add up";
	if (live != t->live || live != l->slab.objects.live ||
	    bytes != t->now_bytes)
		return "objects that live do not add up";
	return t->allocs == t->frees + t->settled + t->live +
			    l->slab.total.untracked ? NULL :
	       "objects allocated are not freed, settled, live or untracked";
}

/* Do the columns hold at most as much as all rows? */
static int columns_fit(const struct series *s, uint32_t point)
{
	uint64_t held = 0;

	for (uint32_t c = 0; c < s->columns; c++)
		held += history_pages(s, c, point);
	return held <= s->total[point];
}

static int row_is_its_columns(const struct series *s, uint32_t rows)
{
	for (uint32_t i = 0; i < rows; i++)
		if (s->of_row[i] && s->column[s->of_row[i] - 1].row != i)
			return 0;
	return 1;
}

static const char *check_history(const struct ledger *l)
{
	const struct history *h = &l->history;

	for (uint32_t i = 0; i < l->timeline.points; i++) {
		const struct moment *m = &l->timeline.point[i];

		if (!columns_fit(&h->modules, i) || !columns_fit(&h->tasks, i))
			return "columns of a point hold more than its rows";
		if (is_sampled(l))
			continue;
		if ((uint32_t)h->modules.total[i] !=
		    m->traced_pages + m->areas_pages)
			return "modules at a point do not add up";
		if ((uint32_t)h->tasks.total[i] - m->traced_pages >
		    m->areas_pages)
			return "tasks at a point do not add up";
	}
	return row_is_its_columns(&h->modules, l->modules.used) &&
	       row_is_its_columns(&h->tasks, l->tasks.used) ? NULL :
	       "a column is not of the row that has it";
}

const char *ledger_check(const struct ledger *l)
{
	const struct totals *t = &l->total;
	const char *wrong = check_tasks(l);

	if (!wrong)
		wrong = check_modules(l);
	if (!wrong)
		wrong = check_stacks(l);
	if (!wrong)
		wrong = check_areas(l);
	if (!wrong)
		wrong = check_initcalls(l);
	if (!wrong)
		wrong = check_pages(l);
	if (!wrong)
		wrong = check_kinds(l);
	if (!wrong && l->slab.on)
		wrong = check_objects(l);
	if (!wrong && history_is_on(&l->history))
		wrong = check_history(l);
	if (!wrong && t->seen != t->applied + t->ignored + t->rejected)
		wrong = "seen is not applied + ignored + rejected";
	return wrong;
}
