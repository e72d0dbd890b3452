/*
 * Call chains as a trie of return addresses, outermost frame at the root, one
 * tree a module row.
 *
 * A node counts what is held through it and keeps its own peak. Node m below
 * `roots` is the root of module row m, so a walk from leaf to root ends at the
 * module that is charged. A leaf is keyed apart from an inner node of the same
 * address: no chain's end ever has children, and leaves add up to the module.
 * Looking up a chain seen before costs one hash of it and one walk to compare.
 */
#ifndef MEMSTRACK_STACKS_H
#define MEMSTRACK_STACKS_H

#include <stdint.h>
#include "base/arena.h"
#include "ledger/hash.h"

#define STACKS_LEAF (1u << 31)	/* in parent_leaf: this node ends a chain */

/* An address whose code is gone and whose place other code has taken: such a
 * node holds STACKS_RETIRED, the module row shifted, and the offset in what was
 * that module's text. No kernel has an address like it. */
#define STACKS_RETIRED ((uint64_t)1 << 62)
#define STACKS_RETIRED_SHIFT 40

static inline int stack_addr_retired(uint64_t addr)
{
	return addr >> 62 == 1;
}

struct stack_node {
	uint64_t addr;
	uint32_t parent_leaf;	/* parent, and STACKS_LEAF */
	uint32_t next;		/* same hash bucket; 0: none */
	uint32_t now, peak;	/* pages */
};

struct stack_cache {
	uint64_t key;
	uint32_t leaf;
};

struct stacks {
	struct stack_node *node;
	struct hash hash;	/* by parent, if leaf, and address */
	struct stack_cache *cache;
	uint32_t roots;		/* one for each module row */
	uint32_t capacity, used;/* nodes, roots included */
	uint32_t cache_mask;
	uint64_t full;		/* chains charged to a root for want of room */
};

/* Bytes that `nodes` nodes with their buckets and cache take. */
uint64_t stacks_bytes(uint32_t nodes);
/* *s is zeroed. */
int stacks_init(struct stacks *s, struct arena *a, uint32_t roots,
		uint32_t nodes);

static inline uint32_t stack_parent(const struct stack_node *n)
{
	return n->parent_leaf & ~STACKS_LEAF;
}

static inline int stack_is_leaf(const struct stack_node *n)
{
	return (n->parent_leaf & STACKS_LEAF) != 0;
}

/* Module row of the tree that a node stands in. */
uint32_t stacks_root(const struct stacks *s, uint32_t node);

/* The leaf of a chain (innermost first) seen before in this context, or 0. */
uint32_t stacks_cached(const struct stacks *s, const uint64_t *chain,
		       uint32_t len, uint64_t key);
uint64_t stacks_key(const uint64_t *chain, uint32_t len, uint32_t context);

/* Find or make the leaf in a module's tree; the root when the table is full. */
uint32_t stacks_enter(struct stacks *s, const uint64_t *chain, uint32_t len,
		      uint64_t key, uint32_t root);

/* Other code has taken this node's address: it keeps what it counts and is
 * found no more. */
void stacks_retire(struct stacks *s, uint32_t node, uint32_t row,
		   uint64_t offset);

/* Attribution may have changed (a module came or went): forget what is cached. */
void stacks_forget(struct stacks *s);

/* Add `pages` (negative to take away) to every node of a path; returns the
 * module row. */
uint32_t stacks_add(struct stacks *s, uint32_t leaf, uint32_t pages);

/* A module row starts anew, as another's: its tree holds nothing, its peaks are
 * dropped, its retired nodes are of row `heir`, and nothing is cached. */
void stacks_reset_row(struct stacks *s, uint32_t row, uint32_t heir);

#endif
