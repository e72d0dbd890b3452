/* SPDX-License-Identifier: MIT */
/*
 * Recorded traces: written while tracing, read on any machine.
 *
 * The format is TRACE-FORMAT.md. A trace is written in the byte order and word
 * size of the machine that records it, and read in any. Every record carries
 * its own size, so that a reader can skip (and count) types that it does not
 * know.
 */
#ifndef MEMSTRACK_TRACE_H
#define MEMSTRACK_TRACE_H

#include <stddef.h>
#include <stdint.h>
#include "source/event.h"
#include "source/session.h"

#define TRACE_BUFFER_BYTES (64u << 10)
#define TRACE_MAGIC_BYTES 8u

/* Before the first event. */
struct trace_header {
	uint32_t page_size;
	uint64_t mem_total_kib, start_ns;
	char kernel[RELEASE_BYTES];
	struct layout layout;		/* as resolved, no zeroes */
	struct ram ram;
};

/* The name of an address that a report may print. */
struct trace_symbol {
	uint64_t addr;			/* asked for */
	uint64_t start;			/* of the function */
	const char *name;		/* len bytes, no end byte */
	size_t len;
};

/* The file to record into. It is opened early, so that an error shows at once.
 * It is emptied (system_renew()) only when we are the tracer, because another
 * tracer may be recording into this very file. */
struct trace_file {
	const char *path;
	int fd;				/* -1: nothing is recorded */
};

struct trace_writer {
	int fd;				/* -1: nothing is recorded */
	unsigned char *buffer;		/* TRACE_BUFFER_BYTES, of the arena */
	size_t used, record;		/* record: where the last one starts */
	uint64_t written_bytes;
	int error;			/* first errno; stops the writing */
};

int trace_create(struct trace_writer *w, int fd, unsigned char *buffer,
		 const struct trace_header *h);
/* What a picture needs besides the events; right behind the header. */
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
	uint32_t type;			/* of that record */
	const unsigned char *rest;	/* its unread bytes */
	size_t left;
	uint32_t word_bytes;
	int swap, ended;
	int again;			/* the record was read, but not given */
	uint64_t unknown;		/* records of unknown types */
	const char *problem;		/* after -EINVAL: what was wrong */
};

enum trace_item { TRACE_EVENT = 1, TRACE_SYMBOL, TRACE_END };

/* 0; -EINVAL with problem and offset set; or -errno of read. */
int trace_open(struct trace_reader *r, int fd, unsigned char *buffer,
	       struct trace_header *h);

/* The same for a file whose first bytes are in the buffer already. */
int trace_open_begun(struct trace_reader *r, int fd, unsigned char *buffer,
		     size_t filled, struct trace_header *h);

/* Do these bytes begin a trace? */
int trace_begins(const unsigned char *bytes, size_t len);

/* The same for bytes in memory, which are not copied. */
int trace_open_bytes(struct trace_reader *r, unsigned char *bytes, size_t len,
		     struct trace_header *h);

/* Reads the next item, fills in its structure and returns its type; 0 at the
 * end of a whole file (after TRACE_END); -EINVAL (problem, offset) where the
 * file is cut off or corrupted. Of an event only the fields of its type are
 * set; of a session all but page_size, layout and kernel, which the header has.
 * A symbol's name stays valid until the next call. */
int trace_next(struct trace_reader *r, struct event *e, struct trace_symbol *s,
	       struct session *session);

#endif
