/*
 * Between read.c and the bytes: whole records, one after another, and
 * the parts of one. Every part is asked for by its size and is either all
 * there or refused.
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

/* Until `bytes` are in the buffer or there is no more. 0 or -errno. */
int trace_fill(struct trace_reader *r, size_t bytes);

/* 1: a whole record, which the reader has then left behind; 0: the end of the
 * bytes; or an error, of -EINVAL r->problem says why. r->offset is where the
 * record starts until the next. */
int trace_next_record(struct trace_reader *r);

/* The fields of a part into its structure: 1, or 0 where it is short. */
int trace_get_part(struct trace_reader *r, void *into, uint32_t part);

/* The next `len` bytes as a text, which must be shorter than `room`; of a
 * string, the length stands before it. 1 or 0. */
int trace_get_text(struct trace_reader *r, size_t len, char *text,
		   size_t room);
int trace_get_string(struct trace_reader *r, char *text, size_t room);

/* Of 4 or 8 bytes. */
uint64_t trace_number(const struct trace_reader *r, const unsigned char *at,
		      size_t bytes);

/* The next `size` bytes of a record, or NULL. */
const unsigned char *trace_take(struct trace_reader *r, size_t size);

#endif
