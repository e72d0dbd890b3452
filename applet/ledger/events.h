/* SPDX-License-Identifier: MIT */
/*
 * What each type of event does to the books (ledger.h). Only who applies events
 * includes this header: report/ reads the books and cannot change them.
 */
#ifndef MEMSTRACK_LEDGER_EVENTS_H
#define MEMSTRACK_LEDGER_EVENTS_H

#include "ledger/ledger.h"

/*
 * --- apply
 *
 * One event at a time, applied to the books (ledger.h).
 */

void ledger_apply(struct ledger *l, const struct event *e);

/*
 * --- area events
 *
 * Areas of vmalloc are created and freed, as the events tell: see tables.h,
 * areas.
 *
 * Functions return 1 when the event changed the books, 0 when there was nothing
 * to change, -1 when the books had no room for it.
 */

int area_enter(struct ledger *l, const struct event *e);
int area_bulk(struct ledger *l, const struct event *e);
int area_alloc(struct ledger *l, const struct event *e);
int area_free(struct ledger *l, const struct event *e);
int area_seen(struct ledger *l, const struct event *e);
int areas_seen(struct ledger *l, const struct event *e);

/*
 * --- charge
 *
 * An owner of pages gets some, or gives some back: in the total, the task, the
 * module, the kind, the initcall and every node of the stack together.
 */

/* `owner`: its row. A negative number takes away. */
void charge(struct ledger *l, const struct event *e, uint32_t owner,
	    uint32_t pages);

/*
 * --- compress events
 *
 * Pages of programs are compressed: whose are they then?
 *
 * Who reclaims memory, mostly kswapd, takes a page for what it compresses
 * (zsmalloc) and, a few pages later, frees the pages that it has compressed. So
 * of each free the first owner is known, and the oldest page that this task has
 * taken for compressed ones and not yet given becomes that owner's. Where pages
 * compress well, fewer are taken than freed, and the owners of some frees get
 * none.
 */

/* A page was charged to this owner. */
void compress_take(struct ledger *l, const struct event *e, uint32_t owner);
/* A page is about to be freed. */
void compress_give(struct ledger *l, const struct event *e);

/*
 * --- growth
 *
 * A machine that gets more memory while we trace, or less: hotplug, or a driver
 * like virtio_mem.
 *
 * New RAM is added to the page table (EVENT_RANGE). It is memory only when it
 * is put online: the kernel then frees its pages to the allocator. These frees
 * look like those of pages from before tracing, but MemTotal has grown:
 * EVENT_GROWN says by how much, and comes before them. So a free of a page that
 * nobody holds is first a part of that. Memory that goes offline causes no
 * event; only MemTotal shrinks, and MemFree with it.
 *
 * What a balloon took is still the machine's: the balloon holds it.
 */

/* Free memory was sampled: it may never have fallen so far. */
void growth_sampled(struct ledger *l);

/* EVENT_RANGE; EVENT_GROWN. */
int growth_range(struct ledger *l, const struct event *e);
int growth_apply(struct ledger *l, const struct event *e);

/* The free of 2^order pages has so many that nobody holds. Returns how many of
 * them are not new. */
uint64_t growth_takes(struct ledger *l, uint64_t pages, uint32_t order);

/*
 * --- initcall events
 *
 * Initcalls start and end, and take pages: tables.h, initcalls.
 */

/* As in apply.c: 1 applied, 0 ignored, -1 rejected. */
int initcall_start(struct ledger *l, const struct event *e);
int initcall_finish(struct ledger *l, const struct event *e);
/* EVENT_INITCALL_CALLER. */
int initcall_function(struct ledger *l, const struct event *e);

/* The initcall that an event says this task is in, with INITCALL_BY_EVENT; or 0. */
uint32_t initcall_by_event(struct ledger *l, const struct event *e);

/* Returns the owner. If it is new, and no event told its initcall, the call
 * chain of this event does. */
uint32_t initcall_owner(struct ledger *l, const struct event *e,
			uint32_t owner);

static inline uint32_t initcall_of_owner(const struct ledger *l,
					 uint32_t owner)
{
	return l->owners.initcall[owner] & ~INITCALL_BY_EVENT;
}

/* Adds `pages` of an owner; a negative number takes away. */
static inline void initcall_charge(struct ledger *l, uint32_t owner,
				   uint32_t pages)
{
	const uint32_t row = initcall_of_owner(l, owner);

	if (row)
		count_add(&l->initcalls.row[row].pages, l->epoch, pages);
}

/*
 * --- kind events
 *
 * The functions that tell the kinds of pages become known.
 */

/* As in apply.c: 1 applied, 0 ignored, -1 rejected. */
int kind_function(struct ledger *l, const struct event *e);
/* All functions were told: sorts what is held, and all that will be. */
int kind_functions_end(struct ledger *l, const struct event *e);

/* stacks_enter(); a new leaf gets its kind. Until functions are known, only
 * compressed pages have one, by their module. */
uint32_t kind_enter(struct ledger *l, const uint64_t *chain, uint32_t len,
		    uint64_t key, uint32_t root);
/* A leaf whose pages are read ahead from files. Until functions are known it is
 * of that kind, if it has not held a page before. */
void kind_is_cache(struct ledger *l, uint32_t leaf);

/* The kind of an owner's pages, by its leaf. */
static inline uint32_t kind_of_leaf(const struct ledger *l, uint32_t leaf)
{
	return leaf < l->stacks.roots ? KIND_ANON :
	       stack_kind(&l->stacks.node[leaf]);
}

/* Adds pages of an area; a negative number takes away. */
void kind_area(struct ledger *l, const struct area *row, uint32_t pages);

/*
 * --- module events
 *
 * Modules are loaded and freed, as the events tell: see tables.h, modules.
 *
 * Functions return 1 when the event changed the books, 0 when there was nothing
 * to change, -1 when the books had no room for it.
 */

/* The row of the live module of this name, made if needed; or MODULE_OTHER. */
uint32_t module_named(struct ledger *l, const struct event *e);

int load_enter(struct ledger *l, const struct event *e);
int load_exit(struct ledger *l, const struct event *e);
int module_load(struct ledger *l, const struct event *e);
int module_from(struct ledger *l, const struct event *e);
int module_free(struct ledger *l, const struct event *e);
int module_range(struct ledger *l, const struct event *e);

/*
 * --- move events
 *
 * The kernel moves pages: in compaction, to another node, out of contiguous
 * memory.
 *
 * The event names page structs, and the free of the old place follows. From the
 * first two moves of a trace, which are not followed, the ledger learns which
 * page a page struct is of. From then on a page goes on at its new place, with
 * its owner, as soon as the event comes: others may free it there before the
 * old place is freed.
 *
 * Compaction takes free pages without an event and frees those that it did not
 * need. What a task frees meanwhile, and nobody held, is not from before
 * tracing.
 */

/* As section apply has it: 1, 0 or -1. The table of movers may be full. */
int move_page(struct ledger *l, const struct event *e);
int move_compaction(struct ledger *l, const struct event *e);

/* The row of the event's task; NULL: it moves nothing, or this is an interrupt.
 * */
struct mover *mover_of(struct ledger *l, const struct event *e);
/* It frees some pages. 1: an old place, and that is all. */
int move_ends(struct ledger *l, const struct event *e, struct mover *m);

/*
 * --- need events
 *
 * What could not be given back, at the worst moment (history.h, need) and at
 * each point of the timeline.
 *
 * A point is settled by the next sample of what could be given back: of the
 * samples before and behind it the smaller one counts, as for the worst moment.
 * The first sample stands for all points before it.
 */

/* EVENT_AVAILABLE. */
int need_available(struct ledger *l, const struct event *e);

/* After each event. */
void need_note(struct ledger *l);

/* This instant is a point. */
void need_point(const struct ledger *l, struct moment *p);

/*
 * --- object events
 *
 * Objects of slab are allocated and freed.
 *
 * What the events do not tell: kmem_cache_alloc_bulk(), kmem_cache_free_bulk()
 * and the batches of kfree_rcu() have none. An object that was freed so seems
 * to live until its address is handed out again; then it is settled. One that
 * was allocated so is unknown when it is freed, like those from before tracing.
 */

/* As in apply.c: 1 applied, 0 ignored, -1 rejected. */
int object_alloc(struct ledger *l, const struct event *e);
int object_free(struct ledger *l, const struct event *e);

/*
 * --- page events
 *
 * Pages are allocated and freed, as the events tell: see tables.h, pages.
 *
 * For each page, the total, the task, the module and every node of the stack
 * change together. Functions return 1 when the event changed the books, 0 when
 * there was nothing to change, -1 when the event cannot be true or the books
 * had no room for it.
 */

int page_alloc(struct ledger *l, const struct event *e);
int page_free(struct ledger *l, const struct event *e);
/* Of the kernel's own books: so many pages are held, whichever they are. */
int page_held(struct ledger *l, const struct event *e);

/* The leaf of a call chain: in the tree of the innermost module on it; else of
 * the one that the task is loading; else of none. */
uint32_t page_leaf(struct ledger *l, const struct event *e, uint32_t loading);

/* What was free after an allocation of several pages had failed. */
int page_blocks(struct ledger *l, const struct event *e);

/*
 * --- sample events
 *
 * Samples, as a pass over /proc tells them: see history.h, samples.
 *
 * Functions return 1 when the event changed the books, -1 when the books had no
 * room for it, or are not those of a sampled machine.
 */

/* The ledger is a sampled one from now on: 1; 0 if it has traced a page. */
int sample_begin(struct ledger *l);

int sample_cache(struct ledger *l, const struct event *e);
int sample_task(struct ledger *l, const struct event *e);
int sample_module(struct ledger *l, const struct event *e);
int sample_kind(struct ledger *l, const struct event *e);

/*
 * --- slab events
 *
 * What changes the objects of slab besides their own events: /proc/slabinfo is
 * read, a module's row or text becomes another one's.
 */

/* As in apply.c: 1 applied, 0 ignored, -1 rejected. */
int cache_seen(struct ledger *l, const struct event *e);

/* Another module gets this row: what it holds is `heir`'s. */
void objects_forget_module(struct ledger *l, uint32_t module, uint32_t heir);
/* This range replaces older text: sites in it keep the names of that text. */
void objects_retire_sites(struct ledger *l, uint64_t base, uint64_t end);

/*
 * --- task events
 *
 * Tasks start and end, as the events tell: see tables.h, tasks.
 *
 * Functions of type int return 1 when the event changed the books, 0 when there
 * was nothing to change, -1 when the books had no room for it.
 */

/* The row of the live task that caused an event. It is made if needed;
 * TASK_OTHER when the table is full. */
uint32_t task_of(struct ledger *l, const struct event *e);

/* The row of the process that a page event is charged to, and the module that
 * the task is loading (0: none). */
uint32_t task_charged(struct ledger *l, const struct event *e,
		      uint32_t *loading);

int task_fork(struct ledger *l, const struct event *e);
int task_comm(struct ledger *l, const struct event *e);	/* and EVENT_TASK */
int task_exit(struct ledger *l, const struct event *e);

/*
 * --- window
 *
 * A task's loading window, from its entry of init_module or finit_module to the
 * exit: all pages that the task allocates in it belong to the module.
 */

void window_open(struct ledger *l, uint32_t task, uint32_t module);

/* Closes the task's window, if it has one. `failed`: the load failed. A module
 * that was never named has failed too. */
void window_close(struct ledger *l, uint32_t task, int failed);

#endif
