/* SPDX-License-Identifier: MIT */
/*
 * What kind of memory a page is: anonymous, page cache, slab ...
 *
 * First touches of anonymous memory are traced without a call chain. The kind of
 * any other page is read off its chain, from the innermost frame on: the first
 * function that has a rule decides. A function farther out may overrule it: the
 * slab that grows for a packet is the network's. If no function has a rule and
 * a module is on the chain, the page is a driver's. Areas of vmalloc (areas.h)
 * count too, so all kinds together are what is traced and vmalloc.
 *
 * The addresses of the functions come as events, from /proc/kallsyms, which
 * takes long to read: so they come when there is time, at the latest before a
 * report. Until then all pages with a chain are KIND_OTHER. After that all
 * figures are exact, but for one: how much of a kind was held at most before.
 * `limit` says how much that can have been; if the peak is not below it, the
 * peak is exact.
 */
#ifndef MEMSTRACK_KINDS_H
#define MEMSTRACK_KINDS_H

#include <stddef.h>
#include <stdint.h>
#include "ledger/count.h"
#include "ledger/kind_rules.h"
#include "ledger/modules.h"

/* The rule for a function, or NULL. A suffix of the compiler is ignored. */
const struct kind_rule *kinds_rule(const char *function, size_t len);

/* Neighbours with one rule. */
struct kind_range {
	uint64_t base;
	uint32_t size_bytes;
	uint8_t kind, over;
};

/* A kernel has some 180 of them. */
#define KIND_RANGES_MAX 320u

struct kinds {
	struct count row[KINDS];
	uint32_t limit[KINDS];	/* pages; see above */
	uint32_t ranges;
	uint32_t full;		/* functions that found no room */
	int known;		/* the functions were told */
	struct kind_range range[KIND_RANGES_MAX];	/* sorted by base */
};

/* 1; 0: it was told before; -1: no rule, or no room. */
int kinds_add(struct kinds *k, const char *function, uint64_t base,
	      uint32_t size_bytes);

/* What a module takes in no other way: an image if it holds a page cache of its
 * own or calls for one, compressed pages, or a driver's. */
enum page_kind kinds_of_module(const char *module);

/* The kind by a chain of return addresses, innermost first. */
enum page_kind kinds_of_chain(const struct kinds *k, const struct modules *m,
			      const uint64_t *chain, uint32_t len);

/* The kind that the function of one frame tells, KIND_OTHER if none. */
uint32_t kinds_function(const struct kinds *k, uint64_t addr);

/* The kind of an area by its caller: its address, or if 0 its name. */
enum page_kind kinds_of_caller(const struct kinds *k, uint64_t addr,
			       const char *name);

/* So many pages more may have been of this kind before. */
void kinds_limit(struct kinds *k, enum page_kind kind, uint64_t pages);

/* Pages that counted as `from` turn out to be of the kind `to`. */
void kinds_move(struct kinds *k, enum page_kind from, enum page_kind to,
		const struct count *pages, uint32_t epoch);

/* The peak of this kind is what was held at one instant; if it is not exact,
 * more may have been held earlier. */
static inline int kinds_exact(const struct kinds *k, uint32_t kind)
{
	return k->row[kind].peak >= k->limit[kind];
}

#endif
