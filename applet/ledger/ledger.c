/* SPDX-License-Identifier: MIT */
/* The books: see ledger.h. */
#include <errno.h>
#include <string.h>
#include "ledger/events.h"
#include "ledger/ledger.h"

int ledger_init(struct ledger *l, struct arena *a, const struct layout *want,
		const struct ram *ram)
{
	int error;

	memset(l, 0, sizeof(*l));
	l->epoch = 1;
	error = pages_init(&l->pages, a, ram, want->pages_bytes,
			   want->flat_bytes);
	if (!error)
		error = stacks_init(&l->stacks, a, want->modules, want->nodes);
	if (!error)
		error = tasks_init(&l->tasks, a, want->tasks);
	if (!error)
		error = owners_init(&l->owners, a, want->tasks, want->owners);
	if (!error)
		error = modules_init(&l->modules, a, want->modules);
	if (!error)
		error = areas_init(&l->areas, a, want->modules, want->tasks);
	if (!error)
		error = initcalls_init(&l->initcalls, a, want->owners,
				       &l->owners.initcall);
	if (!error)
		error = timeline_init(&l->timeline, a);
	if (!error && has_history() && want->history)
		error = history_init(&l->history, a, want->modules,
				     want->tasks);
	if (!error && has_feature(FEATURE_SLAB))
		error = slab_init(&l->slab, a, want->slab_bytes,
				  want->modules);
	if (error)
		return error;
	l->growth.start_pages = l->growth.ram_pages = l->pages.ram_pages;
	l->scratch_capacity = want->nodes > want->owners ?
			      want->nodes : want->owners;
	l->scratch = arena_take(a, l->scratch_capacity, sizeof(*l->scratch));
	return a->failed;
}

uint64_t ledger_fall(const struct ledger *l)
{
	return l->free_start_pages + (uint64_t)l->growth.pages -
	       l->free_now_pages;
}

uint64_t ledger_used(const struct ledger *l)
{
	const struct areas *a = &l->areas;

	if (l->tree)
		return l->tree_pages;
	if (is_sampled(l))
		return l->memory_sampled ? ledger_fall(l) : 0;
	return l->traced.now + a->bulk_pages + a->cma_pages -
	       (l->total.before_frees - a->other_freed_pages) -
	       l->before_init.used_pages;
}

int ledger_follow(struct ledger *l, uint32_t pid)
{
	const uint32_t row = tasks_find(&l->tasks, pid);

	if (!row)
		return -ESRCH;
	l->tasks.row[row].in_tree = 1;
	task_note_idle(l, row);
	l->tree = 1;
	l->tree_pages = l->used_peak_pages = l->tasks.row[row].pages.now;
	l->used_peak_ns = l->last_ns;
	l->epoch++;
	return 0;
}
