/*
 * Recorded traces: write while tracing, read on any machine.
 *
 * The format is TRACE-FORMAT.md. Written in the byte order and word size of
 * the machine that records, read in any. Every record carries its own size,
 * so that a reader skips types it does not know (and counts them).
 */
#ifndef MEMSTRACK_TRACE_FILE_H
#define MEMSTRACK_TRACE_FILE_H

#include <stddef.h>
#include <stdint.h>
#include "event.h"
#include "../report/report.h"
#include "../report/symbols.h"

#define TRACE_BUFFER_BYTES (64u << 10)

/* Before the first event. */
struct trace_header {
	uint32_t page_size;
	uint64_t mem_total_kib, start_ns;
	char kernel[RELEASE_BYTES];
	struct layout layout;		/* as resolved, no zeroes */
	struct ram ram;
};

struct trace_writer {
	int fd;				/* -1: nothing is recorded */
	unsigned char *buffer;		/* TRACE_BUFFER_BYTES, of the arena */
	size_t used;
	uint64_t written_bytes;
	int error;			/* first errno; nothing more is written */
};

int trace_create(struct trace_writer *w, int fd, unsigned char *buffer,
		 const struct trace_header *h);
void trace_write(struct trace_writer *w, const struct event *e);
void trace_write_symbol(struct trace_writer *w, const struct symbol *s);
/* Last record; flushes. 0 or -errno of the first write that failed. */
int trace_finish(struct trace_writer *w, const struct report_info *info);

struct trace_reader {
	int fd;
	unsigned char *buffer;		/* TRACE_BUFFER_BYTES */
	size_t at, filled;
	uint64_t offset;		/* of buffer[at] in the file */
	int swap, word_bytes;
	uint32_t version;
	uint64_t unknown;		/* records of types not known */
	const char *problem;		/* after -EINVAL: what was wrong */
};

enum trace_item { TRACE_EVENT, TRACE_SYMBOL, TRACE_END };

/* 0; -EINVAL with problem and offset set; or -errno of read. */
int trace_open(struct trace_reader *r, int fd, unsigned char *buffer,
	       struct trace_header *h);

/* Next item: 1 with *item and the one it names filled in; 0 at the end of a
 * whole file (after TRACE_END); -EINVAL (problem, offset) where it is cut off
 * or corrupted. */
int trace_next(struct trace_reader *r, enum trace_item *item, struct event *e,
	       struct symbol *s, struct report_info *info);

#endif
