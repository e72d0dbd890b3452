/* SPDX-License-Identifier: MIT */
/*
 * Call chains as a trie of return addresses: the outermost frame is at the
 * root, and each module row has one tree.
 *
 * A leaf counts the pages that are held through its chain, and keeps the kind
 * of memory that they are. Node m below `roots` is the root of module row m,
 * which is charged. A leaf and an inner node of the same address have different
 * keys: so the end of a chain never has children. The leaves of a tree, and the
 * pages without a stack, add up to the module. To look up a known chain costs
 * one hash of the chain and one walk to compare it; to count a page, no walk.
 */
#ifndef MEMSTRACK_STACKS_H
#define MEMSTRACK_STACKS_H

#include <stdint.h>
#include "base/arena.h"
#include "ledger/count.h"
#include "base/hash.h"
#include "limits.h"

/* The bits of parent_leaf. */
#define STACKS_LEAF (1u << 31)		/* this node ends a chain */
#define STACKS_KIND_SHIFT 27		/* of a leaf: enum page_kind, 4 bits */
#define STACKS_KIND (15u << STACKS_KIND_SHIFT)
#define STACKS_PARENT ((1u << STACKS_KIND_SHIFT) - 1)

/* Marks an address whose code is gone, after other code has taken its place:
 * the node then holds STACKS_RETIRED, the shifted module row, and the offset in
 * the text of that module. No kernel has such an address. */
#define STACKS_RETIRED ((uint64_t)1 << 62)
#define STACKS_RETIRED_SHIFT 40

/* The address of a root, so that a comparison of a chain ends there. */
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
	struct hash hash;	/* by parent, if leaf, and address */
	struct stack_cache *cache;
	uint32_t roots;		/* one for each module row */
	uint32_t capacity, used;/* nodes, with the roots */
	uint32_t cache_mask;
	uint64_t salt;		/* even; a new one makes old keys useless */
	uint64_t full;		/* no room: chains charged to a root */
	uint64_t dropped_peaks;	/* pages: sum of those of rows used again */
};

/* Bytes of `nodes` nodes with their buckets and cache. */
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

/* The leaf of a chain (innermost first) that was seen before in this context,
 * or 0. */
uint32_t stacks_cached(const struct stacks *s, const uint64_t *chain,
		       uint32_t len, uint64_t key);
uint64_t stacks_key(const uint64_t *chain, uint32_t len, uint32_t context);

/* Finds or makes the leaf in a module's tree; the root when the table is
 * full. */
uint32_t stacks_enter(struct stacks *s, const uint64_t *chain, uint32_t len,
		      uint64_t key, uint32_t root);

/* Other code has taken this node's address. The node keeps its counts, but new
 * chains do not find it. */
void stacks_retire(struct stacks *s, uint32_t node, uint32_t row,
		   uint64_t offset);

/* Attribution may have changed (a module was loaded or removed): forget the
 * cache. */
void stacks_forget(struct stacks *s);

/* Adds `pages` (negative: takes away) to a leaf, or to nothing if it is a root.
 * Returns the module row. `epoch`: see count.h. */
uint32_t stacks_add(struct stacks *s, uint32_t leaf, uint32_t epoch,
		    uint32_t pages);

/* Another module gets this row. Its tree holds nothing; its peaks are dropped,
 * its retired nodes now belong to row `heir`, and the cache is forgotten. */
void stacks_reset_row(struct stacks *s, uint32_t row, uint32_t heir);

#endif
