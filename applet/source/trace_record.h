/*
 * Between trace_read.c and the bytes: whole records, one after another, and
 * the parts of one. Every part is asked for by its size and is either all
 * there or refused.
 */
#ifndef MEMSTRACK_TRACE_RECORD_H
#define MEMSTRACK_TRACE_RECORD_H

#include <string.h>
#include "trace_file.h"
#include "trace_shape.h"

#define TRACE_CUT_OFF "cut off in the middle of a record"

struct trace_record {
	const unsigned char *at;	/* what is not yet read of it */
	size_t left;
	uint32_t type;
};

/* -EINVAL, and why. */
int trace_problem(struct trace_reader *r, const char *what);

/* Until `bytes` are in the buffer or there is no more. 0 or -errno. */
int trace_fill(struct trace_reader *r, size_t bytes);

/* 1: a whole record, which the reader has then left behind; 0: the end of the
 * bytes; or an error. r->offset is where the record starts until the next. */
int trace_next_record(struct trace_reader *r, struct trace_record *c);

/* Fields into the structure at `into`: 1, or 0 where the record is short. */
int trace_get_fields(const struct trace_reader *r, struct trace_record *c,
		     void *into, const struct trace_field *field,
		     size_t fields);

/* A string with its length before it, shorter than `room`: 1 or 0. */
int trace_get_string(const struct trace_reader *r, struct trace_record *c,
		     char *text, size_t room);

static inline uint32_t trace_get_u32(const struct trace_reader *r,
				     const unsigned char *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return r->swap ? __builtin_bswap32(value) : value;
}

static inline uint64_t trace_get_u64(const struct trace_reader *r,
				     const unsigned char *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return r->swap ? __builtin_bswap64(value) : value;
}

static inline uint64_t trace_get_word(const struct trace_reader *r,
				      const unsigned char *at)
{
	return r->word_bytes == 4 ? trace_get_u32(r, at) : trace_get_u64(r, at);
}

/* The next `size` bytes of a record, or NULL. */
static inline const unsigned char *trace_take(struct trace_record *c,
					      size_t size)
{
	const unsigned char *at = c->at;

	if (c->left < size)
		return NULL;
	c->at += size;
	c->left -= size;
	return at;
}

#endif
