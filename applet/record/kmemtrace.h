/* SPDX-License-Identifier: MIT */
/*
 * The binary streams of kmemtrace (2008 to 2010): one file for each CPU, in the
 * byte order of the machine.
 *
 * Two forms are known, and told apart by the sizes and ids of the first record:
 *
 *   relay   the last one (Documentation/vm/kmemtrace.txt, 2.6.30): u8 event (0
 *           allocation, 1 free), u8 type, u16 size, s32 sequence, u64 call site,
 *           u64 pointer: 24 bytes; an allocation has u64 bytes requested, u64
 *           allocated, u32 flags, s32 node: 48 bytes. More bytes than that are
 *           extensions, and skipped. The sequence counts the events of all CPUs.
 *   first   as it was first published: u8 event (1 allocation, 2 free), u8 type,
 *           u16 size, s32 node, u64 call site, pointer, bytes requested,
 *           allocated, flags, s64 time in ns: always 56 bytes.
 *
 * The types are 0 kmalloc, 1 kmem_cache, 2 pages.
 */
#ifndef MEMSTRACK_KMEMTRACE_H
#define MEMSTRACK_KMEMTRACE_H

#include <stddef.h>
#include "source/event.h"

enum kmem_form { KMEM_RELAY, KMEM_FIRST };

#define KMEM_RELAY_BYTES 48u	/* of the largest record that we write */

struct kmem_stream {
	const unsigned char *at, *begin, *end;
	enum kmem_form form;
	int swap;
	uint32_t cpu;
	uint64_t last;		/* sequence or time of the record before */
	uint64_t illegal;	/* records with ids or sizes that none has */
	uint64_t illegal_at;	/* the last one, in bytes; if its size is less than
				 * any, the rest is left out */
	uint64_t disorder;	/* records older than the one before */
	uint64_t cut_bytes;	/* at the end, less than a record */
};

/* NULL, or a text that says what is wrong. An empty stream is right: its form is
 * not known. */
const char *kmem_open(struct kmem_stream *s, const unsigned char *bytes,
		      size_t len, uint32_t cpu);

/* The next legal record: 1, or 0 at the end. time_ns is the time, or the
 * sequence without its wraps. */
int kmem_next(struct kmem_stream *s, struct event *e);

/* Writes an event of an object as a record of the relay form, in the byte order
 * of this machine. Returns its size; 0: it is no such event. */
size_t kmem_write(unsigned char record[KMEM_RELAY_BYTES],
		  const struct event *e, uint32_t sequence);

#endif
