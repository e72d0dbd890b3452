/* SPDX-License-Identifier: MIT */
/* Modules are loaded and freed: see events.h, module events. */
#include <string.h>
#include "base/base.h"
#include "ledger/events.h"

/* A module row is used again. Its tree holds nothing, so no owner in the tree
 * holds anything; resets the peaks of these owners, which belong to the old
 * module. */
static inline void reset_module(struct ledger *l, uint32_t row)
{
	struct module *gone = &l->modules.row[row];
	struct module *other = &l->modules.row[MODULE_OTHER];

	history_forget_module(&l->history, &l->modules, row);
	count_fold(&other->pages, &gone->pages, l->epoch);
	count_fold(&other->image, &gone->image, l->epoch);
	count_fold(&other->vmalloc, &gone->vmalloc, l->epoch);
	held_most(&other->held_peak, module_at_peak(other, l->epoch));
	*gone = (struct module){ 0 };
	stacks_reset_row(&l->stacks, row, MODULE_OTHER);
	areas_forget_module(&l->areas, row, MODULE_OTHER);
	initcalls_forget_module(&l->initcalls, row, MODULE_OTHER);
	objects_forget_module(l, row, MODULE_OTHER);
	for (uint32_t i = l->owners.fixed; i < l->owners.used; i++) {
		struct owner *o = &l->owners.row[i];

		if (!o->now && stacks_root(&l->stacks, o->leaf) == row)
			o->peak = 0;
	}
}

static uint32_t take_module(struct ledger *l, uint64_t time_ns)
{
	int recycled;
	uint32_t row = modules_take(&l->modules, &recycled);

	if (recycled)
		reset_module(l, row);
	if (row != MODULE_OTHER)
		l->modules.row[row].load_ns = time_ns;
	return row;
}

int load_enter(struct ledger *l, const struct event *e)
{
	uint32_t task = task_of(l, e);
	uint32_t row;

	if (!task)
		return -1;
	window_close(l, task, 0);	/* the event of its exit may be lost */
	row = take_module(l, e->time_ns);
	window_open(l, task, row);
	if (row == MODULE_OTHER)
		return -1;
	l->modules.row[row].state = MODULE_LOADING;
	return 1;
}

int load_exit(struct ledger *l, const struct event *e)
{
	uint32_t task = tasks_find(&l->tasks, e->tid);

	if (!l->tasks.row[task].loading)	/* TASK_OTHER never is */
		return 0;
	window_close(l, task, e->result < 0);
	return 1;
}

static uint32_t name_module(struct ledger *l, uint32_t row, const char *name)
{
	if (row != MODULE_OTHER)
		modules_begin(&l->modules, row, name);
	return row;
}

uint32_t module_named(struct ledger *l, const struct event *e)
{
	const uint32_t row = modules_find(&l->modules, e->name);

	return row ? row : name_module(l, take_module(l, e->time_ns), e->name);
}

/* Sets the directory in the rows of all loads of the module. */
int module_from(struct ledger *l, const struct event *e)
{
	const size_t len = length_to(e->name, ' ');
	uint32_t row;
	int found = 0;

	for (; (row = modules_without_dir(&l->modules, e->name)); found = 1) {
		strcpy(l->modules.row[row].name, e->name);
		l->modules.row[row].name[len] = '\0';
	}
	return found;
}

int module_free(struct ledger *l, const struct event *e)
{
	uint32_t row = modules_find(&l->modules, e->name);

	if (!row)
		return 0;
	modules_end(&l->modules, row, MODULE_GONE);
	stacks_forget(&l->stacks);
	return 1;
}

int module_load(struct ledger *l, const struct event *e)
{
	uint32_t task = task_of(l, e);
	uint32_t row = l->tasks.row[task].loading;

	module_free(l, e);	/* a free of this name may be lost */
	if (!row || l->modules.row[row].state != MODULE_LOADING)
		row = take_module(l, e->time_ns);
	if (e->flags & EVENT_OPENS && task && row != MODULE_OTHER) {
		window_close(l, task, 0);
		window_open(l, task, row);
	}
	return name_module(l, row, e->name) == MODULE_OTHER ? -1 : 1;
}

/* New text replaces old text in this range. Chains through the old text keep
 * the names of that text. */
static void retire_nodes(struct ledger *l, uint64_t base, uint64_t size_bytes)
{
	uint64_t end = modules_range_end(&l->modules, base, base + size_bytes);

	if (!modules_have_text(&l->modules, base, end))
		return;
	for (uint32_t i = l->stacks.roots; i < l->stacks.used; i++) {
		uint64_t addr = l->stacks.node[i].addr - 1;
		const struct module_range *r;

		if (addr < base || addr >= end)
			continue;
		r = modules_range_at(&l->modules, addr);
		if (r)
			stacks_retire(&l->stacks, i, r->row,
				      addr + 1 - r->base);
	}
	objects_retire_sites(l, base, end);
}

/* A module whose load was not seen gets its row now. */
int module_range(struct ledger *l, const struct event *e)
{
	uint32_t row = modules_find(&l->modules, e->name);

	if (!row)
		row = name_module(l, take_module(l, 0), e->name);
	if (row == MODULE_OTHER)
		return -1;
	retire_nodes(l, e->base, e->size);
	modules_add_range(&l->modules, row, e->base, e->size,
			  e->flags & EVENT_INIT_TEXT);
	stacks_forget(&l->stacks);
	return 1;
}
