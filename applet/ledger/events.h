/* SPDX-License-Identifier: MIT */
/*
 * What each type of event does to the books (ledger.h). Only code that applies
 * events includes this header: report/ reads the books and cannot change them.
 *
 * Functions that take an event and return an int return 1 if the event changed
 * the books (applied), 0 if there was nothing to change (ignored), -1 if the
 * event cannot be true or the books had no room for it (rejected).
 */
#ifndef MEMSTRACK_LEDGER_EVENTS_H
#define MEMSTRACK_LEDGER_EVENTS_H

#include "ledger/ledger.h"

/*
 * --- apply
 *
 * Applies one event to the books.
 */

void ledger_apply(struct ledger *l, const struct event *e);

/*
 * --- area events
 *
 * Areas of vmalloc are created and freed: see tables.h, areas.
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
 * Adds pages to an owner: to the total, the task, the module, the stack's leaf,
 * the kind and the initcall together.
 */

/* `owner`: a row of owners. A negative number takes pages away. */
void charge(struct ledger *l, const struct event *e, uint32_t owner,
	    uint32_t pages);

/*
 * --- compress events
 *
 * Who owns the compressed pages of programs?
 *
 * A task that reclaims memory, mostly kswapd, allocates a page for compressed
 * data (zsmalloc) and, a few pages later, frees the pages that it has
 * compressed. The owner of each freed page is known: this owner gets the oldest
 * page that the task has allocated for compressed data and that was not given
 * away yet. If pages compress well, fewer pages are allocated than freed, and
 * some owners get none.
 */

/* Call this after a page was charged to this owner. */
void compress_take(struct ledger *l, const struct event *e, uint32_t owner);
/* Call this before a page is freed. */
void compress_give(struct ledger *l, const struct event *e);

/*
 * --- growth
 *
 * A machine that gets more or less memory while we trace: hotplug, or a driver
 * like virtio_mem.
 *
 * New RAM is added to the page table (EVENT_RANGE). It can be allocated once it
 * is online: the kernel then frees its pages to the allocator. These frees look
 * like frees of pages from before tracing, but MemTotal has grown: EVENT_GROWN
 * has the difference, and comes before these frees. So the frees of pages that
 * nobody holds count first as new memory, up to this difference. Memory that
 * goes offline causes no event; only MemTotal and MemFree shrink.
 *
 * Memory in a balloon still belongs to the machine: the balloon holds it.
 */

/* Call this after a sample of free memory: keeps the largest fall. */
void growth_sampled(struct ledger *l);

/* EVENT_RANGE; EVENT_GROWN. */
int growth_range(struct ledger *l, const struct event *e);
int growth_apply(struct ledger *l, const struct event *e);

/* `pages` of the 2^order pages of a free were held by nobody. Returns the
 * number of these that are not new memory. */
uint64_t growth_takes(struct ledger *l, uint64_t pages, uint32_t order);

/*
 * --- initcall events
 *
 * Initcalls start, end and allocate pages: see tables.h, initcalls.
 */

int initcall_start(struct ledger *l, const struct event *e);
int initcall_finish(struct ledger *l, const struct event *e);
/* EVENT_INITCALL_CALLER. */
int initcall_function(struct ledger *l, const struct event *e);

/* The row of the initcall that this task runs, according to the initcall
 * events, with INITCALL_BY_EVENT; or 0. */
uint32_t initcall_by_event(struct ledger *l, const struct event *e);

/* Sets the initcall of a new owner from the call chain of this event, unless an
 * initcall event has set it. Returns the owner. */
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
 * The functions that decide the kinds of pages become known.
 */

int kind_function(struct ledger *l, const struct event *e);
/* The last function has come: gives all leaves and areas their kinds. */
int kind_functions_end(struct ledger *l, const struct event *e);

/* Like stacks_enter(), and gives a new leaf its kind. Until functions are
 * known, only compressed pages get a kind, by their module. */
uint32_t kind_enter(struct ledger *l, const uint64_t *chain, uint32_t len,
		    uint64_t key, uint32_t root);
/* The pages of this leaf are read ahead from files. Until functions are known,
 * a leaf that has not held a page before gets this kind. */
void kind_is_cache(struct ledger *l, uint32_t leaf);

/* The kind of an owner's pages, by its leaf. */
static inline uint32_t kind_of_leaf(const struct ledger *l, uint32_t leaf)
{
	return leaf < l->stacks.roots ? KIND_ANON :
	       stack_kind(&l->stacks.node[leaf]);
}

/* Adds the pages of an area to its kind; a negative number takes them away. */
void kind_area(struct ledger *l, const struct area *row, uint32_t pages);

/*
 * --- module events
 *
 * Modules are loaded and freed: see tables.h, modules.
 */

/* The row of the live module that the event names, made if needed;
 * MODULE_OTHER: no room. */
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
 * The event has the addresses of two page structs, and the free of the old page
 * follows. From the first moves of a trace, mostly two, the ledger learns which
 * page a page struct belongs to; the moves before that are lost. From then on
 * the owner gets the new page as soon as the event comes, because others may
 * free the new page before the old page is freed.
 *
 * Compaction takes free pages without an event and frees those that it did not
 * need. Pages that the task frees meanwhile, and that nobody held, are not from
 * before tracing.
 */

int move_page(struct ledger *l, const struct event *e);
int move_compaction(struct ledger *l, const struct event *e);

/* The row of the event's task. NULL: the task moves nothing, or this is an
 * interrupt. */
struct mover *mover_of(struct ledger *l, const struct event *e);
/* The mover frees pages. 1: the free of an old page that has moved, which is
 * settled now; 0: another free. */
int move_ends(struct ledger *l, const struct event *e, struct mover *m);

/*
 * --- need events
 *
 * The memory that could not be given back, at the worst moment (history.h,
 * need) and at each point of the timeline.
 *
 * EVENT_AVAILABLE samples how much could be given back. A point is settled by
 * the next sample: of the samples before and after the point the smaller one
 * counts, as for the worst moment. The first sample counts for all points
 * before it.
 */

/* EVENT_AVAILABLE. */
int need_available(struct ledger *l, const struct event *e);

/* Call this after each event. */
void need_note(struct ledger *l);

/* Sets the figures of need in a point for this instant. */
void need_point(const struct ledger *l, struct moment *p);

/*
 * --- object events
 *
 * Objects of slab are allocated and freed.
 *
 * kmem_cache_alloc_bulk(), kmem_cache_free_bulk() and the batches of
 * kfree_rcu() have no events. An object that was freed without an event seems
 * to live until its address is allocated again; then it is settled. An object
 * that was allocated without an event is unknown when it is freed, like objects
 * from before tracing.
 */

int object_alloc(struct ledger *l, const struct event *e);
int object_free(struct ledger *l, const struct event *e);

/*
 * --- page events
 *
 * Pages are allocated and freed: see tables.h, pages.
 */

int page_alloc(struct ledger *l, const struct event *e);
int page_free(struct ledger *l, const struct event *e);
/* From the kernel's own records: this many pages are held; their numbers are
 * not known. */
int page_held(struct ledger *l, const struct event *e);

/* The leaf of a call chain: in the tree of the innermost module on the chain;
 * else of the module that the task is loading; else of no module. */
uint32_t page_leaf(struct ledger *l, const struct event *e, uint32_t loading);

/* EVENT_BLOCKS: free blocks after an allocation of several pages failed. */
int page_blocks(struct ledger *l, const struct event *e);

/*
 * --- sample events
 *
 * Samples of a pass over /proc: see history.h, samples. They are rejected if
 * the ledger has traced a page.
 */

/* Makes the ledger a sampled one. 1; 0: the ledger has traced a page. */
int sample_begin(struct ledger *l);

int sample_cache(struct ledger *l, const struct event *e);
int sample_task(struct ledger *l, const struct event *e);
int sample_module(struct ledger *l, const struct event *e);
int sample_kind(struct ledger *l, const struct event *e);

/*
 * --- slab events
 *
 * Other changes of the objects of slab: /proc/slabinfo was read, or the row or
 * text of a module goes to another module.
 */

int cache_seen(struct ledger *l, const struct event *e);

/* Another module gets this row: its objects go to `heir`. */
void objects_forget_module(struct ledger *l, uint32_t module, uint32_t heir);
/* New text replaces the text in this range: sites in the range keep the names
 * of the old text. */
void objects_retire_sites(struct ledger *l, uint64_t base, uint64_t end);

/*
 * --- task events
 *
 * Tasks start and end: see tables.h, tasks.
 */

/* The row of the live task that caused an event, made if needed; TASK_OTHER:
 * the table is full. */
uint32_t task_of(struct ledger *l, const struct event *e);

/* The row of the process that a page event is charged to, and the module that
 * the task is loading (0: none). */
uint32_t task_charged(struct ledger *l, const struct event *e,
		      uint32_t *loading);

/* The row of a task may be used again if its process and all its threads have
 * exited, and its built-in owner holds nothing, because pages of this owner
 * cannot move to another owner. A row of the followed tree must hold nothing at
 * all. */
static inline int task_may_go(const struct ledger *l, uint32_t row)
{
	const struct task *k = &l->tasks.row[row];

	return k->state == TASK_EXITED && !k->threads &&
	       !l->owners.row[row].now && !(k->in_tree && k->pages.now);
}

/* Call this when task_may_go() may have changed. */
static inline void task_note_idle(struct ledger *l, uint32_t row)
{
	idle_set(&l->tasks.idle, row, task_may_go(l, row));
}

/* The task of this row ends now. */
void task_exit_row(struct ledger *l, uint32_t row);

int task_fork(struct ledger *l, const struct event *e);
int task_comm(struct ledger *l, const struct event *e);	/* and EVENT_TASK */
int task_exit(struct ledger *l, const struct event *e);

/*
 * --- window
 *
 * A task's loading window, from the entry of init_module or finit_module to the
 * exit: pages that the task allocates in this time belong to the module, unless
 * another module is on their call chain.
 */

void window_open(struct ledger *l, uint32_t task, uint32_t module);

/* Closes the task's window, if it has one. `failed`: the load failed. A load
 * whose module was never named has failed too. */
void window_close(struct ledger *l, uint32_t task, int failed);

#endif
