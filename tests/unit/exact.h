/* SPDX-License-Identifier: MIT */
/*
 * Bytes in memory of their exact size, so that AddressSanitizer sees it when
 * one too many is read; and in a file.
 */
#ifndef EXACT_H
#define EXACT_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

#endif
