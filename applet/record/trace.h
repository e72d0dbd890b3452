/*
 * Recorded traces: write while tracing, read on any machine.
 *
 * The format is TRACE-FORMAT.md. Written in the byte order and word size of
 * the machine that records, read in any. Every record carries its own size,
 * so that a reader skips types it does not know (and counts them).
 */
#ifndef MEMSTRACK_TRACE_H
#define MEMSTRACK_TRACE_H

#include <stddef.h>
#include <stdint.h>
#include "source/event.h"
#include "source/session.h"

#define TRACE_BUFFER_BYTES (64u << 10)

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

/* Where it goes. Opened early, so that what cannot be written shows; begun
 * anew (system_renew()) when tracing is ours, for another tracer may be
 * recording into this very file. */
struct trace_file {
	const char *path;
	int fd;				/* -1: nothing is recorded */
};

struct trace_writer {
	int fd;				/* -1: nothing is recorded */
	unsigned char *buffer;		/* TRACE_BUFFER_BYTES, of the arena */
	size_t used, record;		/* where the last record starts */
	uint64_t written_bytes;
	int error;			/* first errno; then nothing is written */
};

int trace_create(struct trace_writer *w, int fd, unsigned char *buffer,
		 const struct trace_header *h);
void trace_write(struct trace_writer *w, const struct event *e);
void trace_write_symbol(struct trace_writer *w, const struct trace_symbol *s);
/* Last record; flushes. 0 or -errno of the first write that failed. */
int trace_finish(struct trace_writer *w, const struct session *session);

struct trace_reader {
	int fd;
	unsigned char *buffer;		/* TRACE_BUFFER_BYTES */
	unsigned char *at, *end;	/* in it: what is not yet read */
	uint64_t offset;		/* in the file: of the last record */
	size_t record_bytes;		/* of it, 0: cut off */
	uint32_t type;			/* of it */
	const unsigned char *rest;	/* what is not yet read of it */
	size_t left;
	uint32_t word_bytes;
	int swap, ended;
	uint64_t unknown;		/* records of types not known */
	const char *problem;		/* after -EINVAL: what was wrong */
};

enum trace_item { TRACE_EVENT = 1, TRACE_SYMBOL, TRACE_END };

/* 0; -EINVAL with problem and offset set; or -errno of read. */
int trace_open(struct trace_reader *r, int fd, unsigned char *buffer,
	       struct trace_header *h);

/* The same from bytes in memory, which are read where they are. */
int trace_open_bytes(struct trace_reader *r, unsigned char *bytes, size_t len,
		     struct trace_header *h);

/* Next item: which, with what it names filled in; 0 at the end of a whole file
 * (after TRACE_END); -EINVAL (problem, offset) where it is cut off
 * or corrupted. Of an event only the fields of its type are set, of a session
 * all but page_size, layout and kernel, which the header has; a symbol's name
 * stays until the next call. */
int trace_next(struct trace_reader *r, struct event *e, struct trace_symbol *s,
	       struct session *session);

#endif
