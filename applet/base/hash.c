/* SPDX-License-Identifier: MIT */
/* Buckets of rows: see base.h, hash. */
#include "base/base.h"

uint32_t hash_buckets(uint32_t n)
{
	uint32_t buckets = 16;

	while (buckets < n && buckets < 1u << 31)
		buckets <<= 1;
	return buckets;
}

uint64_t hash_bytes(uint32_t rows)
{
	return (uint64_t)hash_buckets(rows) * sizeof(uint32_t);
}

void hash_init(struct hash *h, struct arena *a, uint32_t rows)
{
	h->mask = hash_buckets(rows) - 1;
	h->bucket = arena_take(a, h->mask + 1u, sizeof(*h->bucket));
}

uint32_t *hash_bucket(const struct hash *h, uint64_t a, uint64_t b)
{
	return &h->bucket[hash_mix(a, b) & h->mask];
}
