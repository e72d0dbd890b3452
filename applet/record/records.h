/* SPDX-License-Identifier: MIT */
/*
 * The layer between read.c and the bytes: it gives whole records, one after
 * another, and the parts of a record. The caller asks for each part by its
 * size, and gets either the whole part or nothing.
 */
#ifndef MEMSTRACK_RECORDS_H
#define MEMSTRACK_RECORDS_H

#include <string.h>
#include "record/trace.h"
#include "record/shape.h"

#define TRACE_CUT_OFF "cut off in the middle of a record"
#define TRACE_TOO_SHORT "a record too short"

static inline size_t trace_unread(const struct trace_reader *r)
{
	return (size_t)(r->end - r->at);
}

/* Called when the buffer holds too little: reads until it holds `bytes`, or the
 * file ends. 0 or -errno. */
int trace_fill(struct trace_reader *r, size_t bytes);

/* 1: a whole record was read, and the reader stands behind it; 0: the end of
 * the bytes; or an error (-EINVAL: r->problem says why). r->offset is the start
 * of this record until the next call. */
int trace_next_record(struct trace_reader *r);

/* Copies the fields of a part into its structure: 1, or 0 if the record is
 * short. */
int trace_get_part(struct trace_reader *r, void *into, uint32_t part);

/* The next `len` bytes as a text, which must be shorter than `room`; for a
 * string, the length is read first. 1 or 0. */
int trace_get_text(struct trace_reader *r, size_t len, char *text,
		   size_t room);
int trace_get_string(struct trace_reader *r, char *text, size_t room);

/* A number of 4 or 8 bytes. */
static inline uint64_t trace_number(const struct trace_reader *r,
				    const unsigned char *at, size_t bytes)
{
	uint32_t narrow;
	uint64_t wide;

	if (bytes == sizeof(narrow)) {
		memcpy(&narrow, at, sizeof(narrow));
		return r->swap ? __builtin_bswap32(narrow) : narrow;
	}
	memcpy(&wide, at, sizeof(wide));
	return r->swap ? __builtin_bswap64(wide) : wide;
}

/* The next `size` bytes of a record, or NULL. */
const unsigned char *trace_take(struct trace_reader *r, size_t size);

#endif
