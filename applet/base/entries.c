/* SPDX-License-Identifier: MIT */
/* The names in a directory: see system.h, entries. */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/system.h"

/* An entry of getdents64 has 19 bytes before its name of at most 255 and NUL:
 * u64 inode, s64 where to go on, u16 length, u8 type. */
#define NEXT_AT 8
#define LENGTH_AT 16
#define NAME_AT 19

void entries_begin(struct entries *e, int fd)
{
	e->fd = fd;
	e->at = e->filled = 0;
	e->error = 0;
}

const char *entries_next(struct entries *e)
{
	const char *entry;
	uint16_t bytes;
	long n;

	if (e->at == e->filled) {
		n = syscall(SYS_getdents64, e->fd, e->buf, sizeof(e->buf));
		e->error = n < 0 ? -errno : 0;
		if (n <= 0)
			return NULL;
		e->at = 0;
		e->filled = (uint32_t)n;
	}
	entry = e->buf + e->at;
	memcpy(&e->inode, entry, sizeof(e->inode));
	memcpy(&e->next, entry + NEXT_AT, sizeof(e->next));
	memcpy(&bytes, entry + LENGTH_AT, sizeof(bytes));
	e->at += bytes;
	return entry + NAME_AT;
}
