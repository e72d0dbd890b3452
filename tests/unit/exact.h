/* SPDX-License-Identifier: MIT */
/*
 * Bytes in memory of their exact size, so that AddressSanitizer sees it when
 * one too many is read; and in a file. Texts that grow. Memory for the table under
 * test. The same random numbers on every machine and C library, from a seed that a
 * failing test prints: xorshift64*, Marsaglia and Vigna.
 */
#ifndef EXACT_H
#define EXACT_H

#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/base.h"

#define OUTCOME_BYTES 1000

/* Adds to a text that ends. */
__attribute__((format(printf, 2, 3)))
static inline void append(char text[OUTCOME_BYTES], const char *format, ...)
{
	const size_t len = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + len, OUTCOME_BYTES - len, format, args);
	va_end(args);
}

/* How often a text has this part. */
static inline size_t count(const char *text, const char *part)
{
	size_t n = 0;

	for (text = strstr(text, part); text; text = strstr(text + 1, part))
		n++;
	return n;
}

/* To be freed. */
static inline void *exact(const void *bytes, size_t len)
{
	void *copy = malloc(len ? len : 1);

	if (!copy)
		abort();
	if (len)
		memcpy(copy, bytes, len);
	return copy;
}

/* Until the next call. */
static inline void *exact_once(const void *bytes, size_t len)
{
	static void *copy;

	free(copy);
	copy = exact(bytes, len);
	return copy;
}

/* Its path, until the next call; the caller removes it. */
static inline const char *file_of(const void *bytes, size_t len)
{
	static char path[32];
	int fd;

	strcpy(path, "/tmp/memstrack-unit-XXXXXX");
	fd = mkstemp(path);
	if (fd < 0 || write(fd, bytes, len) != (ssize_t)len)
		abort();
	close(fd);
	return path;
}

/* A file of this text that has no name, at its start. */
static inline int open_text(const char *text)
{
	const char *path = file_of(text, strlen(text));
	const int fd = open(path, O_RDWR);

	unlink(path);
	return fd;
}

/* --- memory for tables --- */

#define ARENA_BYTES (1u << 20)

/* An arena of so many bytes, all of them zero; the one before is gone. */
static inline struct arena *arena_fresh(size_t bytes)
{
	static _Alignas(64) unsigned char memory[ARENA_BYTES];
	static struct arena arena;

	memset(memory, 0, sizeof(memory));
	arena_init(&arena, memory, bytes);
	return &arena;
}

/* Did the table take so much, but for what aligns its parts? */
static inline int arena_took(const struct arena *a, uint64_t bytes,
			     uint32_t parts)
{
	return a->used_bytes >= bytes && a->used_bytes <= bytes + parts * 63;
}

/* --- random numbers --- */

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
