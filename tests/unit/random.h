/* SPDX-License-Identifier: MIT */
/*
 * The same random numbers on every machine and C library, from a seed that a
 * failing test prints: xorshift64*, Marsaglia and Vigna.
 */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

struct random {
	uint64_t state;		/* not 0 */
};

static inline uint64_t random_u64(struct random *r)
{
	uint64_t x = r->state;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	r->state = x;
	return x * 0x2545f4914f6cdd1du;
}

/* 0 .. n - 1 */
static inline uint32_t random_below(struct random *r, uint32_t n)
{
	return (uint32_t)((random_u64(r) >> 32) * n >> 32);
}

/* Once in n times. */
static inline int random_one_in(struct random *r, uint32_t n)
{
	return random_below(r, n) == 0;
}

#endif
