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
	uint64_t inode;		/* of the last name */
	int64_t next;		/* position behind the last name, for lseek() */
	char buf[1024];
};

/* Begins at the position of the descriptor. */
void entries_begin(struct entries *e, int fd);

/* NULL at the end and after an error. The name is valid until the next call. */
const char *entries_next(struct entries *e);

#endif
