/* SPDX-License-Identifier: MIT */
/*
 * Page frame number to owner, 4 bytes a page.
 *
 * Flat, if its share of the budget is large enough: one array over all ranges
 * of System RAM. A kdump kernel's RAM starts at some 10 GiB and a big machine
 * has holes, so the array holds the ranges side by side. Else a hash: a fixed
 * open-addressing table of live pages, 8 bytes an entry, with linear probing
 * and deletion by shifting back. A replay, which has memory enough, may use a
 * flat table that holds no more pages than the recorded hash could: it is
 * faster.
 *
 * RAM may come while we trace. Its pages get the next numbers. A flat array that
 * has no room for them becomes a hash, in the same memory, if all live pages
 * find room in that; else the new pages have none.
 */
#ifndef MEMSTRACK_PAGES_H
#define MEMSTRACK_PAGES_H

#include <stdint.h>
#include "base/arena.h"
#include "source/session.h"

struct page_slot {
	uint32_t key, owner;	/* key: page number in RAM; owner 0: free */
};

struct pages {
	uint32_t *flat;			/* NULL: hash */
	struct page_slot *slot;
	uint32_t capacity_pages;	/* that may have an owner at a time */
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
/* Bytes of the table that pages_init() makes. */
uint64_t pages_bytes(const struct ram *ram, uint64_t bytes,
		     uint64_t flat_bytes);

/* Sorts and joins `ram`. The table holds as many pages as fit `bytes`: all if a
 * flat array does, else those of a hash of that size. It is flat if that needs
 * at most `bytes` or `flat_bytes`, else a hash. *p is zeroed. 0, -ENOMEM, or
 * -EINVAL if RAM has no page. */
int pages_init(struct pages *p, struct arena *a, const struct ram *ram,
	       uint64_t bytes, uint64_t flat_bytes);

/* Pages that are RAM from now on. 0; or -ENOSPC: there are too many ranges, or
 * pages, and they stay outside; so they do if some are RAM already. */
int pages_add(struct pages *p, uint64_t pfn, uint64_t count);

/* Replaces the owner of a page and returns the old one (0: none). Owner 0 frees
 * the page. -1: pfn outside RAM. -2: table full, nothing changed. */
int64_t pages_swap(struct pages *p, uint64_t pfn, uint32_t owner);

/* The owner of a page; 0: none, or outside RAM. */
uint32_t pages_owner(struct pages *p, uint64_t pfn);

#endif
