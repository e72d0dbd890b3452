/*
 * The shapes of TRACE-FORMAT.md, shared by trace_write.c and trace_read.c so
 * that what one puts the other gets: a record is a common part, a few fields
 * named by their place in the C structure, and a tail that fills the rest.
 *
 * Numbers here are the file format: they change only with TRACE_VERSION.
 */
#ifndef MEMSTRACK_TRACE_SHAPE_H
#define MEMSTRACK_TRACE_SHAPE_H

#include <stdint.h>

#define TRACE_MAGIC "\211MEMSTRK"	/* first byte: no text file has it */
#define TRACE_MAGIC_BYTES 8
#define TRACE_VERSION 1u
#define TRACE_ORDER_MARK 0x01020304u
#define TRACE_CLOCK_MONOTONIC 1u
#define TRACE_PRELUDE_BYTES 24u		/* before the first record */

/* Record types below are enum event_type. */
#define TRACE_HEADER_RECORD 100u
#define TRACE_SYMBOL_RECORD 101u
#define TRACE_END_RECORD 102u

#define TRACE_HEAD_BYTES 4u		/* size and type */
#define TRACE_COMMON_BYTES 24u		/* of every event, head included */

/* order shares a word with flags; a larger order is no order (ORDER_MAX) and
 * is written as the largest, which the ledger rejects as well. */
#define TRACE_ORDER_SHIFT 24
#define TRACE_ORDER_SATURATED 0xffu
#define TRACE_FLAGS_MASK 0xffffffu

/* WORD: an address, in the word size of the machine that recorded. */
enum trace_kind { TRACE_U32, TRACE_U64, TRACE_WORD };
enum trace_tail { TRACE_NO_TAIL, TRACE_NAME, TRACE_CHAIN };

struct trace_field {
	uint16_t offset;		/* in the structure */
	uint8_t kind;
};

struct trace_shape {
	struct trace_field field[3];
	uint8_t fields, tail;
};

#define TRACE_EVENT_TYPES 22u
extern const struct trace_shape trace_shapes[TRACE_EVENT_TYPES];

#define TRACE_HEADER_FIELDS 10u
#define TRACE_END_FIELDS 7u
extern const struct trace_field trace_header_fields[TRACE_HEADER_FIELDS];
extern const struct trace_field trace_end_fields[TRACE_END_FIELDS];

#endif
