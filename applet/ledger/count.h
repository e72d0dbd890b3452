/* SPDX-License-Identifier: MIT */
/*
 * The pages that one row holds, and two peaks, all exact, in constant time.
 *
 * `peak` is the highest value of the row. `at_peak` is the row's value at the
 * instant when the most memory was used. To copy every row at each new high
 * would be exact but slow; to copy now and then would be fast but wrong. So the
 * copy is made late: ledger->epoch counts the highs, and a row that is about to
 * change keeps its old value first, unless it has changed since the last high.
 * A high adds at least one page to the peak, or ends a vmalloc: no trace has so
 * many that the epoch wraps.
 */
#ifndef MEMSTRACK_COUNT_H
#define MEMSTRACK_COUNT_H

#include <stdint.h>

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

static inline void count_sub(struct count *c, uint32_t epoch, uint32_t pages)
{
	count_add(c, epoch, 0 - pages);
}

/* Moves all pages of `from` to `to`. The pages held at the peak are added too:
 * the two rows become one, and held that much together. */
static inline void count_fold(struct count *to, struct count *from,
			      uint32_t epoch)
{
	count_add(to, epoch, from->now);
	to->kept += count_at_peak(from, epoch);
	if (to->kept > to->peak)
		to->peak = to->kept;
	*from = (struct count){ 0 };
}

#endif
