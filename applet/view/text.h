/* SPDX-License-Identifier: MIT */
/*
 * The lines of a file of any size, with their numbers.
 *
 * Unlike base/readfile.h it tells an error of a read, a line that is too long and
 * an end without a newline: the file is not trusted, and each of them means that
 * some of its figures are missing. One read asks for READ_BYTES at least:
 * page_owner gives one record a read, of up to a page, and fails (ENOMEM) if it
 * finds no room.
 */
#ifndef MEMSTRACK_TEXT_LINES_H
#define MEMSTRACK_TEXT_LINES_H

#include <stddef.h>
#include <stdint.h>

#define READ_BYTES (64u << 10)		/* the largest page of any kernel */
#define TEXT_LINE_BYTES (8u << 10)	/* a longer line is too long */

struct text {
	int fd;
	int error;		/* -errno of a read, or 0 */
	int is_long, is_cut;	/* the line was too long; has no newline */
	uint64_t line;		/* number of the line, from 1 */
	size_t at, filled;
	char buf[READ_BYTES + TEXT_LINE_BYTES];
};

void text_begin(struct text *t, int fd);

/* The next line, without its newline or, from a serial line, two bytes of that,
 * or NULL at the end of the file or at an
 * error. Of a line that is too long the beginning. */
const char *text_next(struct text *t, size_t *len);

#endif
