/* SPDX-License-Identifier: MIT */
/*
 * How much memory was needed at the worst moment: what was in use, less the
 * pages of files that could have been given back and read again.
 *
 * What is in use is known after every event, and so are pages that were read
 * from files since tracing began: by the flags of their allocation, or by their
 * call chain once functions are known (kinds.h). How many of all pages of files
 * could be given back, those from before with them, only samples tell. Between
 * two of them the smaller number is taken, so that no moment is made better than
 * it was. need_sample_due() asks for a sample as soon as a new worst moment may
 * have come, so that it is made little worse.
 *
 * Of anonymous pages for which swap has room only a part is needed: as large a
 * part as memory holds, compressed, of what was swapped out. This is known once
 * swap is used, and then for all moments.
 */
#ifndef MEMSTRACK_NEED_H
#define MEMSTRACK_NEED_H

#include <stdint.h>

/* Pages, from the start on, as ledger_used() counts them. */
struct need {
	int known;
	int64_t other;		/* could be given back at the last sample, besides
				 * those read since (negative: of these fewer) */
	int64_t most, worst;	/* in use without those read, at most since then;
				 * and without `other` at the worst moment */
	uint64_t most_ns, worst_ns;
	uint64_t anon, shmem, slab;	/* at the sample behind that */
	uint64_t swappable;	/* anonymous, and swap had room for them; */
	uint64_t swap_frees;	/* of 1024 of these, so many are no need */
};

/* What swap would free of so many pages. */
static inline uint64_t need_swaps(const struct need *n, uint64_t pages)
{
	return pages * n->swap_frees / 1024;
}

/* A trace that somebody made up may have any numbers. */
static inline int64_t need_less(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

static inline void need_begin(struct need *n, int64_t used, uint64_t now_ns)
{
	n->most = used;
	n->most_ns = now_ns;
}

static inline void need_used(struct need *n, int64_t used, uint64_t now_ns)
{
	if (used <= n->most)
		return;
	n->most = used;
	n->most_ns = now_ns;
}

/* It may be so many pages worse than is known. */
static inline int need_sample_due(const struct need *n, uint64_t pages)
{
	return n->known &&
	       need_less(need_less(n->most, n->other), n->worst) >
	       (int64_t)pages;
}

/* So many pages more turn out to be read from files. */
static inline void need_rebase(struct need *n, uint64_t pages)
{
	n->most = need_less(n->most, (int64_t)pages);
	n->other = need_less(n->other, (int64_t)pages);
}

#endif
