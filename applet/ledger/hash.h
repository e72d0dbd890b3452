/*
 * One mixing function for every table: a multiplication by an odd constant
 * and a fold, which spreads pids, addresses and row numbers well enough for
 * chained buckets. Not for input that somebody chooses to collide: pids and
 * kernel addresses are the kernel's to give.
 */
#ifndef MEMSTRACK_HASH_H
#define MEMSTRACK_HASH_H

#include <stdint.h>

static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
	uint64_t x = (a ^ (b >> 32 | b << 32)) * 0x9e3779b97f4a7c15u;

	return x ^ x >> 29;
}

/* The power of two at or above n, at least 16. */
static inline uint32_t hash_buckets(uint32_t n)
{
	uint32_t buckets = 16;

	while (buckets < n && buckets < 1u << 31)
		buckets <<= 1;
	return buckets;
}

#endif
