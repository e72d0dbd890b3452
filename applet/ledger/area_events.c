/* SPDX-License-Identifier: MIT */
/*
 * Areas of vmalloc are created and freed: see events.h, area events.
 *
 * A vmalloc may call vmalloc (for the array of its pages, above 2 MiB), but the
 * inner call ends before the first bulk allocation of the outer call. So each
 * task needs only one count of pages, and one caller: the kernel passes the
 * same caller to the inner call.
 */
#include <string.h>
#include "ledger/events.h"

/* Adds the pages of an area to all its sums; a negative number takes them
 * away. */
static void count_area(struct ledger *l, const struct area *row,
		       uint32_t pages)
{
	struct module *m = &l->modules.row[row->module];
	const uint32_t task = area_task(row, &l->tasks);
	struct task *k;

	count_add(&l->areas.held, l->epoch, pages);
	count_add(&l->areas.caller[row->caller].pages, l->epoch, pages);
	kind_area(l, row, pages);
	if (row->image)
		count_add(&l->areas.caller[row->caller].image, l->epoch,
			  pages);
	count_add(row->image ? &m->image : &m->vmalloc, l->epoch, pages);
	held_most(&m->held_peak, module_holds(m));
	if (m->state >= MODULE_FAILED)
		modules_note_idle(&l->modules, row->module);
	if (task == AREA_NO_TASK)
		return;
	count_add(&l->areas.charged, l->epoch, pages);
	k = &l->tasks.row[task];
	count_add(&k->vmalloc, l->epoch, pages);
	held_most(&k->held_peak, task_holds(k));
}

/* Adds an area. If code of a module asked for the area, its pages are the
 * module's vmalloc. If not (module 0), the area belongs to module `of`, as its
 * image if area->image is set. NULL: the table is full. */
static struct area *add_area(struct ledger *l, const struct area *area,
			     uint32_t of)
{
	struct area *row = areas_take(&l->areas, area->base);

	if (!row)
		return NULL;
	row->pages = area->pages;
	row->caller = area->caller;
	row->before = area->before;
	row->task = area->task;
	row->life = area->life;
	row->image = area->image && !area->module && of;
	row->module = area->module ? area->module : of;
	count_area(l, row, area_pages(row));
	return row;
}

static void drop_area(struct ledger *l, struct area *row)
{
	count_area(l, row, 0 - area_pages(row));
	areas_give_back(&l->areas, row);
}

/* The stack node of the code that asks for an area: a chain of one frame, in
 * the tree of its module. 0: not known, or no room. */
static uint32_t caller_node(struct ledger *l, const struct event *e)
{
	uint32_t root, node;

	if (!e->chain_len)
		return 0;
	root = modules_on(&l->modules, e->chain, 1);
	node = kind_enter(l, e->chain, 1, stacks_key(e->chain, 1, root), root);
	return node < l->stacks.roots ? 0 : node;
}

/* Bulk pages that the task took before this vmalloc do not belong to it. */
int area_enter(struct ledger *l, const struct event *e)
{
	const uint32_t task = task_of(l, e);
	struct task *k = &l->tasks.row[task];

	if (!task)
		return -1;
	k->bulk_pages = 0;
	k->caller = caller_node(l, e);
	k->vmallocs = k->vmallocs ? 2 : 1;
	return 1;
}

/* If the area has a chain, the caller must be on it. Else the entry of this
 * vmalloc was lost, or a new kernel passes another argument. */
static uint16_t caller_of(struct ledger *l, uint32_t node,
			  const struct event *e)
{
	const uint64_t addr = l->stacks.node[node].addr;
	uint32_t i = 0;

	while (i < e->chain_len && e->chain[i] != addr)
		i++;
	if (!node || (e->chain_len && i == e->chain_len))
		return CALLER_OTHER;
	return areas_caller(&l->areas, node, "",
			    stacks_root(&l->stacks, node));
}

/* Bulk pages belong to no area until area_alloc() names the area. The array of
 * a vmalloc was empty, so the number of pages is exact. */
int area_bulk(struct ledger *l, const struct event *e)
{
	struct task *k;

	if (e->flags & EVENT_CMA) {
		l->areas.cma_pages += e->pages;
		return 1;
	}
	if (e->flags & EVENT_IRQ) {
		l->areas.other_bulk_pages += e->pages;
		return 1;
	}
	k = &l->tasks.row[task_of(l, e)];
	k->bulk_pages += (uint32_t)e->pages;
	if (k->vmallocs)
		l->areas.bulk_pages += e->pages;
	else
		l->areas.other_bulk_pages += e->pages;
	return 1;
}

/* Moves pages from other bulk allocations to areas; a negative number moves
 * them back. */
static void move_bulk(struct areas *a, uint64_t pages)
{
	a->bulk_pages += pages;
	a->other_bulk_pages -= pages;
}

int area_free(struct ledger *l, const struct event *e)
{
	struct area *row = areas_find(&l->areas, e->base);

	if (!row)
		return 0;
	drop_area(l, row);
	return 1;
}

/* A vmalloc that failed has freed its pages before this event. */
int area_alloc(struct ledger *l, const struct event *e)
{
	uint32_t task = e->flags & EVENT_IRQ ? 0 : task_of(l, e);
	struct task *k = &l->tasks.row[task];
	struct area area = {
		.base = e->base, .pages = k->bulk_pages, .task = k->process,
		.life = l->tasks.row[k->process].life,
	};
	const uint32_t inside = k->vmallocs;

	if (!task)
		return -1;
	k->bulk_pages = 0;
	k->vmallocs = inside == 2;
	area_free(l, e);	/* the free of an old area may be lost */
	if (!area.base || !area.pages)
		return 0;
	area.module = modules_on(&l->modules, e->chain, e->chain_len);
	area.caller = caller_of(l, k->caller, e);
	/* Until the loader has named the module, only the loader calls; then
	 * only init, whose text may be unknown if the tracer was late. */
	area.image = k->loading == MODULE_OTHER ||
		     l->modules.row[k->loading].state == MODULE_LOADING;
	if (!add_area(l, &area, k->loading)) {
		if (inside)
			move_bulk(&l->areas, 0 - (uint64_t)area.pages);
		return -1;
	}
	if (!inside)		/* the event of its entry is lost */
		move_bulk(&l->areas, area.pages);
	/* If used memory has been at its peak since the last bulk allocation of
	 * this area, whose pages get their owner only now, the rows must keep
	 * the values of this instant. */
	if (ledger_used(l) == l->used_peak_pages) {
		l->used_peak_ns = l->last_ns;
		l->epoch++;
	}
	return 1;
}

/* Sets an area's caller by its name in vmallocinfo. */
static void name_area(struct ledger *l, struct area *row, const char *name,
		      uint32_t module)
{
	row->seen = 1;
	count_area(l, row, 0 - area_pages(row));
	/* The module's own code asked for the area, but the module's text was
	 * not known in time. */
	if (module && module == row->module)
		row->image = 0;
	if (!module && !row->image)	/* the module is gone */
		module = row->module;
	if (!row->caller && !row->before)
		row->caller = areas_caller(&l->areas, 0, name, module);
	count_area(l, row, area_pages(row));
}

/* Cuts " [module]" off "symbol+0x1a/0x30 [module]" and returns the module's
 * row. */
static uint32_t split_module(const struct ledger *l, char *name)
{
	char *open = memchr(name, ' ', strlen(name));
	size_t len = open ? strlen(open) : 0;

	if (len < 4)
		return 0;
	*open = '\0';
	open[len - 1] = '\0';
	return modules_find(&l->modules, open + 2);
}

/* If two lines of a sample have the same address, the first line counts: the
 * kernel may list an area twice while other areas go, and two hashed addresses
 * may be equal. */
int area_seen(struct ledger *l, const struct event *e)
{
	const int sampled = (e->flags & EVENT_SAMPLED) != 0;
	struct area *row = areas_find(&l->areas, e->base);
	char name[sizeof(e->name)];
	uint32_t module;

	if (!e->base || (row && row->seen && sampled))
		return -1;
	memcpy(name, e->name, sizeof(name));
	module = split_module(l, name);
	/* A new area has replaced the old area since the last sample. */
	if (row && sampled && row->pages != e->pages) {
		drop_area(l, row);
		row = NULL;
	}
	/* An area of the first sample may be older than our tracing, so its
	 * pages are not counted. An area with the text of a module is an image;
	 * a sampled ledger has images from EVENT_MODULE_SAMPLE. */
	if (!row && sampled) {
		row = add_area(l, &(struct area){
				.base = e->base, .pages = (uint32_t)e->pages,
				.before = !l->areas.samples, .module = module,
				.task = AREA_NO_TASK, .image = 1,
				.caller = !l->areas.samples ? CALLER_OTHER :
					  areas_caller(&l->areas, 0, name,
						       module),
			}, is_sampled(l) ? 0 : modules_at(&l->modules, e->base));
		if (!row)
			return 0;
		l->areas.bulk_pages += area_pages(row);
		row->seen = 1;
		return 1;
	}
	if (!row)
		return 0;
	name_area(l, row, name, module);
	return 1;
}

/* Drops the areas that are not in this sample. */
static void sweep(struct ledger *l)
{
	struct areas *a = &l->areas;

	for (uint32_t i = 1; i < a->used; i++) {
		struct area *row = &a->row[i];

		if (row->base && !row->seen)
			drop_area(l, row);
		row->seen = 0;
	}
}

int areas_seen(struct ledger *l, const struct event *e)
{
	l->areas.samples++;
	if (e->flags & EVENT_SAMPLED)
		sweep(l);
	return 1;
}
