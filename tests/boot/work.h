/* SPDX-License-Identifier: MIT */
/*
 * What the programs of guests share that take known memory
 * (actor.c, pages.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static inline void must(int holds, const char *what)
{
	if (holds)
		return;
	dprintf(2, "%s: %s\n", what, strerror(errno));
	_exit(1);
}

static inline int open_at(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);

	must(fd >= 0, path);
	return fd;
}

/* Anonymous memory, at this place or anywhere. */
static inline char *map_at(void *place, size_t bytes)
{
	void *memory = mmap(place, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS |
			    (place ? MAP_FIXED : 0), -1, 0);

	must(memory != MAP_FAILED, "mmap");
	return memory;
}

/* A byte every so many. */
static inline void touch(char *memory, size_t bytes, size_t stride_bytes)
{
	for (size_t i = 0; i < bytes; i += stride_bytes)
		*(volatile char *)(memory + i) = 1;
}

static inline _Noreturn void stay(void)
{
	for (;;)
		pause();
}
