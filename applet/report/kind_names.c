/* SPDX-License-Identifier: MIT */
/* See parts.h, kind names. */
#include <string.h>
#include "report/parts.h"

int stackless_is_anonymous(const struct ledger *l)
{
	return !l->owners.full && !l->stacks.bare &&
	       l->stacks.used > l->stacks.roots;
}

const char *kind_name(uint32_t kind)
{
	static const char *const names[KINDS] = {
		[KIND_OTHER] = "other",
		[KIND_ANON] = "anonymous",
		[KIND_CACHE] = "page cache",
		[KIND_TMPFS] = "tmpfs",
		[KIND_IMAGE] = "loop/squashfs",
		[KIND_TABLES] = "page tables",
		[KIND_STACKS] = "kernel stacks",
		[KIND_SLAB] = "slab",
		[KIND_VMALLOC] = "vmalloc",
		[KIND_MODULES] = "module images",
		[KIND_PERCPU] = "per-CPU",
		[KIND_NET] = "network",
		[KIND_HUGE] = "huge pages",
		[KIND_DRIVER] = "driver",
		[KIND_COMPRESSED] = "compressed",
	};

	return names[kind];
}

/* The areas that a row has now, by kind. */
static void take_areas(const struct ledger *l, enum table t, uint32_t row,
		       uint64_t pages[KINDS])
{
	for (uint32_t i = 1; i < l->areas.used; i++) {
		const struct area *a = &l->areas.row[i];
		const struct caller *c = &l->areas.caller[a->caller];

		if (a->base &&
		    row == (t == TABLE_TASKS ? area_task(a, &l->tasks) :
			    a->module))
			pages[a->image ? KIND_MODULES : kind_of_areas(c)] +=
				area_pages(a);
	}
}

static void take_module(const struct ledger *l, uint32_t row, int at_peak,
			uint64_t pages[KINDS])
{
	const struct module *m = &l->modules.row[row];
	const struct stacks *s = &l->stacks;
	uint64_t stackless = count_when(&m->pages, l->epoch, at_peak);

	for (uint32_t i = s->roots; i < s->used; i++) {
		const struct stack_node *n = &s->node[i];
		uint32_t held;

		if (!stack_is_leaf(n) || stacks_root(s, i) != row)
			continue;
		held = count_when(&n->pages, l->epoch, at_peak);
		pages[stack_kind(n)] += held;
		stackless -= held;
	}
	pages[KIND_ANON] += stackless;
	if (!at_peak) {
		take_areas(l, TABLE_MODULES, row, pages);
		return;
	}
	/* Which areas stood then is not known any more. */
	pages[KIND_MODULES] += count_at_peak(&m->image, l->epoch);
	pages[KIND_VMALLOC] += count_at_peak(&m->vmalloc, l->epoch);
}

/* Pages of slab and of per-CPU memory stay for all of the kernel, and so do page
 * tables and caches of files. A large kmalloc has pages of its own. */
static int is_own(const struct ledger *l, uint32_t leaf)
{
	const struct stack_node *node = l->stacks.node;
	const uint32_t kind = stack_kind(&node[leaf]);
	int large = 0, per_cpu = 0;

	for (; leaf >= l->stacks.roots; leaf = stack_parent(&node[leaf])) {
		const uint32_t by = kinds_function(&l->kinds, node[leaf].addr);

		large |= by == KIND_LARGE;
		per_cpu |= by == KIND_PERCPU;
	}
	return kind == KIND_DRIVER || kind == KIND_OTHER ||
	       kind == KIND_MODULES ||
	       (kind == KIND_VMALLOC && !per_cpu) ||
	       (kind == KIND_SLAB && large);
}

uint64_t row_leak(const struct ledger *l, uint32_t row)
{
	const struct module *m = &l->modules.row[row];
	const struct stacks *s = &l->stacks;
	uint64_t pages = m->image.now + m->vmalloc.now;

	if (row < MODULES_FIXED || m->state < MODULE_FAILED)
		return 0;
	if (!l->kinds.known || !m->pages.now)
		return module_holds(m);
	for (uint32_t i = s->roots; i < s->used; i++)
		if (stack_is_leaf(&s->node[i]) && s->node[i].pages.now &&
		    stacks_root(s, i) == row && is_own(l, i))
			pages += s->node[i].pages.now;
	return pages;
}

uint64_t row_leak_objects(const struct ledger *l, uint32_t row)
{
	const struct sites *s = &l->slab.sites;
	uint64_t objects = 0;

	if (!ledger_has_objects(l) || row < MODULES_FIXED ||
	    l->modules.row[row].state < MODULE_FAILED)
		return 0;
	for (uint32_t i = SITES_FIXED; i < s->used; i++) {
		const uint64_t addr = s->row[i].addr;

		if (row == (stack_addr_retired(addr) ? stack_retired_row(addr) :
			    modules_at(&l->modules, addr - 1)))
			objects += s->row[i].sums.live;
	}
	return objects;
}

static void take_task(const struct ledger *l, uint32_t row,
		      uint64_t pages[KINDS])
{
	const struct owner *o = l->owners.row;
	uint32_t next = l->tasks.row[row].owners;

	if (l->tasks.row[row].vmalloc.now)
		take_areas(l, TABLE_TASKS, row, pages);
	pages[KIND_ANON] += o[row].now;
	for (; next; next = o[next].task_next) {
		const uint32_t leaf = o[next].leaf;

		pages[leaf < l->stacks.roots ? KIND_ANON :
		      stack_kind(&l->stacks.node[leaf])] += o[next].now;
	}
}

void kinds_of_row(const struct ledger *l, enum table t, uint32_t row,
		  int at_peak, uint64_t pages[KINDS])
{
	memset(pages, 0, KINDS * sizeof(*pages));
	if (t == TABLE_MODULES)
		take_module(l, row, at_peak, pages);
	else
		take_task(l, row, pages);
}

void kinds_sort(const uint64_t pages[KINDS], unsigned char order[KINDS])
{
	for (unsigned char i = 0; i < KINDS; i++) {
		unsigned int at = i;

		for (; at && pages[order[at - 1]] < pages[i]; at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
}

int kinds_write(struct line *l, const uint64_t pages[KINDS], int most)
{
	unsigned char order[KINDS];
	int written = 0;

	kinds_sort(pages, order);
	for (; written < most && pages[order[written]]; written++) {
		line_str(l, written ? ", " : "");
		line_str(l, kind_name(order[written]));
		line_fill(l, " %p", &pages[order[written]]);
	}
	return written;
}
