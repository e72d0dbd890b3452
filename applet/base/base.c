/* SPDX-License-Identifier: MIT */
/* The arena, hashes, numbers and words: see base.h. */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include "base/base.h"

/* --- arena: the one block of memory */

#define ARENA_ALIGN ((size_t)64)	/* a cache line */

void arena_init(struct arena *a, void *base, size_t size_bytes)
{
	*a = (struct arena){ .base = base, .size_bytes = size_bytes };
}

void *arena_take(struct arena *a, size_t count, size_t each_bytes)
{
	size_t room = (a->size_bytes - a->used_bytes) & ~(ARENA_ALIGN - 1);
	size_t bytes;
	void *piece;

	if (a->sealed || count > room / each_bytes) {
		a->failed = -ENOMEM;
		return NULL;
	}
	bytes = (count * each_bytes + ARENA_ALIGN - 1) & ~(ARENA_ALIGN - 1);
	piece = a->base + a->used_bytes;
	a->used_bytes += bytes;
	return piece;
}

void arena_seal(struct arena *a)
{
	a->sealed = 1;
}

/* --- hash: buckets of rows */

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

/*
 * --- number
 *
 * Strict numbers: the whole text must be a number in range, otherwise *value
 * keeps its old value. A sign, white space or a prefix is refused: the C
 * library's functions accept all three and ignore what follows the number.
 */

static unsigned int digit_value(char c)
{
	unsigned int digit = (unsigned int)c - '0';

	if (digit <= 9)
		return digit;
	digit = ((unsigned int)c | ('a' - 'A')) - 'a';
	return digit < 6 ? digit + 10 : UINT32_MAX;
}

int parse_digits(const char *text, size_t *len, unsigned int base,
		 uint64_t *value)
{
	int too_large = 0;
	size_t i = 0;

	for (*value = 0; i < *len; i++) {
		unsigned int digit = digit_value(text[i]);

		if (digit >= base)
			break;
		too_large |= __builtin_mul_overflow(*value, base, value);
		too_large |= __builtin_add_overflow(*value, digit, value);
	}
	*len = i;
	return too_large ? -ERANGE : i ? 0 : -EINVAL;
}

int parse_u64(const char *text, size_t len, unsigned int base, uint64_t min,
	      uint64_t max, uint64_t *value)
{
	size_t digits = len;
	uint64_t sum;
	int error = parse_digits(text, &digits, base, &sum);

	if (digits != len)
		return -EINVAL;
	if (!error && (sum < min || sum > max))
		error = -ERANGE;
	if (!error)
		*value = sum;
	return error;
}

/* The bounds are for the whole value. Divided by the letter's unit, they bound
 * the number before the letter: min is rounded up, max is rounded down. */
int parse_size(const char *text, size_t len, uint64_t min, uint64_t max,
	       uint64_t *value)
{
	unsigned int shift = 0;
	int error;

	if (len > 0) {
		char letter = text[len - 1] | ('a' - 'A');

		shift = letter == 'k' ? 10 : letter == 'm' ? 20 :
			letter == 'g' ? 30 : 0;
		len -= shift != 0;
	}
	min = min ? ((min - 1) >> shift) + 1 : 0;
	error = parse_u64(text, len, 10, min, max >> shift, value);
	if (!error)
		*value <<= shift;
	return error;
}

/* --- text */

size_t length_to(const char *text, char stop)
{
	size_t len = 0;

	while (text[len] && text[len] != stop)
		len++;
	return len;
}

const char *past_last(const char *text, char mark)
{
	const char *behind = text;

	while (*text)
		if (*text++ == mark)
			behind = text;
	return behind;
}

const char *find_text(const char *text, size_t len, const char *what)
{
	size_t what_len = strlen(what);

	for (; len >= what_len; text++, len--)
		if (!memcmp(text, what, what_len))
			return text;
	return NULL;
}

uint32_t text_hash(uint32_t hash, const void *bytes, size_t len)
{
	const unsigned char *at = bytes;

	while (len--)
		hash = (hash ^ *at++) * 16777619u;
	return hash;
}
