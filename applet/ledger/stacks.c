/* SPDX-License-Identifier: MIT */
/* Call chains as a trie of return addresses: see tables.h, stacks. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include "ledger/tables.h"

/* The cache is direct-mapped: if another chain has the slot, the chain is
 * looked up in the trie again, which costs a bucket for each frame. */
#define CACHE_SLOTS_PER_NODE 4u

static uint32_t cache_slots(uint32_t nodes)
{
	return hash_buckets(nodes / CACHE_SLOTS_PER_NODE);
}

uint64_t stacks_bytes(uint32_t nodes)
{
	return (uint64_t)nodes * sizeof(struct stack_node) +
	       hash_bytes(nodes) +
	       (uint64_t)cache_slots(nodes) * sizeof(struct stack_cache);
}

int stacks_init(struct stacks *s, struct arena *a, uint32_t roots,
		uint32_t nodes)
{
	uint32_t slots;

	if (nodes < roots || nodes > STACKS_PARENT)
		return -EINVAL;
	s->roots = s->used = roots;
	s->capacity = nodes;
	s->spare = (nodes - roots) / 16;
	s->node = arena_take(a, nodes, sizeof(*s->node));
	for (uint32_t i = 0; i < roots && !a->failed; i++)
		s->node[i].addr = STACKS_ROOT;
	hash_init(&s->hash, a, nodes);
	slots = cache_slots(nodes);
	s->cache_mask = slots - 1;
	s->cache = arena_take(a, slots, sizeof(*s->cache));
	return a->failed;
}

uint32_t stacks_root(const struct stacks *s, uint32_t node)
{
	const struct stack_node *n = &s->node[node];

	if (node >= s->roots && stack_is_leaf(n)) {
		node = stack_parent(n);
		n = &s->node[node];
	}
	return node < s->roots ? node : n->root;
}

/* Two lanes, so that the multiplications of one chain do not wait for each
 * other. */
uint64_t stacks_key(const uint64_t *chain, uint32_t len, uint32_t context)
{
	uint64_t a = 0x243f6a8885a308d3u ^ context, b = len;
	uint32_t i = 0;

	for (; i + 1 < len; i += 2) {
		a = (a ^ chain[i]) * 0x9e3779b97f4a7c15u;
		b = (b ^ chain[i + 1]) * 0xc2b2ae3d27d4eb4fu;
		a ^= a >> 32;
		b ^= b >> 32;
	}
	if (i < len)
		a = (a ^ chain[i]) * 0x9e3779b97f4a7c15u;
	return hash_mix(a, b) | 1;	/* never 0: an empty slot */
}

uint32_t stacks_cached(const struct stacks *s, const uint64_t *chain,
		       uint32_t len, uint64_t key)
{
	const struct stack_cache *c = &s->cache[(key >> 8) & s->cache_mask];
	uint32_t node = c->leaf;

	if (c->key != (key ^ s->salt))
		return 0;
	for (uint32_t i = 0; i < len; i++) {
		const struct stack_node *n = &s->node[node];

		if (n->addr != chain[i])
			return 0;
		node = stack_parent(n);
	}
	return node < s->roots ? c->leaf : 0;
}

static uint32_t *bucket_of(const struct stacks *s, uint32_t parent_leaf,
			   uint64_t addr)
{
	return hash_bucket(&s->hash, addr, parent_leaf & ~STACKS_KIND);
}

/* 0: `spare` nodes are left. */
static uint32_t find_or_make(struct stacks *s, uint32_t parent_leaf,
			     uint64_t addr, uint32_t root, uint32_t spare)
{
	uint32_t *head = bucket_of(s, parent_leaf, addr);

	for (uint32_t i = *head; i; i = s->node[i].next)
		if (s->node[i].addr == addr &&
		    (s->node[i].parent_leaf & ~STACKS_KIND) == parent_leaf)
			return i;
	if (s->used + spare >= s->capacity)
		return 0;
	s->node[s->used] = (struct stack_node){
		.addr = addr, .parent_leaf = parent_leaf, .next = *head,
		.root = parent_leaf & STACKS_LEAF ? 0 : root,
	};
	*head = s->used;
	return s->used++;
}

uint32_t stacks_enter(struct stacks *s, const uint64_t *chain, uint32_t len,
		      uint64_t key, uint32_t root)
{
	uint32_t at = root;

	for (uint32_t i = len; i--;) {
		at = find_or_make(s, at | (i ? 0 : STACKS_LEAF), chain[i],
				  root, s->spare);
		if (!at) {
			s->full++;
			return root;
		}
	}
	s->cache[(key >> 8) & s->cache_mask] =
		(struct stack_cache){ .key = key ^ s->salt, .leaf = at };
	return at;
}

uint32_t stacks_enter_one(struct stacks *s, uint64_t addr, uint32_t root)
{
	const uint32_t at = find_or_make(s, root | STACKS_LEAF, addr, root, 0);

	return at ? at : root;
}

void stacks_retire(struct stacks *s, uint32_t node, uint32_t row,
		   uint64_t offset)
{
	struct stack_node *n = &s->node[node];
	uint32_t *link = bucket_of(s, n->parent_leaf, n->addr);

	/* A forged trace may have addresses that look retired: then the node is
	 * not in the list. */
	while (*link && *link != node)
		link = &s->node[*link].next;
	if (*link)
		*link = n->next;
	n->addr = stack_retired(row, offset);
}

void stacks_forget(struct stacks *s)
{
	s->salt += 2;
}

uint32_t stacks_add(struct stacks *s, uint32_t leaf, uint32_t epoch,
		    uint32_t pages)
{
	if (leaf >= s->roots)
		count_add(&s->node[leaf].pages, epoch, pages);
	return stacks_root(s, leaf);
}

void stacks_reset_row(struct stacks *s, uint32_t row, uint32_t heir)
{
	for (uint32_t i = s->roots; i < s->used; i++) {
		struct stack_node *n = &s->node[i];

		if (stack_is_leaf(n) && stacks_root(s, i) == row) {
			s->dropped_peaks += n->pages.peak;
			n->pages = (struct count){ 0 };
		}
		stack_retired_move(&n->addr, row, heir);
	}
	stacks_forget(s);
}
