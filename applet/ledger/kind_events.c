/* SPDX-License-Identifier: MIT */
/* Gives leaves and areas their kinds: see events.h, kind events. */
#include "ledger/events.h"

int kind_function(struct ledger *l, const struct event *e)
{
	if (l->kinds.known || !e->size || e->size > UINT32_MAX)
		return -1;
	return kinds_add(&l->kinds, e->name, e->base, (uint32_t)e->size);
}

static void set_kind(struct ledger *l, uint32_t leaf, const uint64_t *chain,
		     uint32_t len)
{
	stack_set_kind(&l->stacks.node[leaf],
		       kinds_of_chain(&l->kinds, &l->modules, chain, len));
}

/* A chain that has no room: the innermost frame that alone has its kind is kept. */
static uint32_t enter_one(struct ledger *l, const uint64_t *chain, uint32_t len,
			  uint32_t root)
{
	const struct modules *m = &l->modules;
	uint32_t kind, leaf = root;

	if (l->kinds.known) {
		kind = kinds_of_chain(&l->kinds, m, chain, len);
		while (--len && kinds_of_chain(&l->kinds, m, chain, 1) != kind)
			chain++;
		leaf = stacks_enter_one(&l->stacks, *chain, root);
	}
	l->stacks.bare += leaf == root;
	return leaf;
}

/* A leaf that has never held a page is new. */
uint32_t kind_enter(struct ledger *l, const uint64_t *chain, uint32_t len,
		    uint64_t key, uint32_t root)
{
	uint32_t leaf = stacks_enter(&l->stacks, chain, len, key, root);

	if (leaf < l->stacks.roots && len)
		leaf = enter_one(l, chain, len, root);
	if (leaf < l->stacks.roots || l->stacks.node[leaf].pages.peak)
		return leaf;
	if (l->kinds.known)
		set_kind(l, leaf, chain, len);
	else if (kinds_of_module(l->modules.row[root].name) == KIND_COMPRESSED)
		stack_set_kind(&l->stacks.node[leaf], KIND_COMPRESSED);
	return leaf;
}

void kind_is_cache(struct ledger *l, uint32_t leaf)
{
	if (!l->kinds.known && leaf >= l->stacks.roots &&
	    !l->stacks.node[leaf].pages.peak)
		stack_set_kind(&l->stacks.node[leaf], KIND_CACHE);
}

/* Only the kernel's own code, not a module, asks for kernel stacks. */
static uint32_t kind_of_caller(struct ledger *l, uint32_t caller)
{
	struct caller *c = &l->areas.caller[caller];

	if (!l->kinds.known || c->module)
		return KIND_VMALLOC;
	if (!c->kind)
		c->kind = kinds_of_caller(&l->kinds, c->node ?
					  l->stacks.node[c->node].addr : 0,
					  c->name);
	return c->kind;
}

void kind_area(struct ledger *l, const struct area *row, uint32_t pages)
{
	const uint32_t kind = row->image ? KIND_MODULES :
			      kind_of_caller(l, row->caller);

	count_add(&l->kinds.row[kind], l->epoch, pages);
}

/* Sets the kind of each leaf, and moves its pages to this kind. */
static void sort_leaves(struct ledger *l)
{
	struct stacks *s = &l->stacks;
	uint64_t chain[CHAIN_FRAMES_MAX];

	for (uint32_t i = s->roots; i < s->used; i++) {
		uint32_t len = 0, before;

		if (!stack_is_leaf(&s->node[i]))
			continue;
		for (uint32_t n = i; n >= s->roots && len < CHAIN_FRAMES_MAX;
		     n = stack_parent(&s->node[n]))
			chain[len++] = s->node[n].addr;
		before = kind_of_leaf(l, i);
		set_kind(l, i, chain, len);
		kinds_move(&l->kinds, before, kind_of_leaf(l, i),
			   &s->node[i].pages, l->epoch);
	}
}

/* Moves the areas of each caller, except images, to their kind. */
static void sort_areas(struct ledger *l)
{
	for (uint32_t i = 0; i < l->areas.callers; i++) {
		const struct caller *c = &l->areas.caller[i];
		struct count areas = {
			.now = c->pages.now - c->image.now,
			.peak = c->pages.peak,
			.kept = count_at_peak(&c->pages, l->epoch) -
				count_at_peak(&c->image, l->epoch),
			.epoch = l->epoch,
		};

		kinds_move(&l->kinds, KIND_VMALLOC, kind_of_caller(l, i),
			   &areas, l->epoch);
	}
}

/* Until now KIND_OTHER had all pages with a chain, except compressed pages and
 * pages read ahead, and KIND_VMALLOC all areas except images: so their peaks
 * included other kinds. */
int kind_functions_end(struct ledger *l, const struct event *e)
{
	struct kinds *k = &l->kinds;
	uint64_t read;

	(void)e;
	if (k->known || !k->ranges)
		return 0;
	read = (uint64_t)k->row[KIND_CACHE].now + k->row[KIND_IMAGE].now;
	k->known = 1;
	k->limit[KIND_ANON] = k->row[KIND_ANON].peak;
	k->limit[KIND_MODULES] = k->row[KIND_MODULES].peak;
	sort_leaves(l);
	sort_areas(l);
	need_rebase(&l->need, (uint64_t)k->row[KIND_CACHE].now +
			      k->row[KIND_IMAGE].now - read);
	k->row[KIND_OTHER].peak = k->row[KIND_VMALLOC].peak = 0;
	k->row[KIND_CACHE].peak = k->row[KIND_COMPRESSED].peak = 0;
	for (uint32_t i = 0; i < KINDS; i++) {
		struct count *c = &k->row[i];
		const uint32_t at_peak = count_at_peak(c, l->epoch);

		kinds_limit(k, i, l->stacks.dropped_peaks);
		if (c->peak < c->now)
			c->peak = c->now;
		if (c->peak < at_peak)
			c->peak = at_peak;
	}
	return 1;
}
