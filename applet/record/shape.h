/* SPDX-License-Identifier: MIT */
/*
 * The shapes of TRACE-FORMAT.md. write.c and read.c share them, so that one
 * reads what the other writes. A record is a common part, a few fields, each
 * named by its place in the C structure, and a tail that fills the rest.
 *
 * Numbers here are the file format: they change only with TRACE_VERSION.
 */
#ifndef MEMSTRACK_SHAPE_H
#define MEMSTRACK_SHAPE_H

#include <stdint.h>

#define TRACE_MAGIC "\211MEMSTRK"	/* first byte: no text file has it */
#define TRACE_VERSION 1u
#define TRACE_ORDER_MARK 0x01020304u
#define TRACE_CLOCK_MONOTONIC 1u
#define TRACE_PRELUDE_BYTES 24u

/* Record types below are enum event_type. */
#define TRACE_HEADER_RECORD 100u
#define TRACE_SYMBOL_RECORD 101u
#define TRACE_END_RECORD 102u
#define TRACE_SLAB_RECORD 103u
#define TRACE_PICTURE_RECORD 104u

#define TRACE_HEAD_BYTES 4u		/* size and type */

/* order shares a word with flags. An order above ORDER_MAX is not an order; it
 * is written as the largest that fits, which the ledger rejects as well. */
#define TRACE_ORDER_SHIFT 24
#define TRACE_ORDER_SATURATED 0xffu
#define TRACE_FLAGS_MASK 0xffffffu

/* The width of a field. A word holds an address and has as many bytes as on the
 * machine that recorded. */
enum trace_kind { TRACE_NONE, TRACE_U32, TRACE_U64, TRACE_WORD };
enum trace_tail { TRACE_NO_TAIL, TRACE_NAME, TRACE_CHAIN, TRACE_NAME_CHAIN };

struct trace_field {
	uint16_t offset;		/* in the structure */
	uint16_t kind;			/* TRACE_NONE: no more fields */
};

#define TRACE_EVENT_TYPES 53u

/* The index of a shape: an event type, which is never 0, or one of these. */
enum trace_part {
	TRACE_PART_HEADER = TRACE_EVENT_TYPES, TRACE_PART_RANGE,
	TRACE_PART_SYMBOL, TRACE_PART_END, TRACE_PART_SLAB,
	TRACE_PART_PICTURE, TRACE_PARTS
};

/* The first fields of all events, in file order. */
struct trace_common {
	uint32_t tid;
	uint64_t time_ns;
	uint32_t tgid, flags;
} __attribute__((packed));

/* The first bytes of a file, as this machine writes them. */
struct trace_prelude {
	char magic[TRACE_MAGIC_BYTES];
	uint32_t order_mark, version, word_bytes, clock;
};

static inline uint32_t trace_field_bytes(const struct trace_field *f,
					 uint32_t word_bytes)
{
	return f->kind == TRACE_U32 ? 4 :
	       f->kind == TRACE_U64 ? 8 : word_bytes;
}

extern const struct trace_prelude trace_prelude;
/* Fields in file order (NULL: none), and the enum trace_tail behind them. */
extern const struct trace_field *const trace_fields[TRACE_PARTS];
extern const uint8_t trace_tails[TRACE_PARTS];

#endif
