/* Who holds which page: see ledger.h. */
#include <stddef.h>
#include <string.h>
#include "ledger/area_events.h"
#include "ledger/ledger.h"
#include "ledger/lifecycle.h"
#include "ledger/snapshot.h"

int ledger_init(struct ledger *l, struct arena *a, const struct layout *want,
		const struct ram *ram)
{
	int error;

	memset(l, 0, sizeof(*l));
	l->epoch = 1;
	error = pages_init(&l->pages, a, ram, want->pages_bytes);
	if (!error)
		error = stacks_init(&l->stacks, a, want->modules, want->nodes);
	if (!error)
		error = tasks_init(&l->tasks, a, want->tasks);
	if (!error)
		error = owners_init(&l->owners, a, want->tasks, want->owners);
	if (!error)
		error = modules_init(&l->modules, a, want->modules);
	if (!error)
		error = areas_init(&l->areas, a, want->modules);
	if (!error)
		error = timeline_init(&l->timeline, a);
	if (error)
		return error;
	l->scratch_capacity = want->nodes > want->owners ?
			      want->nodes : want->owners;
	l->scratch = arena_take(a, l->scratch_capacity, sizeof(*l->scratch));
	return a->failed;
}

/* `pages` more for an owner, or fewer, as a negative number. */
static void charge(struct ledger *l, const struct event *e, uint32_t owner,
		   uint32_t pages)
{
	const struct owner *o = &l->owners.row[owner];
	uint32_t module, peak = l->traced.peak;

	owners_add(&l->owners, owner, pages);
	count_add(&l->tasks.row[o->task].pages, l->epoch, pages);
	module = stacks_add(&l->stacks, o->leaf, pages);
	count_add(&l->modules.row[module].pages, l->epoch, pages);
	count_add(&l->traced, l->epoch, pages);
	if (l->traced.peak > peak)
		l->peak_ns = e->time_ns;
}

/* What became of the pages of one event: no room, outside RAM, stored where
 * nobody or where somebody had held them. */
enum outcome { FULL, OUTSIDE, UNHELD, HELD, OUTCOMES };

/* Give 2^order pages to `owner` + 1, or to nobody (0), settling with whoever
 * held them: neighbours mostly have one owner and move together. Returns how
 * many were stored. */
static uint32_t swap_pages(struct ledger *l, const struct event *e,
			   uint32_t owner, uint32_t *pages)
{
	uint32_t run = 0, run_pages = 0;

	memset(pages, 0, OUTCOMES * sizeof(*pages));
	for (uint64_t i = 0; i < (uint64_t)1 << e->order; i++) {
		int64_t old = pages_swap(&l->pages, e->pfn + i, owner);

		pages[old > 0 ? HELD : old + UNHELD]++;
		if (old <= 0)
			continue;
		if (old != run && run_pages) {
			charge(l, e, run - 1, 0 - run_pages);
			run_pages = 0;
		}
		run = (uint32_t)old;
		run_pages++;
	}
	if (run_pages)
		charge(l, e, run - 1, 0 - run_pages);
	l->total.outside_ram += pages[OUTSIDE] != 0;
	return pages[HELD] + pages[UNHELD];
}

/* The innermost module on the stack, else the one that the task is loading,
 * else none. */
static uint32_t leaf_of(struct ledger *l, const struct event *e,
			uint32_t loading)
{
	uint64_t key = stacks_key(e->chain, e->chain_len, loading);
	uint32_t leaf = stacks_cached(&l->stacks, e->chain, e->chain_len, key);
	uint32_t root;

	if (leaf)
		return leaf;
	root = modules_on(&l->modules, e->chain, e->chain_len);
	return stacks_enter(&l->stacks, e->chain, e->chain_len, key,
			    root ? root : loading);
}

static uint32_t owner_of(struct ledger *l, const struct event *e)
{
	uint32_t task = TASK_IRQ, loading = 0, leaf;

	if (!(e->flags & EVENT_IRQ))
		task = lifecycle_charged(l, e, &loading);
	leaf = e->chain_len ? leaf_of(l, e, loading) : loading;
	return leaf ? owners_enter(&l->owners, &l->tasks, task, leaf) : task;
}

/* Larger than any allocator's, or beyond the last page there can be. */
static int is_no_block(const struct event *e)
{
	return e->order > ORDER_MAX ||
	       e->pfn > UINT64_MAX - ((uint64_t)1 << e->order);
}

static inline int apply_alloc(struct ledger *l, const struct event *e)
{
	uint32_t owner, stored, pages[OUTCOMES];

	if (e->pfn == UINT64_MAX) {
		l->total.failed_allocs++;
		return 0;
	}
	if (is_no_block(e))
		return -1;
	owner = owner_of(l, e);
	stored = swap_pages(l, e, owner + 1, pages);
	l->total.missed_frees += pages[HELD];
	l->total.untracked_pages += pages[FULL];
	if (!stored)
		return -1;
	l->total.allocs++;
	if (!e->chain_len)
		l->total.anon_pages += stored;
	charge(l, e, owner, stored);
	return 1;
}

static int apply_free(struct ledger *l, const struct event *e)
{
	uint32_t pages[OUTCOMES];

	if (is_no_block(e) || !swap_pages(l, e, 0, pages))
		return -1;
	l->total.before_frees += pages[UNHELD];
	l->total.frees++;
	return pages[HELD] != 0;
}

static int apply_memory(struct ledger *l, const struct event *e)
{
	struct moment *point;

	if (e->flags & EVENT_PCP) {
		l->pcp_now_pages = e->free_pages;
		if (!l->pcp_sampled)
			l->pcp_start_pages = e->free_pages;
		l->pcp_sampled = 1;
		return 1;
	}
	if (!l->memory_sampled) {
		l->free_start_pages = e->free_pages;
		l->free_lowest_pages = UINT64_MAX;
		l->memory_sampled = 1;
		l->kdump = (e->flags & EVENT_KDUMP) != 0;
	}
	l->free_now_pages = e->free_pages;
	if (e->free_pages < l->free_lowest_pages) {
		l->free_lowest_pages = e->free_pages;
		l->free_lowest_ns = e->time_ns;
	}
	point = timeline_point(&l->timeline, e->time_ns);
	if (point)
		snapshot_now(l, point);
	return 1;
}

/* The same name again replaces what it was. */
static int apply_figure(struct ledger *l, const struct event *e)
{
	struct figure_kib *f = l->figure, *end = f + l->figures;

	while (f < end && strncmp(f->name, e->name, FIGURE_NAME_BYTES - 1))
		f++;
	if (f == l->figure + FIGURES_MAX)
		return -1;
	l->figures += f == end;
	f->kib = e->size / 1024;
	memcpy(f->name, e->name, FIGURE_NAME_BYTES - 1);
	return 1;
}

static int apply_lost(struct ledger *l, const struct event *e)
{
	if (__builtin_add_overflow(l->total.lost, e->lost, &l->total.lost))
		l->total.lost = UINT64_MAX;
	return 1;
}

static int apply(struct ledger *l, const struct event *e)
{
	switch (e->type) {
	case EVENT_ALLOC: return apply_alloc(l, e);
	case EVENT_FREE: return apply_free(l, e);
	case EVENT_FORK: return lifecycle_fork(l, e);
	case EVENT_COMM:
	case EVENT_TASK: return lifecycle_comm(l, e);
	case EVENT_EXIT: return lifecycle_exit(l, e);
	case EVENT_LOAD_ENTER: return lifecycle_load_enter(l, e);
	case EVENT_LOAD_EXIT: return lifecycle_load_exit(l, e);
	case EVENT_MODULE_LOAD: return lifecycle_module_load(l, e);
	case EVENT_MODULE_FREE: return lifecycle_module_free(l, e);
	case EVENT_MODULE_RANGE: return lifecycle_module_range(l, e);
	case EVENT_MEMORY: return apply_memory(l, e);
	case EVENT_LOST: return apply_lost(l, e);
	case EVENT_AREA_ENTER: return area_enter(l, e);
	case EVENT_BULK: return area_bulk(l, e);
	case EVENT_AREA_ALLOC: return area_alloc(l, e);
	case EVENT_AREA_FREE: return area_free(l, e);
	case EVENT_AREA_SEEN: return area_seen(l, e);
	case EVENT_AREAS_SEEN: return areas_seen(l, e);
	case EVENT_FIGURE: return apply_figure(l, e);
	default: l->total.bad_records++; return -1;
	}
}

uint64_t ledger_used(const struct ledger *l)
{
	const struct areas *a = &l->areas;

	return l->traced.now + a->bulk_pages + a->other_bulk_pages +
	       a->cma_pages - l->total.before_frees;
}

/* After the event: every row holds what it does at this instant (count.h). */
static void note_peak(struct ledger *l)
{
	uint64_t used = ledger_used(l);

	if ((int64_t)used <= (int64_t)l->used_peak_pages)
		return;
	l->used_peak_pages = used;
	l->used_peak_ns = l->last_ns;
	l->epoch++;
}

void ledger_apply(struct ledger *l, const struct event *e)
{
	int changed;

	l->total.seen++;
	if (e->time_ns < l->last_ns)
		l->total.late++;
	else
		l->last_ns = e->time_ns;
	changed = apply(l, e);
	note_peak(l);
	if (changed > 0)
		l->total.applied++;
	else if (!changed)
		l->total.ignored++;
	else
		l->total.rejected++;
}
