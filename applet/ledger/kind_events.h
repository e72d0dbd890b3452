/* SPDX-License-Identifier: MIT */
/*
 * The functions that tell the kinds of pages become known.
 */
#ifndef MEMSTRACK_KIND_EVENTS_H
#define MEMSTRACK_KIND_EVENTS_H

#include "ledger/ledger.h"

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

/* Adds pages of vmalloc; a negative number takes away. */
void kind_area(struct ledger *l, uint32_t caller, uint32_t pages);

#endif
