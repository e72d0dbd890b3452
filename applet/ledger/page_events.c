/* SPDX-License-Identifier: MIT */
/* Pages are allocated and freed, sometimes late: see events.h, page events. */
#include <string.h>
#include "ledger/events.h"
#include "ledger/ledger.h"

/* --- events that arrive late: see tables.h, late */

void late_note(struct late *late, uint64_t pfn, uint64_t time_ns)
{
	uint32_t i = late->last;

	if (late->run[i].time_ns == time_ns &&
	    late->run[i].pfn + late->run[i].count == pfn) {
		late->run[i].count++;
		return;
	}
	i = (i + 1) % LATE_RUNS;
	late->run[i].pfn = pfn;
	late->run[i].count = 1;
	late->run[i].time_ns = time_ns;
	late->last = i;
}

int late_is_over(const struct late *late, uint64_t pfn, uint64_t time_ns)
{
	for (uint32_t i = 0; i < LATE_RUNS; i++)
		if (pfn - late->run[i].pfn < late->run[i].count &&
		    late->run[i].time_ns > time_ns)
			return 1;
	return 0;
}

/* --- page events */

/* The outcome for each page of an event. FULL: no room. OUTSIDE: outside RAM.
 * UNHELD, HELD: stored; before the event nobody, or somebody, held the page.
 * OVER: a late event (tables.h, late). */
enum outcome { FULL, OUTSIDE, UNHELD, HELD, OVER, OUTCOMES };

/* A late event shows that these pages were wrongly counted as missing. After a
 * loss the counter may be smaller. */
static void take_back(uint64_t *counter, uint32_t pages)
{
	*counter -= pages < *counter ? pages : *counter;
}

/* Takes 2^order pages from their old owners and gives them to a new owner:
 * `owner` is its row + 1, or 0 for nobody. Adjacent pages mostly have the same
 * owner, so a run of pages is charged at once. Counts the outcomes in `pages`,
 * and returns the number of pages that were stored. */
static uint32_t swap_pages(struct ledger *l, const struct event *e,
			   uint32_t owner, uint32_t *pages)
{
	const int is_late = e->time_ns < l->last_ns;
	const uint64_t end = e->pfn + ((uint64_t)1 << e->order);
	uint32_t run = 0, run_pages = 0;

	for (uint32_t i = 0; i < OUTCOMES; i++)
		pages[i] = 0;
	for (uint64_t pfn = e->pfn; pfn < end; pfn++) {
		int64_t old;

		if (is_late &&
		    late_is_over(owner ? &l->missed_allocs : &l->missed_frees,
				 pfn, e->time_ns)) {
			pages[OVER]++;
			continue;
		}
		old = pages_swap(&l->pages, pfn, owner);
		if (old <= 0) {
			pages[UNHELD + old]++;
			if (!old && !owner)
				late_note(&l->missed_allocs, pfn, e->time_ns);
			continue;
		}
		pages[HELD]++;
		if (owner)
			late_note(&l->missed_frees, pfn, e->time_ns);
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
	l->total.settled_pages += pages[OVER];
	return pages[HELD] + pages[UNHELD];
}

uint32_t page_leaf(struct ledger *l, const struct event *e, uint32_t loading)
{
	uint64_t key = stacks_key(e->chain, e->chain_len, loading);
	uint32_t leaf = stacks_cached(&l->stacks, e->chain, e->chain_len, key);
	uint32_t root;

	if (leaf)
		return leaf;
	root = modules_on(&l->modules, e->chain, e->chain_len);
	leaf = kind_enter(l, e->chain, e->chain_len, key,
			  root ? root : loading);
	if (e->flags & EVENT_AHEAD)
		kind_is_cache(l, leaf);
	return leaf;
}

static uint32_t owner_of(struct ledger *l, const struct event *e)
{
	uint32_t task = TASK_IRQ, loading = 0, initcall = 0, leaf;

	if (!(e->flags & EVENT_IRQ)) {
		task = task_charged(l, e, &loading);
		initcall = initcall_by_event(l, e);
	}
	leaf = e->chain_len ? page_leaf(l, e, loading) : loading;
	if (!leaf && !initcall)
		return task;
	return initcall_owner(l, e, owners_enter(&l->owners, &l->tasks, task,
						 leaf, initcall));
}

/* Is the order larger than that of any allocator, or the end of the block
 * beyond the last possible page? */
static int is_no_block(const struct event *e)
{
	return e->order > ORDER_MAX ||
	       e->pfn > UINT64_MAX - ((uint64_t)1 << e->order);
}

static void take_back_frees(struct ledger *l, uint32_t pages)
{
	take_back(&l->total.before_frees, pages);
	if (l->areas.other_freed_pages > l->total.before_frees)
		l->areas.other_freed_pages = l->total.before_frees;
}

/* Keeps a failed allocation, or counts it if the same one was kept before. */
static void note_failure(struct ledger *l, const struct event *e)
{
	struct failure *f = l->failure, *end = f + l->failures;
	uint32_t task = TASK_IRQ, loading = 0, module;

	if (!(e->flags & EVENT_IRQ))
		task = task_charged(l, e, &loading);
	module = modules_on(&l->modules, e->chain, e->chain_len);
	module = module ? module : loading;
	while (f < end && (f->order != e->order || f->module != module ||
			   (!module && f->task != task)))
		f++;
	if (f == l->failure + FAILURES_MAX)
		return;
	if (f == end) {
		l->failures++;
		f->pages = UINT64_C(1) << e->order;
		f->order = e->order;
		f->time_ns = f->at.time_ns = e->time_ns;
		f->module = module;
		f->task = task;
		f->kinds_known = (uint64_t)l->kinds.known;
		snapshot_unmovable(l, &f->at);
	}
	f->count++;
}

int page_alloc(struct ledger *l, const struct event *e)
{
	uint32_t owner, stored, pages[OUTCOMES];

	if (e->pfn == UINT64_MAX) {
		l->total.failed_allocs++;
		if (e->flags & EVENT_WARNS && e->order &&
		    e->order <= ORDER_MAX)
			note_failure(l, e);
		return 0;
	}
	if (is_no_block(e))
		return -1;
	l->total.alloc_pages += UINT64_C(1) << e->order;
	owner = owner_of(l, e);
	stored = swap_pages(l, e, owner + 1, pages);
	l->total.missed_frees += pages[HELD];
	if (pages[OVER])
		take_back_frees(l, pages[OVER]);
	l->total.untracked_pages += pages[FULL];
	if (!(stored + pages[OVER]))
		return -1;
	l->total.allocs++;
	if (!e->chain_len)
		l->total.anon_pages += stored + pages[OVER];
	if (!stored)
		return 0;
	charge(l, e, owner, stored);
	compress_take(l, e, owner);
	return 1;
}

/* Frees the pages as if the lost event came now. If the event does come later,
 * it changes nothing (tables.h, late). */
static int found_free(struct ledger *l, const struct event *e)
{
	uint64_t found = 0;

	for (uint64_t i = 0; i < (uint64_t)1 << e->order; i++) {
		int64_t old = pages_swap(&l->pages, e->pfn + i, 0);

		if (old <= 0)
			continue;
		charge(l, e, (uint32_t)old - 1, 0 - 1u);
		late_note(&l->missed_frees, e->pfn + i, e->time_ns);
		found++;
	}
	l->total.missed_frees += found;
	return found != 0;
}

/* Counts freed pages that no event has shown as allocated: first as pages of
 * freed areas and of contiguous memory, as far as such frees are due; then as
 * pages of other bulk allocations (tables.h, areas); then as pages from before
 * tracing. */
static void free_unseen(struct ledger *l, uint64_t pages)
{
	struct areas *a = &l->areas;
	const uint64_t other = areas_other_held(a);
	int64_t due = (int64_t)(a->bulk_pages - a->held.now + a->cma_pages -
				a->freed_pages);

	l->total.before_frees += pages;
	if (due > (int64_t)pages)
		due = (int64_t)pages;
	if (due > 0) {
		a->freed_pages += (uint64_t)due;
		pages -= (uint64_t)due;
	}
	a->other_freed_pages += pages < other ? pages : other;
}

/* Does the kernel hand memory to the allocator (deferred page structs,
 * contiguous memory)? Memory that the kernel itself had in use is freed page by
 * page. */
static int is_handed_over(const struct ledger *l, const struct event *e)
{
	return l->before_init.marks == 1 && e->order >= HANDED_ORDER;
}

int page_free(struct ledger *l, const struct event *e)
{
	struct mover *m = mover_of(l, e);
	uint32_t pages[OUTCOMES];

	if (is_no_block(e))
		return -1;
	if (e->flags & EVENT_FOUND)
		return found_free(l, e);
	if (m && move_ends(l, e, m)) {
		l->total.frees++;
		return 1;
	}
	compress_give(l, e);
	if (!(swap_pages(l, e, 0, pages) + pages[OVER]))
		return -1;
	if (is_handed_over(l, e))
		l->before_init.handed_pages += pages[UNHELD];
	else if (pages[UNHELD] && !(m && m->compacts))
		free_unseen(l, growth_takes(l, pages[UNHELD], e->order));
	take_back(&l->total.missed_frees, pages[OVER]);
	l->total.frees++;
	return pages[HELD] != 0;
}

int page_held(struct ledger *l, const struct event *e)
{
	if (!e->pages || e->pages > UINT32_MAX - l->traced.now) {
		l->total.untracked_pages += e->pages;
		return -1;
	}
	charge(l, e, owner_of(l, e), (uint32_t)e->pages);
	return 1;
}

int page_blocks(struct ledger *l, const struct event *e)
{
	int found = 0;

	for (uint32_t i = 0; i < l->failures; i++) {
		struct failure *f = &l->failure[i];

		if (f->look_ns || f->pages != e->size)
			continue;
		f->look_ns = e->time_ns;
		f->block_pages = e->pages;
		f->free_pages = e->free_pages;
		found = 1;
	}
	return found;
}
