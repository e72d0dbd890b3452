/* SPDX-License-Identifier: MIT */
/*
 * A tracepoint's `format` file: where its fields lie.
 *
 * Offsets, sizes and signedness differ between kernels and machines, so they
 * are never taken from a header. The `print fmt` line has the values of flags,
 * in one of two spellings: 0x100u, or since 6.10 a shift like ((((1UL))) <<
 * (8)). Source: Documentation/trace/events.rst, kernel 6.12.
 */
#ifndef MEMSTRACK_FORMAT_H
#define MEMSTRACK_FORMAT_H

#include <stddef.h>
#include <stdint.h>

struct field {
	uint16_t offset, size;	/* bytes; size 0: the event has no such field */
	uint16_t is_signed;
	uint16_t is_data_loc;	/* __data_loc: offset and length of a string */
};

/* These functions take the whole text of the file. 0; -ENOENT: it is not in the
 * text; -EINVAL: it is there in a form that we do not know. */
int format_id(const char *text, size_t len, uint32_t *id);
int format_field(const char *text, size_t len, const char *name,
		 struct field *f);
int format_flag(const char *text, size_t len, const char *name,
		uint64_t *value);

/* Reads a field from a raw record. -EINVAL: it does not lie in the record. */
int field_u64(const struct field *f, const unsigned char *raw, size_t len,
	      uint64_t *value);
/* Copies a string field to `out`, cut to its size, with an end byte. */
int field_string(const struct field *f, const unsigned char *raw, size_t len,
		 char *out, size_t size);

#endif
