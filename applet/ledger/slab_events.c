/* SPDX-License-Identifier: MIT */
/* Slab caches in slabinfo, and modules that go: see events.h, slab events. */
#include <string.h>
#include "ledger/events.h"

/* A cache that was not seen in this pass is gone. */
static void end_pass(struct slab_ledger *s)
{
	for (uint32_t i = 0; i < s->seens; i++)
		if (s->seen[i].pass != s->passes)
			s->seen[i].now_objects = s->seen[i].now_pages = 0;
	s->passes++;
}

int cache_seen(struct ledger *l, const struct event *e)
{
	struct slab_ledger *s = &l->slab;
	struct cache_seen *k;

	if (!s->on)
		return 0;
	if (!e->name[0]) {
		end_pass(s);
		return 1;
	}
	if (e->size > UINT32_MAX || e->objects > UINT32_MAX ||
	    e->pages > UINT32_MAX)
		return -1;
	k = slab_cache_seen(s, e->name);
	if (!k && s->seens == CACHES_SEEN_MAX) {
		s->total.caches_full++;
		return -1;
	}
	if (!k) {
		k = &s->seen[s->seens++];
		memcpy(k->name, e->name, strnlen(e->name, sizeof(k->name) - 1));
		if (!s->passes) {
			k->start_objects = e->objects;
			k->start_pages = e->pages;
		}
	}
	k->object_bytes = e->size;	/* may be a new cache of this name */
	k->now_objects = e->objects;
	k->now_pages = e->pages;
	k->pass = s->passes;
	return 1;
}

void objects_forget_module(struct ledger *l, uint32_t module, uint32_t heir)
{
	struct slab_ledger *s = &l->slab;
	uint64_t live;

	if (!ledger_has_objects(l))
		return;
	live = s->sites.module[module].live;
	sums_fold(&s->sites.module[heir], &s->sites.module[module], l->epoch);
	l->modules.row[heir].objects += (uint32_t)live;
	for (uint32_t i = 1; i < s->objects.used && live; i++)
		if (s->objects.row[i].module == module)
			s->objects.row[i].module = heir;
	for (uint32_t i = SITES_FIXED; i < s->sites.used; i++)
		stack_retired_move(&s->sites.row[i].addr, module, heir);
	for (uint32_t i = 0; i < s->faults; i++)
		stack_retired_move(&s->fault[i].freed_by, module, heir);
}

/* The retired address, if new text replaces the text in this range; 0: the
 * address is not in the range. */
static uint64_t retired(const struct ledger *l, uint64_t addr, uint64_t base,
			uint64_t end)
{
	const struct module_range *r = NULL;

	if (addr - 1 >= base && addr - 1 < end)
		r = modules_range_at(&l->modules, addr - 1);
	return r ? stack_retired(r->row, addr - r->base) : 0;
}

void objects_retire_sites(struct ledger *l, uint64_t base, uint64_t end)
{
	struct slab_ledger *s = &l->slab;

	if (!ledger_has_objects(l))
		return;
	for (uint32_t i = SITES_FIXED; i < s->sites.used; i++) {
		const uint64_t addr = retired(l, s->sites.row[i].addr, base,
					      end);

		if (addr)
			sites_retire(&s->sites, i, addr);
	}
	for (uint32_t i = 0; i < s->faults; i++) {
		const uint64_t addr = retired(l, s->fault[i].freed_by, base,
					      end);

		if (addr)
			s->fault[i].freed_by = addr;
	}
}
