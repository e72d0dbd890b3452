/* SPDX-License-Identifier: MIT */
/*
 * The names in an open directory, one after the other, without allocation.
 */
#ifndef MEMSTRACK_ENTRIES_H
#define MEMSTRACK_ENTRIES_H

#include <stdint.h>

struct entries {
	int fd;
	int error;		/* 0 or -errno, after the last name */
	uint32_t at, filled;
	int64_t next;		/* where the directory goes on behind a name */
	_Alignas(8) char buf[2048];
};

/* Goes on where the descriptor stands. */
void entries_begin(struct entries *e, int fd);

/* NULL: there is no more, or an error. The name stays until the next call. */
const char *entries_next(struct entries *e);

#endif
