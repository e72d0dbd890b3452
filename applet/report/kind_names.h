/* SPDX-License-Identifier: MIT */
/*
 * Kinds of memory in a report (ledger/kinds.h): their names, and of which kinds
 * the pages of one row are.
 */
#ifndef MEMSTRACK_KIND_NAMES_H
#define MEMSTRACK_KIND_NAMES_H

#include "report/line.h"
#include "report/report.h"
#include "report/shown.h"

/* Are pages without a stack surely first touches of anonymous memory? They are
 * not if a table was full, or if the kernel gives no stacks at all. */
int stackless_is_anonymous(const struct ledger *l);

const char *kind_name(uint32_t kind);

/* Are there figures of kinds? Sampled ones are always known. */
static inline int kinds_are_known(const struct ledger *l)
{
	return l->kinds.known || l->samples.on;
}

/* The figures of one kind, traced or sampled. */
static inline const struct count *kind_count(const struct ledger *l,
					     uint32_t kind)
{
	return l->samples.on ? &l->samples.kind[kind] : &l->kinds.row[kind];
}

/* The pages that a module or task holds now, by kind. What a module held at the
 * peak is known too, but its kernel stacks in vmalloc count as vmalloc. */
void kinds_of_row(const struct ledger *l, enum table t, uint32_t row,
		  int at_peak, uint64_t pages[KINDS]);

/* The largest first. */
void kinds_sort(const uint64_t pages[KINDS], unsigned char order[KINDS]);

/* Adds "tmpfs 38.0M, slab 1.2M": the two largest; nothing if there are none.
 * Returns whether it added something. */
int kinds_write(struct line *l, const uint64_t pages[KINDS]);

/* What a module that is gone, or was never loaded, still holds of its own: what
 * it shares with the rest of the kernel is no leak. In pages, and in objects of
 * slab, if they are traced, that its own code allocated. As long as kinds are not
 * known, all its pages count. */
uint64_t row_leak(const struct ledger *l, uint32_t row);
uint64_t row_leak_objects(const struct ledger *l, uint32_t row);

#endif
