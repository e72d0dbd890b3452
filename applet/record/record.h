/* SPDX-License-Identifier: MIT */
/* Recordings of events, and their replay. */
#ifndef MEMSTRACK_RECORD_RECORD_H
#define MEMSTRACK_RECORD_RECORD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "config/config.h"
#include "source/event.h"

/*
 * --- trace
 *
 * Recorded traces: written while tracing, read on any machine.
 *
 * The format is described in TRACE-FORMAT.md. A trace is written in the byte
 * order and word size of the machine that records it, and can be read on any
 * machine. Every record carries its own size, so that a reader can skip (and
 * count) records of unknown types.
 */

#define TRACE_BUFFER_BYTES (64u << 10)
#define TRACE_MAGIC_BYTES 8u

/* Before the first event. */
struct trace_header {
	uint32_t page_size;
	uint64_t mem_total_kib, start_ns;
	char kernel[RELEASE_BYTES];
	struct layout layout;		/* the final sizes */
	struct ram ram;
};

/* The name of an address that a report may print. */
struct trace_symbol {
	uint64_t addr;			/* to be printed */
	uint64_t start;			/* of the function */
	const char *name;		/* len bytes, no end byte */
	size_t len;
};

/* The file to record into. We open the file early, so that an error shows at
 * once, but empty it (system_renew()) only when we are the tracer: until then
 * another tracer may be recording into the same file. */
struct trace_file {
	const char *path;
	int fd;				/* -1: nothing is recorded */
};

/*
 * --- pack
 *
 * Packed events: see pack.c.
 */

/* A host that is busy has some hundred call chains at a time. A longer chain is
 * written in full each time. 98 KiB. */
#define PACK_CHAINS 256u		/* a place is a byte */
#define PACK_FRAMES 48u

/* The largest packed event, with some bytes behind it: a number takes at most
 * ten bytes. */
#define PACK_BYTES_MOST ((5u + CHAIN_FRAMES_MAX) * 10u + 12u)

struct pack_chain {
	uint32_t len;			/* 0: no chain yet */
	uint64_t frame[PACK_FRAMES];
};

/* What the next packed event refers to: zeroed before the first one. */
struct pack {
	uint64_t time_ns, pfn;
	uint64_t frame;			/* the last of all frames written */
	uint32_t tid, tgid;
	struct pack_chain chain[PACK_CHAINS];
};

/* Packs an event of a page. Returns its size. `flags`: its flags and order as
 * other records have them. */
size_t pack_event(struct pack *p, const struct event *e, uint32_t flags,
		  unsigned char record[PACK_BYTES_MOST]);

/* Unpacks an event from PACK_BYTES_MOST bytes. Returns its size; 0: there is no
 * such event. */
size_t unpack_event(struct pack *p, const unsigned char *record,
		    struct event *e);

/* --- trace: what a writer and a reader keep */

/* Of the arena, for a writer. */
struct trace_memory {
	unsigned char buffer[TRACE_BUFFER_BYTES];
	struct pack pack;
};

struct trace_writer {
	int fd;				/* -1: nothing is recorded */
	unsigned char *buffer;		/* of the memory */
	struct pack *pack;
	size_t used, record;		/* record: start of the last record */
	int error;			/* first errno; stops writing */
};

int trace_create(struct trace_writer *w, int fd, struct trace_memory *memory,
		 const struct trace_header *h);
/* Writes what a picture needs besides events, right behind the header. */
void trace_write_picture(struct trace_writer *w, const struct session *s);
void trace_write(struct trace_writer *w, const struct event *e);
void trace_write_symbol(struct trace_writer *w, const struct trace_symbol *s);
/* Writes the last record and flushes. 0, or -errno of the first failed
 * write. */
int trace_finish(struct trace_writer *w, const struct session *session);

struct trace_reader {
	int fd;
	unsigned char *buffer;		/* TRACE_BUFFER_BYTES */
	unsigned char *at, *end;	/* the unread bytes in the buffer */
	uint64_t offset;		/* of the last record in the file */
	size_t record_bytes;		/* of that record; 0: it is cut off */
	uint32_t type;			/* of that record, or TRACE_PACKED */
	const unsigned char *rest;	/* its unread bytes */
	size_t left;
	uint32_t version;
	uint32_t word_bytes;
	int swap, ended;
	int again;			/* trace_next() must use that record */
	uint64_t unknown;		/* records of unknown types */
	const char *problem;		/* after -EINVAL: what is wrong */
	struct pack pack;
};

enum trace_item { TRACE_EVENT = 1, TRACE_SYMBOL, TRACE_END };

/* Are these bytes the beginning of a trace? */
int trace_begins(const unsigned char *bytes, size_t len);

/* Reads the header. The buffer, of TRACE_BUFFER_BYTES, has the first `filled`
 * bytes of the file already; if fd is -1, it is the whole trace. 0; -EINVAL
 * with problem and offset set; or -errno of read. */
int trace_open(struct trace_reader *r, int fd, unsigned char *buffer,
	       size_t filled, struct trace_header *h);

/* Reads the next item, fills in its structure and returns its type; 0 at the
 * end of a complete file (after TRACE_END); -EINVAL (problem, offset) where the
 * file is cut off or corrupted. Sets only the fields of an event that its type
 * has; and of a session all fields except page_size, layout (but for history)
 * and kernel, which are in the header. A symbol's name stays valid until the
 * next call. */
int trace_next(struct trace_reader *r, struct event *e, struct trace_symbol *s,
	       struct session *session);

/*
 * --- shape
 *
 * The shapes of TRACE-FORMAT.md, which write.c and read.c share. A record is a
 * common part, a few fields, each described by its offset in the C structure,
 * and a tail that fills the rest.
 *
 * Numbers here are the file format: they change only with TRACE_VERSION.
 */

#define TRACE_MAGIC "\211MEMSTRK"	/* no text begins with this byte */
#define TRACE_VERSION 2u
#define TRACE_VERSION_UNPACKED 1u	/* no packed events: still read */
#define TRACE_ORDER_MARK 0x01020304u
#define TRACE_CLOCK_MONOTONIC 1u
#define TRACE_PRELUDE_BYTES 24u

/* Record types below are enum event_type. */
#define TRACE_HEADER_RECORD 100u
#define TRACE_SYMBOL_RECORD 101u
#define TRACE_END_RECORD 102u
#define TRACE_SLAB_RECORD 103u
#define TRACE_PICTURE_RECORD 104u

/* What a reader takes a packed event for; no record has this type. */
#define TRACE_PACKED 0x10000u

#define TRACE_HEAD_BYTES 4u		/* size and type */
#define TRACE_MARK_BYTES 1u		/* a 0 before the head */

/* order shares a word with flags. An order of 255 or more is written as 255,
 * which the ledger rejects as well. */
#define TRACE_ORDER_SHIFT 24
#define TRACE_ORDER_SATURATED 0xffu
#define TRACE_FLAGS_MASK 0xffffffu

/* The width of a field. A word holds an address and has the size of an unsigned
 * long on the machine that recorded. */
enum trace_kind { TRACE_U32, TRACE_U64, TRACE_WORD };

struct trace_field {
	uint16_t offset;		/* in the structure */
	uint16_t kind;
};

#define TRACE_EVENT_TYPES 57u

/* The index of a shape: an event type, which is never 0, or one of these
 * parts. */
enum trace_part {
	TRACE_PART_HEADER = TRACE_EVENT_TYPES, TRACE_PART_SIZES,
	TRACE_PART_RANGE, TRACE_PART_SYMBOL, TRACE_PART_END, TRACE_PART_SLAB,
	TRACE_PART_PICTURE, TRACE_PARTS
};

/* A shape is the numbers of its fields in file order, then its tail or 0. */
#define TRACE_SHAPE_BYTES 8u
enum trace_tail { TRACE_NAME = 64, TRACE_CHAIN, TRACE_NAME_CHAIN };

/* The first fields of all events, in file order. */
struct trace_common {
	uint32_t tid;
	uint64_t time_ns;
	uint32_t tgid, flags;
} __attribute__((packed));

/* The first bytes of a file that this machine writes. */
struct trace_prelude {
	char magic[TRACE_MAGIC_BYTES];
	uint32_t order_mark, version, word_bytes, clock;
};

extern const struct trace_prelude trace_prelude;
extern const struct trace_field trace_fields[];
extern const uint8_t trace_shapes[TRACE_PARTS][TRACE_SHAPE_BYTES];

/* The field that a byte of a shape means; NULL: the fields have ended. */
static inline const struct trace_field *trace_field_of(uint8_t number)
{
	return number - 1u < TRACE_NAME - 1u ? &trace_fields[number] : NULL;
}

static inline uint32_t trace_field_bytes(const struct trace_field *f,
					 uint32_t word_bytes)
{
	return f->kind == TRACE_U32 ? 4 :
	       f->kind == TRACE_U64 ? 8 : word_bytes;
}

/*
 * --- replay
 *
 * memstrack replay FILE [OPTIONS]: see replay.c. Returns the exit status: 0, 1
 * (the file or the output is incomplete), 2 (usage).
 */

struct out;

int replay_main(int argc, char *argv[]);

/* Writes the report of a recording to `o`, as JSON of level 3. `buffer`, of
 * TRACE_BUFFER_BYTES, has the first `filled` bytes of the file already; `path`
 * is for messages. 0; or 1: an error was printed, and the report has what could
 * be read, if anything. */
int replay_json(const char *path, int fd, unsigned char *buffer, size_t filled,
		struct out *o);

/* --- replay layout: the sizes of a replay's tables: see replay.c */

/* The most memory that the tables of a replay may take. */
#define REPLAY_ARENA_BYTES (UINT64_C(1) << 30)

#endif
