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

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/* Reads a field from a raw record. -EINVAL: it does not lie in the record. Three
 * of them for each event: without the call one takes half the time. */
__attribute__((always_inline))
static inline int field_u64(const struct field *f, const unsigned char *raw, size_t len,
	      uint64_t *value)
{
	union { uint8_t u8; uint16_t u16; uint32_t u32; uint64_t u64; } v;

	if (f->offset + f->size > len)
		return -EINVAL;
	raw += f->offset;
	switch (f->size) {
	case 1:
		memcpy(&v, raw, 1);
		*value = f->is_signed ? (uint64_t)(int8_t)v.u8 : v.u8;
		return 0;
	case 2:
		memcpy(&v, raw, 2);
		*value = f->is_signed ? (uint64_t)(int16_t)v.u16 : v.u16;
		return 0;
	case 4:
		memcpy(&v, raw, 4);
		*value = f->is_signed ? (uint64_t)(int32_t)v.u32 : v.u32;
		return 0;
	case 8:
		memcpy(&v, raw, 8);
		*value = v.u64;
		return 0;
	default:
		return -EINVAL;
	}
}

/* Copies a string field to `out`, cut to its size, with an end byte. */
int field_string(const struct field *f, const unsigned char *raw, size_t len,
		 char *out, size_t size);

#endif
