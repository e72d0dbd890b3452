/* SPDX-License-Identifier: MIT */
/*
 * One mixing function for every table: a multiplication by an odd constant and
 * a fold. It spreads pids, addresses and row numbers well enough for chained
 * buckets. It does not resist input that somebody chooses to collide; pids and
 * kernel addresses are chosen by the kernel.
 */
#ifndef MEMSTRACK_HASH_H
#define MEMSTRACK_HASH_H

#include <stdint.h>
#include "base/arena.h"

/* The first row of each chain; each row holds the number of the next. 0:
 * none. */
struct hash {
	uint32_t *bucket;
	uint32_t mask;
};

static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
	uint64_t x = (a ^ (b >> 32 | b << 32)) * 0x9e3779b97f4a7c15u;

	return x ^ x >> 29;
}

/* The smallest power of two that is at least n and at least 16. */
uint32_t hash_buckets(uint32_t n);

/* Takes buckets for so many rows. If they do not fit, arena->failed is set. */
void hash_init(struct hash *h, struct arena *a, uint32_t rows);
uint64_t hash_bytes(uint32_t rows);
uint32_t *hash_bucket(const struct hash *h, uint64_t a, uint64_t b);

#endif
