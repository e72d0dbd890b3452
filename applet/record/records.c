/* SPDX-License-Identifier: MIT */
/*
 * Records out of bytes: see record.h, records.
 *
 * A size is 16 bits wide, so any whole record fits the buffer: only the end of
 * the file can cut a record off. Every record moves the reader forward.
 */
#include <errno.h>
#include <unistd.h>
#include "record/record.h"

_Static_assert(TRACE_BUFFER_BYTES > UINT16_MAX, "any record must fit");

int trace_fill(struct trace_reader *r, size_t bytes)
{
	size_t filled = trace_unread(r);

	if (r->fd < 0)
		return 0;
	r->at = memmove(r->buffer, r->at, filled);
	r->end = r->at + filled;
	while (trace_unread(r) < bytes) {
		ssize_t n = read(r->fd, r->end, (size_t)(r->buffer +
				 TRACE_BUFFER_BYTES - r->end));

		if (n > 0)
			r->end += n;
		else if (n == 0)
			break;
		else if (errno != EINTR)
			return -errno;
	}
	return 0;
}

int trace_next_record(struct trace_reader *r)
{
	size_t size = TRACE_HEAD_BYTES;
	int error;

	r->offset += r->record_bytes;
	r->record_bytes = 0;
	r->problem = TRACE_CUT_OFF;
	if (trace_unread(r) < size) {
		error = trace_fill(r, size);
		if (error || r->at == r->end)
			return error;
		if (trace_unread(r) < size)
			return -EINVAL;
	}
	r->type = (uint32_t)trace_number(r, r->at, size);
	size = r->type & 0xffffu;
	r->type >>= 16;
	if (size < TRACE_HEAD_BYTES) {
		r->problem = "a record smaller than its own head";
		return -EINVAL;
	}
	if (trace_unread(r) < size) {
		error = trace_fill(r, size);
		if (error)
			return error;
		if (trace_unread(r) < size)
			return -EINVAL;
	}
	r->rest = r->at + TRACE_HEAD_BYTES;
	r->left = size - TRACE_HEAD_BYTES;
	r->at += size;
	r->record_bytes = size;
	return 1;
}

const unsigned char *trace_take(struct trace_reader *r, size_t size)
{
	const unsigned char *at = r->rest;

	if (r->left < size)
		return NULL;
	r->rest += size;
	r->left -= size;
	return at;
}

int trace_get_part(struct trace_reader *r, void *into, uint32_t part)
{
	const struct trace_field *field = trace_fields[part];
	const unsigned char *at = r->rest;
	size_t left = r->left;

	for (; field && field->kind != TRACE_NONE; field++) {
		const size_t bytes = trace_field_bytes(field, r->word_bytes);
		unsigned char *to = (unsigned char *)into + field->offset;
		uint64_t wide;
		uint32_t narrow;

		if (left < bytes)
			return 0;
		wide = trace_number(r, at, bytes);
		narrow = (uint32_t)wide;
		if (field->kind == TRACE_U32)
			memcpy(to, &narrow, sizeof(narrow));
		else
			memcpy(to, &wide, sizeof(wide));
		at += bytes;
		left -= bytes;
	}
	r->rest = at;
	r->left = left;
	return 1;
}

int trace_get_text(struct trace_reader *r, size_t len, char *text, size_t room)
{
	const unsigned char *at = len < room ? trace_take(r, len) : NULL;

	if (!at)
		return 0;
	memcpy(text, at, len);
	text[len] = '\0';
	return 1;
}

int trace_get_string(struct trace_reader *r, char *text, size_t room)
{
	const unsigned char *at = trace_take(r, 2);
	uint16_t len;

	if (!at)
		return 0;
	memcpy(&len, at, sizeof(len));
	if (r->swap)
		len = __builtin_bswap16(len);
	return trace_get_text(r, len, text, room);
}
