/* SPDX-License-Identifier: MIT */
/*
 * The tables of the ledger: who holds pages, by stack, module, task, kind, area
 * of vmalloc and initcall. Each is an array of fixed size from the arena; a
 * full table counts what found no room.
 */
#ifndef MEMSTRACK_LEDGER_TABLES_H
#define MEMSTRACK_LEDGER_TABLES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "base/base.h"
#include "limits.h"
#include "source/event.h"

/*
 * --- count
 *
 * The pages that a row holds, its peak, and its value at the peak of all
 * memory: all exact, in constant time.
 *
 * `peak` is the highest value of the row. `at_peak` is the row's value at the
 * instant when the most memory was used. Copying every row at each new high
 * would be exact but slow; copying now and then would be fast but wrong. So the
 * copy is made late: ledger->epoch counts the highs, and a row that is about to
 * change keeps its old value first, unless it has changed since the last high.
 * A high adds at least one page to the peak, or ends a vmalloc: no trace has so
 * many highs that the epoch wraps.
 */

struct count {
	uint32_t now, peak;	/* pages */
	uint32_t kept, epoch;	/* use count_at_peak() */
};

static inline uint32_t count_at_peak(const struct count *c, uint32_t epoch)
{
	return c->epoch == epoch ? c->kept : c->now;
}

/* The pages held at the peak, or now. */
static inline uint32_t count_when(const struct count *c, uint32_t epoch,
				  int at_peak)
{
	return at_peak ? count_at_peak(c, epoch) : c->now;
}

static inline void count_keep(struct count *c, uint32_t epoch)
{
	if (c->epoch != epoch) {
		c->kept = c->now;
		c->epoch = epoch;
	}
}

/* To take pages away, add a negative number. */
static inline void count_add(struct count *c, uint32_t epoch, uint32_t pages)
{
	count_keep(c, epoch);
	c->now += pages;
	if (c->now > c->peak)
		c->peak = c->now;
}

/* Keeps the peak of a sum of several counts. */
static inline void held_most(uint32_t *peak, uint32_t held)
{
	if (*peak < held)
		*peak = held;
}

/* Adds all pages of `from` to `to`, also those held at the peak: the two rows
 * become one. */
static inline void count_fold(struct count *to, struct count *from,
			      uint32_t epoch)
{
	count_add(to, epoch, from->now);
	to->kept += count_at_peak(from, epoch);
	if (to->kept > to->peak)
		to->peak = to->kept;
	*from = (struct count){ 0 };
}

/*
 * --- idle
 *
 * The rows of a table that may be used again, and the choice of one of them.
 *
 * The rows are a set of bits, with four levels of bits above: if a word has a
 * bit that is set, its bit in the level above is set. So the next row is found
 * in ten steps, however many rows the table has, and no event searches a table.
 * A bit above a word that became empty stays until idle_next() comes by: so a
 * row that goes in and out costs a few instructions.
 *
 * When a table is full, the row with the smallest peak is used again, of the
 * next RECYCLE_CHOICE rows that may go. The choice begins at the row that was
 * used again last: its new task is often small and has exited by now. So a
 * burst of large tasks takes only the rows that it needs, and a small task after
 * the burst takes no further row.
 */

#define IDLE_LEVELS 5u			/* 64^5 rows */

struct idle {
	uint64_t *level[IDLE_LEVELS];
	uint32_t first, rows;		/* fixed rows, below first, stay */
	uint32_t hand;			/* the last row that was used again */
	uint64_t recycled, recycled_peak; /* rows; their largest peak, pages */
};

uint64_t idle_bytes(uint32_t rows);
/* *s is zeroed. If there is no room, arena->failed is set. */
void idle_init(struct idle *s, struct arena *a, uint32_t first, uint32_t rows);
/* Sets the bits above the word of this row. */
void idle_mark(struct idle *s, uint32_t row);
/* The first row from `row` on that may be used again; 0: none. */
uint32_t idle_next(struct idle *s, uint32_t row);
/* Chooses a row and counts it; 0: none may go. `peak`: the peak in row 0 of the
 * table. The caller takes the row out of the set, or leaves it in if the row
 * holds nothing. */
uint32_t idle_choose(struct idle *s, const uint32_t *peak, size_t row_bytes);
/* Counts a row that is used again. */
void idle_recycled(struct idle *s, uint32_t row, uint32_t peak);

/* The row may be used again, or not. */
static inline void idle_set(struct idle *s, uint32_t row, int is_idle)
{
	uint64_t *word = &s->level[0][row / 64];
	const uint64_t bit = (uint64_t)1 << row % 64;

	if (is_idle && !*word)
		idle_mark(s, row);
	*word = is_idle ? *word | bit : *word & ~bit;
}

static inline int idle_has(const struct idle *s, uint32_t row)
{
	return (int)(s->level[0][row / 64] >> row % 64 & 1);
}

/*
 * --- kind rules
 *
 * The kinds of memory, and the functions that decide them: see kind_rules.c.
 */

/* Below 16: section stacks keeps a kind in four bits. */
enum page_kind {
	KIND_OTHER,		/* none of the kinds below */
	KIND_ANON,		/* pages of this kind up to KIND_IMAGE can be
				 * moved */
	KIND_CACHE,		/* pages of files, clean or dirty */
	KIND_TMPFS,		/* files in tmpfs or ramfs, shared memory */
	KIND_IMAGE,		/* page cache of a loop device or squashfs */
	KIND_TABLES,		/* page tables */
	KIND_STACKS,		/* kernel stacks of tasks */
	KIND_SLAB,
	KIND_VMALLOC,		/* except kernel stacks and the next two */
	KIND_MODULES,		/* images of modules, and their files */
	KIND_PERCPU,		/* per-CPU memory of the whole kernel */
	KIND_NET,		/* buffers of packets and sockets */
	KIND_HUGE,		/* of hugetlbfs, used or not; not THP */
	KIND_DRIVER,		/* for a module, with no other kind; for DMA */
	KIND_COMPRESSED,	/* pages that zram or zswap has allocated */
	KINDS,
	/* Only while a chain is read: */
	KIND_LARGE = KINDS,	/* by kmalloc: slab, unless for the network */
	KIND_AREA,		/* vmalloc, whoever calls it */
	KIND_INIT,		/* by a module's init function: vmalloc becomes
				 * KIND_AREA, an unknown kind KIND_OTHER */
};

/* A rule for functions whose names begin like this, without leading
 * underscores. */
struct kind_rule {
	char begins[16];
	uint8_t kind;
	uint8_t over;		/* this rule also wins over this kind of an
				 * inner frame; 0: over none */
};

#define KIND_RULES 93u
extern const struct kind_rule kind_rules[KIND_RULES];	/* sorted */

/*
 * --- stacks
 *
 * Call chains as a trie of return addresses: the outermost frame is at the
 * root, and each module row has one tree.
 *
 * A leaf counts the pages that are held through its chain, and keeps their kind
 * of memory. Node m below `roots` is the root of module row m, which is
 * charged. A leaf and an inner node with the same address have different keys,
 * so a leaf never has children. The leaves of a tree, and the pages without a
 * stack, add up to the module. When the table is full, a chain has the one frame
 * that tells its kind. Looking up a known chain costs one hash of the
 * chain and one walk to compare it; counting a page costs no walk.
 */

/* The bits of parent_leaf. */
#define STACKS_LEAF (1u << 31)		/* this node ends a chain */
#define STACKS_KIND_SHIFT 27		/* of a leaf: enum page_kind, 4 bits */
#define STACKS_KIND (15u << STACKS_KIND_SHIFT)
#define STACKS_PARENT ((1u << STACKS_KIND_SHIFT) - 1)

/* Marks an address whose code was replaced by other code: the node then has
 * STACKS_RETIRED, the shifted module row, and the offset in the text of that
 * module. No kernel has such an address. */
#define STACKS_RETIRED ((uint64_t)1 << 62)
#define STACKS_RETIRED_SHIFT 40

/* The address of a root, which ends the comparison of a chain. */
#define STACKS_ROOT (~UINT64_C(0))

static inline int stack_addr_retired(uint64_t addr)
{
	return addr >> 62 == 1;
}

static inline uint64_t stack_retired(uint32_t row, uint64_t offset)
{
	return STACKS_RETIRED | (uint64_t)row << STACKS_RETIRED_SHIFT | offset;
}

static inline uint64_t stack_retired_row(uint64_t addr)
{
	return (addr & ~STACKS_RETIRED) >> STACKS_RETIRED_SHIFT;
}

/* Moves a retired address of a module's row to another row. */
static inline void stack_retired_move(uint64_t *addr, uint32_t row,
				      uint32_t heir)
{
	if (stack_addr_retired(*addr) && stack_retired_row(*addr) == row)
		*addr += ((uint64_t)heir - row) << STACKS_RETIRED_SHIFT;
}

struct stack_node {
	uint64_t addr;
	uint32_t parent_leaf;	/* parent, kind, and STACKS_LEAF */
	uint32_t next;		/* same hash bucket; 0: none */
	union {
		struct count pages;	/* of a leaf */
		uint32_t root;		/* of an inner node: its module row */
	};
};

struct stack_cache {
	ROW_ALIGN uint64_t key;
	uint32_t leaf;
};

struct stacks {
	struct stack_node *node;
	struct hash hash;	/* by parent, STACKS_LEAF, and address */
	struct stack_cache *cache;
	uint32_t roots;		/* one for each module row */
	uint32_t capacity, used;/* nodes, with the roots */
	uint32_t spare;		/* nodes that only stacks_enter_one() takes */
	uint32_t cache_mask;
	uint64_t salt;		/* even; a new salt invalidates the cache */
	uint64_t full;		/* no room for the chain */
	uint64_t bare;		/* of these: charged to a root */
	uint64_t dropped_peaks;	/* pages: the sum of the leaves' peaks in rows
				 * that were used again */
};

/* The size of `nodes` nodes with their buckets and cache. */
uint64_t stacks_bytes(uint32_t nodes);
/* *s is zeroed. */
int stacks_init(struct stacks *s, struct arena *a, uint32_t roots,
		uint32_t nodes);

static inline uint32_t stack_parent(const struct stack_node *n)
{
	return n->parent_leaf & STACKS_PARENT;
}

static inline int stack_is_leaf(const struct stack_node *n)
{
	return (n->parent_leaf & STACKS_LEAF) != 0;
}

static inline uint32_t stack_kind(const struct stack_node *n)
{
	return (n->parent_leaf & STACKS_KIND) >> STACKS_KIND_SHIFT;
}

static inline void stack_set_kind(struct stack_node *n, uint32_t kind)
{
	n->parent_leaf = (n->parent_leaf & ~STACKS_KIND) |
			 kind << STACKS_KIND_SHIFT;
}

/* The module row whose tree has this node. */
uint32_t stacks_root(const struct stacks *s, uint32_t node);

/* The leaf of a chain (innermost frame first) that is in the cache, or 0.
 * `key`: stacks_key(). */
uint32_t stacks_cached(const struct stacks *s, const uint64_t *chain,
		       uint32_t len, uint64_t key);
/* `context`: the module that the task is loading. */
uint64_t stacks_key(const uint64_t *chain, uint32_t len, uint32_t context);

/* Finds or makes the leaf in a module's tree; the root when the table is
 * full. */
uint32_t stacks_enter(struct stacks *s, const uint64_t *chain, uint32_t len,
		      uint64_t key, uint32_t root);

/* The same of one frame, for a chain that has no room: a sixteenth of the nodes is
 * kept for that. */
uint32_t stacks_enter_one(struct stacks *s, uint64_t addr, uint32_t root);

/* Other code has replaced the code at this node's address. The node keeps its
 * counts, but new chains do not find it. */
void stacks_retire(struct stacks *s, uint32_t node, uint32_t row,
		   uint64_t offset);

/* Forgets the cache, because chains may now belong to other modules. */
void stacks_forget(struct stacks *s);

/* Adds `pages` (negative: takes away) to a leaf; does nothing for a root.
 * Returns the module row. */
uint32_t stacks_add(struct stacks *s, uint32_t leaf, uint32_t epoch,
		    uint32_t pages);

/* Another module gets this row, whose tree holds nothing. Drops the peaks of
 * its leaves, gives its retired nodes to row `heir`, and forgets the cache. */
void stacks_reset_row(struct stacks *s, uint32_t row, uint32_t heir);

/*
 * --- modules
 *
 * Kernel modules: rows with counts, and the ranges of their text.
 *
 * A load opens a row before the module's name is known, at the entry of
 * init_module or finit_module; the event module_load names the row. A removed
 * module keeps its row, name and ranges. Ranges never overlap: if a module is
 * loaded where init text was freed, the newer range wins, and the core of a
 * live module is never cut. When the table is full, rows of failed loads and of
 * removed modules that hold nothing are used again: of the first RECYCLE_CHOICE
 * such rows the one with the smallest peak; rows of modules with live objects
 * come last. Row 0: no module. Row 1: "(other)".
 */

#define MODULE_NONE 0u
#define MODULE_OTHER 1u
#define MODULES_FIXED 2u
#define MODULE_RANGES_PER_ROW 2u	/* core and init text */

enum module_state {
	MODULE_UNUSED, MODULE_LOADING, MODULE_LIVE, MODULE_FAILED, MODULE_GONE,
};

struct module {
	struct count pages;
	struct count image, vmalloc;	/* section areas */
	ROW_ALIGN uint64_t load_ns;	/* entry of its load, if it was seen */
	union {
		uint32_t objects;	/* live objects of slab: objects.h */
		uint32_t pass;		/* history.h: the last pass with it */
	};
	uint32_t held_peak;		/* of module_holds() */
	uint8_t state;
	uint8_t in_use;			/* EVENT_IN_USE named it */
	uint8_t init_over;		/* the end of its load was seen */
	uint8_t loading;		/* a task is loading this module */
	uint32_t next;			/* MODULE_LIVE: in the bucket; 0: none */
	char name[MODULE_NAME_BYTES];	/* MODULE_LOADING: ""; module_dir() is
					 * behind its end byte */
};

/* The directory of its file, from EVENT_MODULE_DIR; "": not known. */
static inline const char *module_dir(const struct module *m)
{
	const size_t len = strlen(m->name);

	return m->name + len + (len < MODULE_NAME_BYTES - 1);
}

/* All pages of a module, of all three kinds. */
static inline uint32_t module_holds(const struct module *m)
{
	return m->pages.now + m->image.now + m->vmalloc.now;
}

/* The same at the peak. */
static inline uint32_t module_at_peak(const struct module *m, uint32_t epoch)
{
	return count_at_peak(&m->pages, epoch) +
	       count_at_peak(&m->image, epoch) +
	       count_at_peak(&m->vmalloc, epoch);
}

struct module_range {
	uint64_t base, end;	/* end: the first byte after it */
	uint32_t row, init;	/* init: this text is freed after loading */
};

struct modules {
	struct module *row;
	struct hash hash;		/* live modules, by name */
	struct idle idle;		/* set by modules_note_idle() */
	struct module_range *range;	/* sorted by base, disjoint */
	uint32_t capacity, used;	/* rows, with the fixed ones */
	uint32_t ranges_capacity, ranges;
	uint64_t full;			/* loads charged to "(other)" */
	uint64_t ranges_full;
};

uint64_t modules_bytes(uint32_t rows);
/* *m is zeroed. */
int modules_init(struct modules *m, struct arena *a, uint32_t rows);

/* The row of the live module with this name, or 0. */
uint32_t modules_find(const struct modules *m, const char *name);

/* The module of this row is live now, or ends as MODULE_FAILED or MODULE_GONE. */
void modules_begin(struct modules *m, uint32_t row, const char *name);
void modules_end(struct modules *m, uint32_t row, enum module_state state);

static inline int module_may_go(const struct module *m)
{
	return m->state >= MODULE_FAILED && !m->loading && !module_holds(m);
}

/* Call this when module_may_go() may have changed. */
void modules_note_idle(struct modules *m, uint32_t row);

/* The first row of the module that EVENT_MODULE_DIR names whose directory is
 * not known yet; or 0. */
uint32_t modules_without_dir(const struct modules *m, const char *name);

/* A new row; or a row that is used again (then *recycled is set, and the caller
 * must reset its tree); or MODULE_OTHER. */
uint32_t modules_take(struct modules *m, int *recycled);

/* The row of the module whose text holds `addr`, or 0. */
uint32_t modules_at(const struct modules *m, uint64_t addr);

/* The innermost module on a call chain whose code may run; a helper of GPU
 * drivers only if there is no other module. 0: none. */
uint32_t modules_on(const struct modules *m, const uint64_t *chain,
		    uint32_t len);
/* The true end of the text in [base, end): at the first core of a live module
 * that starts within. */
uint64_t modules_range_end(const struct modules *m, uint64_t base,
			   uint64_t end);

/* Is there text in [base, end)? */
int modules_have_text(const struct modules *m, uint64_t base, uint64_t end);

/* The range whose text holds `addr`, or NULL. */
const struct module_range *modules_range_at(const struct modules *m,
					    uint64_t addr);
void modules_add_range(struct modules *m, uint32_t row, uint64_t base,
		       uint64_t size_bytes, uint32_t init);

/*
 * --- pages
 *
 * Page frame number to owner, 4 bytes a page.
 *
 * If the share of the budget is large enough, the table is flat: one array over
 * all ranges of System RAM. A kdump kernel's RAM starts at some 10 GiB and a
 * big machine has holes, so the array has the ranges side by side. Else the
 * table is a hash: fixed open addressing of live pages, 8 bytes an entry, with
 * linear probing and deletion by shifting back. A replay, which has enough
 * memory, may use a flat table that holds no more pages than the recorded hash
 * could: it is faster.
 *
 * RAM may come while we trace. Its pages get the next numbers. A flat array
 * that has no room for them becomes a hash, in the same memory, if the hash has
 * room for all live pages; else the new pages cannot be stored.
 */

struct page_slot {
	uint32_t key, owner;	/* key: page number in RAM; owner 0: free */
};

struct pages {
	uint32_t *flat;			/* NULL: hash */
	struct page_slot *slot;
	uint32_t capacity_pages;	/* that may have an owner at once */
	uint32_t mask, used_pages;
	uint32_t flat_pages;		/* places in the array */
	uint64_t ram_pages;		/* of all ranges */
	uint32_t last_range;
	struct ram ram;			/* sorted, joined */
	uint64_t first[RAM_RANGES_MAX];	/* number of each range's first page */
};

uint64_t ram_pages(const struct ram *ram);
/* Bytes of a flat array for all of `ram`. */
uint64_t pages_flat_bytes(const struct ram *ram);
/* The size of the table that pages_init() makes. */
uint64_t pages_bytes(const struct ram *ram, uint64_t bytes,
		     uint64_t flat_bytes);

/* Sorts and joins `ram`. The table holds as many pages as fit `bytes`: all
 * pages if a flat array fits, else those of a hash of this size. The table is
 * flat if the array needs at most `bytes` or `flat_bytes`, else a hash. *p is
 * zeroed. 0, -ENOMEM, or -EINVAL if RAM has no page or too many ranges. */
int pages_init(struct pages *p, struct arena *a, const struct ram *ram,
	       uint64_t bytes, uint64_t flat_bytes);

/* Adds RAM. 0; or -ENOSPC: there are too many ranges or pages, or a part of the
 * range is RAM already; then nothing is added. */
int pages_add(struct pages *p, uint64_t pfn, uint64_t count);

/* Replaces the owner of a page and returns the old owner (0: none). Owner 0
 * frees the page. -1: pfn outside RAM. -2: table full, nothing changed. */
int64_t pages_swap(struct pages *p, uint64_t pfn, uint32_t owner);

/* The owner of a page; 0: none, or outside RAM. */
uint32_t pages_owner(struct pages *p, uint64_t pfn);

/*
 * --- late
 *
 * Events that arrive late, and how they are settled.
 *
 * The rings of all CPUs are merged by time. But an event that was stamped in an
 * interrupt is published only together with the event that it interrupted. If a
 * virtual CPU stands still between the two for longer than the merge waits,
 * other CPUs' events on the same page are applied first. The time stamps give
 * the true order of events on a page: a free is stamped before anybody can
 * allocate the page again, and an allocation before anybody can free it.
 *
 * So if a page was allocated while held, its free is missing; a late free that
 * is older than this allocation is the missing free. In the same way, if a page
 * was freed while nobody held it, a late allocation that is older than this
 * free is the missing allocation. Both late events are over: they change
 * nobody's pages.
 *
 * The last LATE_RUNS such allocations and frees are kept, as runs of pages.
 */

#define LATE_RUNS 64u

struct late {
	struct {
		uint64_t pfn, count, time_ns;	/* count 0: none */
	} run[LATE_RUNS];
	uint32_t last;
};

/* Notes that the event before the one at `time_ns` is missing for this page. */
void late_note(struct late *late, uint64_t pfn, uint64_t time_ns);

/* 1: an event younger than `time_ns` was noted for this page, so the event at
 * `time_ns` is the missing one. */
int late_is_over(const struct late *late, uint64_t pfn, uint64_t time_ns);

/*
 * --- tasks
 *
 * Tasks: thread -> process -> parent.
 *
 * Each task has a row. Pages are charged to the row of the process (the thread
 * group leader); the row of another thread only refers to that row, and is
 * given back when the thread exits. The row of a process stays after the
 * process has exited, with name and peak. When the table is full, the row of an
 * exited process is used again, and counted (section idle). The pages that it
 * still holds go to "(other)". A pid that is used again gets a new row. Row 0 is
 * "(other)": tasks without room. Row 1 is "(irq)".
 */

#define TASK_OTHER 0u
#define TASK_IRQ 1u
#define TASKS_FIXED 2u

enum task_state { TASK_UNUSED, TASK_LIVE, TASK_EXITED };

struct task {
	struct count pages;
	struct count vmalloc;		/* its areas: section areas */
	uint64_t start_ns;
	uint32_t tid, tgid, parent_tgid;
	uint32_t rss_start_pages;	/* from /proc, if it ran before
					 * tracing */
	uint32_t process;		/* the row that is charged */
	uint32_t threads;		/* live rows that refer to this one */
	uint32_t loading;		/* row of the module that it loads; 0:
					 * none */
	uint32_t held_peak;		/* of task_holds() */
	uint32_t bulk_pages;		/* of the running vmalloc */
	union {
		uint32_t caller;	/* of the running vmalloc: a stack node;
					 * 0: unknown */
		uint32_t pass;		/* history.h: the last pass with it */
	};
	uint32_t next;			/* in the bucket or unused list; 0:
					 * none */
	uint32_t owners;		/* list: owners with a stack; 0: none */
	uint8_t state;
	uint8_t in_tree;		/* see ledger_follow() */
	uint16_t vmallocs;		/* that run, one within the other */
	uint32_t life;			/* number of tasks that had this row */
	char comm[COMM_BYTES];
};

/* All pages of a task, of both kinds. */
static inline uint32_t task_holds(const struct task *k)
{
	return k->pages.now + k->vmalloc.now;
}

/* The same at the peak. */
static inline uint32_t task_at_peak(const struct task *k, uint32_t epoch)
{
	return count_at_peak(&k->pages, epoch) +
	       count_at_peak(&k->vmalloc, epoch);
}

struct tasks {
	struct task *row;
	struct hash hash;	/* by tid */
	uint32_t capacity, used;	/* used: rows ever taken, with the fixed
					 * ones */
	uint32_t unused;		/* list of rows that were given back */
	struct idle idle;		/* set by task_note_idle() */
	uint64_t full;			/* tasks charged to "(other)" */
};

uint64_t tasks_bytes(uint32_t rows);
/* *t is zeroed. */
int tasks_init(struct tasks *t, struct arena *a, uint32_t rows);

/* The row of the task that has this pid or had it last, or 0. An exited process
 * is found until its pid is used again: since 6.16 a task frees its memory
 * after the event of its exit. */
uint32_t tasks_find(const struct tasks *t, uint32_t tid);

/* A row that was never used, or was given back; 0: there is no such row. */
uint32_t tasks_take(struct tasks *t);

void tasks_insert(struct tasks *t, uint32_t row, uint32_t tid, uint32_t tgid,
		  uint32_t process, uint64_t time_ns);
void tasks_exit(struct tasks *t, uint32_t row);

/* Makes tasks_find() no longer find this row. */
void tasks_unhash(struct tasks *t, uint32_t row);

/*
 * --- owners
 *
 * The owner of a page: a pair of task and stack, with its own count.
 *
 * Owners below tasks.capacity are built in, one for each task row. They own
 * pages without a stack (first touches of anonymous memory) and are found
 * without a search. The other owners are found by a hash of (task, leaf), and
 * are in a list of their task, so that they are dropped, or go to "(other)",
 * when the task's row is used again. The pages of a running initcall have their
 * own owners. When the table is full, an owner that holds nothing is used
 * again, and counted (section idle).
 */

struct owner {
	uint32_t task, leaf;	/* leaf: stack node, or a root for no stack */
	uint32_t now, peak;	/* pages */
	uint32_t next;		/* in bucket or unused list; 0: none; or
				 * OWNER_UNHASHED */
	uint32_t task_next, task_prev;
};

/* "(other)" has another owner with this leaf, which is in the bucket. */
#define OWNER_UNHASHED UINT32_MAX

struct owners {
	struct owner *row;
	uint16_t *initcall;	/* the initcall of each row; 0: none. In the
				 * memory of initcalls_init() */
	struct hash hash;	/* by task and leaf */
	uint32_t capacity, used, unused;
	uint32_t fixed;		/* number of built-in rows: tasks.capacity */
	struct idle idle;	/* other rows that hold nothing */
	uint64_t full;		/* charged to the task, without the stack */
};

/* `rows` includes the built-in ones; *o is zeroed. */
uint64_t owners_bytes(uint32_t rows);
int owners_init(struct owners *o, struct arena *a, uint32_t tasks,
		uint32_t rows);

/* The owner of a task's pages through a leaf. `initcall`: initcall_by_event().
 * If the table is full, the task's built-in owner. */
uint32_t owners_enter(struct owners *o, struct tasks *t, uint32_t task,
		      uint32_t leaf, uint32_t initcall);

/* To take pages away, add a negative number. */
static inline void owners_add(struct owners *o, uint32_t i, uint32_t pages)
{
	struct owner *w = &o->row[i];
	const uint32_t before = w->now;

	w->now += pages;
	if (w->now > w->peak)
		w->peak = w->now;
	if (i >= o->fixed && !before != !w->now)
		idle_set(&o->idle, i, !w->now);
}

/* A task row is used again: its owners that hold nothing are dropped, the
 * others become owners of `heir`. The task's built-in owner must hold nothing,
 * because it cannot move to another task. */
void owners_drop_task(struct owners *o, struct tasks *t, uint32_t task,
		      uint32_t heir);

/*
 * --- areas
 *
 * Memory of vmalloc that no page event shows.
 *
 * Since 5.14 the kernel takes most pages of an area from __alloc_pages_bulk(),
 * which has no tracepoint. Two sources show these pages:
 *
 *   probes   (kernels with kprobes) the entry of a vmalloc with the address
 *            of its caller, each bulk allocation with its number of pages, the
 *            area's address and call chain, and its end: exact at every
 *            instant. A single page of an area is traced like any other page
 *            and does not count here.
 *   samples  (other kernels) /proc/vmallocinfo, read now and then: areas that
 *            are not in the first sample count with all their pages. Some of
 *            these pages may be traced as well.
 *
 * An area belongs to a module: as `image` if the module loader asked for the
 * area (core, init, the file), as `vmalloc` if the module's own code did. The
 * loader asks before it names the module, which is before init runs: so this is
 * known even if the module's text is not. The caller of an area is the code
 * that asked for it: probes have its address, samples its name. If neither is
 * known, the caller is "(other)".
 *
 * An area also belongs to the task that took it, in a count beside that of the
 * task's traced pages. Samples do not have the task: no task is charged for
 * their areas.
 */

#define CALLER_OTHER 0u		/* row 0: not known, or table full */
#define AREA_NO_TASK UINT32_MAX

struct area {
	ROW_ALIGN uint64_t base;	/* 0: the row is unused */
	uint32_t pages;			/* taken in bulk; from samples: all
					 * pages */
	uint32_t module;		/* row */
	uint32_t next;			/* in the bucket or unused list; 0:
					 * none */
	uint32_t task, life;		/* row that is charged, and its life; or
					 * AREA_NO_TASK: see area_task() */
	uint16_t caller;		/* row */
	uint8_t image: 1, seen: 1;
	uint8_t before: 1;		/* older than tracing: not counted */
};

/* The pages that count for this area. */
static inline uint32_t area_pages(const struct area *row)
{
	return row->before ? 0 : row->pages;
}

/* The row of tasks that is charged for this area, or AREA_NO_TASK. If the row has
 * another task now, its areas went to "(other)". */
static inline uint32_t area_task(const struct area *row, const struct tasks *t)
{
	return row->task == AREA_NO_TASK || t->row[row->task].life == row->life ?
	       row->task : TASK_OTHER;
}

struct caller {
	struct count pages;
	struct count image;		/* of these, in images of modules */
	uint32_t node;			/* of stacks, with its address; 0: it
					 * has a name instead */
	uint32_t module;		/* row of the module with this code; or
					 * 0 */
	uint32_t next;			/* in the same bucket; 0: none */
	uint32_t kind;			/* enum page_kind; 0: not yet known */
	char name[CALLER_BYTES];	/* "symbol+0x1a/0x30" */
};

/* The kind of a caller's areas that are not images, as far as known. */
static inline uint32_t kind_of_areas(const struct caller *c)
{
	return c->kind && !c->module ? c->kind : KIND_VMALLOC;
}

/*
 * Outside of vmalloc the number of a bulk allocation is an upper bound: the
 * kernel returns the number of pages that the caller's array has in the end,
 * including pages from before (sunrpc fills up such arrays for each call). So
 * these pages are in no figure of used memory. Freed pages that no event has
 * shown as allocated count as pages of these allocations, up to the bound, and
 * only then as pages from before tracing.
 */
struct areas {
	struct area *row;
	struct hash hash;		/* by base */
	uint32_t rows, used;		/* used: rows ever taken, row 0
					 * included */
	uint32_t unused;		/* list of rows that were given back */
	struct caller *caller;
	struct hash callers_hash;	/* by node and name */
	uint32_t callers_capacity, callers;
	struct count held;		/* by all areas */
	struct count charged;		/* of these, to tasks */
	uint64_t bulk_pages;		/* ever taken for areas */
	uint64_t other_bulk_pages;	/* ever taken for anything else, at
					 * most */
	uint64_t other_freed_pages;	/* of these */
	uint64_t freed_pages;		/* of areas that are gone, and of CMA */
	uint64_t cma_pages;		/* ever taken from contiguous memory */
	uint64_t full;			/* areas or callers without room */
	uint32_t samples;		/* of vmallocinfo */
};

/* The size of tables for this many modules, and for the kernel stacks of this
 * many tasks. */
uint64_t areas_bytes(uint32_t module_rows, uint32_t task_rows);
/* *a is zeroed. */
int areas_init(struct areas *a, struct arena *arena, uint32_t module_rows,
	       uint32_t task_rows);

/* An upper bound of the pages that other bulk allocations hold. */
static inline uint64_t areas_other_held(const struct areas *a)
{
	return a->other_bulk_pages > a->other_freed_pages ?
	       a->other_bulk_pages - a->other_freed_pages : 0;
}

struct area *areas_find(const struct areas *a, uint64_t base);

/* A row for a new area at this address; NULL: the table is full. */
struct area *areas_take(struct areas *a, uint64_t base);
void areas_give_back(struct areas *a, struct area *row);

/* The row of a caller in this module (0: in no module), made if needed;
 * CALLER_OTHER if the table is full. A caller is identified by a node of
 * stacks, or (node 0) by its name in vmallocinfo. */
uint16_t areas_caller(struct areas *a, uint32_t node, const char *name,
		      uint32_t module);
/* Another module gets this row: its callers go to row `heir`. */
void areas_forget_module(struct areas *a, uint32_t module, uint32_t heir);

/*
 * --- kinds
 *
 * The kind of memory of a page: anonymous, page cache, slab ...
 *
 * First touches of anonymous memory are traced without a call chain. The kind
 * of any other page is read off its chain, from the innermost frame on: the
 * first function with a rule decides. The rule of an outer function may
 * overrule this kind: the slab that grows for a packet is the network's. If no
 * function has a rule and a module is on the chain, the page is the driver's.
 * Areas of vmalloc (section areas) count too, so all kinds together add up to
 * traced pages and vmalloc.
 *
 * The addresses of the functions come as events, from /proc/kallsyms, which
 * takes long to read: so they come when there is time, at the latest before a
 * report. Until then almost all pages with a chain are KIND_OTHER. After that
 * all figures are exact except the peak of a kind before that time. `limit` is
 * an upper bound of this earlier peak; a peak that is not below the limit is
 * exact.
 */

/* The rule for a function, or NULL. Ignores a suffix added by the compiler. */
const struct kind_rule *kinds_rule(const char *function, size_t len);

/* A function with a rule, or adjacent functions with the same rule. */
struct kind_range {
	uint64_t base;
	uint32_t size_bytes;
	uint8_t kind, over;
};

/* A kernel has some 180 such ranges. */
#define KIND_RANGES_MAX 320u

struct kinds {
	struct count row[KINDS];
	uint32_t limit[KINDS];	/* pages; see above */
	uint32_t ranges;
	uint32_t full;		/* functions without room */
	int known;		/* the functions are known */
	struct kind_range range[KIND_RANGES_MAX];	/* sorted by base */
};

/* 1; 0: the function was added before; -1: no rule, or no room. */
int kinds_add(struct kinds *k, const char *function, uint64_t base,
	      uint32_t size_bytes);

/* The kind of pages that a module allocates, if no rule decides: KIND_IMAGE for
 * a loop device or a read-only file system, KIND_COMPRESSED, or KIND_DRIVER. */
enum page_kind kinds_of_module(const char *module);

/* The kind for a chain of return addresses, innermost first. */
enum page_kind kinds_of_chain(const struct kinds *k, const struct modules *m,
			      const uint64_t *chain, uint32_t len);

/* The kind of the function at one frame; KIND_OTHER: it has no rule. */
uint32_t kinds_function(const struct kinds *k, uint64_t addr);

/* The kind of an area by its caller's address, or, if that is 0, its name. */
enum page_kind kinds_of_caller(const struct kinds *k, uint64_t addr,
			       const char *name);

/* Raises the limit: this many more pages may have been of this kind. */
void kinds_limit(struct kinds *k, enum page_kind kind, uint64_t pages);

/* Moves pages that counted as `from` to the kind `to`. */
void kinds_move(struct kinds *k, enum page_kind from, enum page_kind to,
		const struct count *pages, uint32_t epoch);

/* Is the peak of this kind exact? If not, more may have been held before the
 * functions were known. */
static inline int kinds_exact(const struct kinds *k, uint32_t kind)
{
	return k->row[kind].peak >= k->limit[kind];
}

/*
 * --- initcalls
 *
 * Initcalls: the functions that start built-in drivers and modules, with the
 * pages that they allocated and how long they ran.
 *
 * The initcall of an allocation comes from the kernel's events of start and
 * finish: it owns all that the task allocates in between. Without these events,
 * it comes from the call chain: the frame inside of the function that calls all
 * initcalls, do_one_initcall(). Allocations in an interrupt have no initcall.
 *
 * Each owner (section owners) has the row of its initcall, so a free is
 * subtracted from the row to which the allocation was added.
 *
 * A module has one row, because it has one init function. In the kernel itself,
 * an event has the address of the function, but a chain only has a return
 * address, and a function may have several. Each return address is a row at
 * first. When the functions become known (from /proc/kallsyms, at the latest
 * before a report), the rows of a function become one row. From then on all its
 * figures are exact, except its peak before: `limit` is an upper bound.
 *
 * Row 0: no initcall. Row 1: "(other)", for initcalls without room.
 */

#define INITCALL_OTHER 1u
#define INITCALLS_FIXED 2u

/* Set in owners.initcall if it comes from an event. */
#define INITCALL_BY_EVENT 0x8000u

struct initcall {
	struct count pages;
	uint64_t base;		/* its first byte; 0: not known */
	uint64_t addr;		/* an address in it, to look up its name; 0: the
				 * row is not used */
	uint64_t run_ns;	/* of all runs that ended */
	uint32_t size_bytes;	/* 0: not known */
	uint32_t runs;		/* 0: not known */
	uint32_t module;	/* row; 0: the kernel's */
	uint32_t limit;		/* pages; see above. Not above the peak: the
				 * peak is exact */
};

/* Initcalls that run at once: one in each task that loads a module, and one of
 * the kernel. */
#define INITCALL_RUNS_MAX 32u

struct initcall_run {
	uint64_t base, start_ns;
	uint32_t tid;
	uint32_t row;		/* 0: no allocation yet */
};

struct initcalls {
	struct initcall *row;
	uint32_t capacity, used;	/* rows, with the fixed ones */
	uint32_t runs;			/* that have not ended */
	struct initcall_run run[INITCALL_RUNS_MAX];
	/* The function that calls initcalls; 0 bytes: not known. */
	uint64_t caller, caller_bytes;
};

/* The size of the table for this many owners. */
uint64_t initcalls_bytes(uint32_t owners);
/* *of_owner becomes an array with a row for each owner. *c is zeroed. */
int initcalls_init(struct initcalls *c, struct arena *a, uint32_t owners,
		   uint16_t **of_owner);

/* The frame of an initcall on a chain (innermost first), or 0. */
uint64_t initcalls_frame(const struct initcalls *c, const uint64_t *chain,
			 uint32_t len);

/* The row of this module's init function if `module` is not 0; else of the
 * kernel's function that begins at `base`, or has the return address `addr`
 * (0: not known). The row is made if needed; INITCALL_OTHER: no room. */
uint32_t initcalls_enter(struct initcalls *c, uint32_t module, uint64_t base,
			 uint64_t addr);
/* The same, or 0. */
uint32_t initcalls_find(const struct initcalls *c, uint32_t module,
			uint64_t base, uint64_t addr);

/* Joins the rows of this function, in the table, in runs and in owners. Returns
 * the joined row; 0: there is no such row. */
uint32_t initcalls_join(struct initcalls *c, uint64_t base, uint64_t size_bytes,
			uint32_t epoch, uint16_t *of_owner, uint32_t owners);

/* Another module gets this row. */
void initcalls_forget_module(struct initcalls *c, uint32_t module,
			     uint32_t heir);

/* Ends all runs: no more events follow. */
void initcalls_end_all(struct initcalls *c);

/* The last run of a task that has not ended, or NULL. */
struct initcall_run *initcalls_running(struct initcalls *c, uint32_t tid);

static inline int initcall_exact(const struct initcall *i)
{
	return i->pages.peak >= i->limit;
}

#endif
