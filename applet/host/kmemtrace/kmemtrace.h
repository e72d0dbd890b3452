/* SPDX-License-Identifier: MIT */
/* Streams of kmemtrace, a tracer of older kernels: reading and writing them. */
#ifndef MEMSTRACK_KMEMTRACE_KMEMTRACE_H
#define MEMSTRACK_KMEMTRACE_KMEMTRACE_H

#include <stddef.h>
#include <stdint.h>
#include "source/event.h"

/*
 * --- kmemtrace
 *
 * The binary streams of kmemtrace (2008 to 2010): one file for each CPU, in the
 * byte order of the machine.
 *
 * There are two forms, which differ in the sizes and ids of their records:
 *
 *   relay   the last form (Documentation/vm/kmemtrace.txt, 2.6.30): u8 event
 *           (0 allocation, 1 free), u8 type, u16 size, s32 sequence, u64 call
 *           site, u64 pointer: 24 bytes; an allocation also has u64 bytes
 *           requested, u64 allocated, u32 flags, s32 node: 48 bytes. Further
 *           bytes are extensions, and skipped. The sequence counts the events
 *           of all CPUs.
 *   first   the form first published: u8 event (1 allocation, 2 free), u8 type,
 *           u16 size, s32 node, u64 call site, pointer, bytes requested,
 *           allocated, flags, s64 time in ns: always 56 bytes.
 *
 * The types are 0 kmalloc, 1 kmem_cache, 2 pages.
 */

enum kmem_form { KMEM_RELAY, KMEM_FIRST };

#define KMEM_RELAY_BYTES 48u	/* of the largest record that we write */

struct kmem_stream {
	const unsigned char *at, *begin, *end;
	enum kmem_form form;
	int swap;
	uint32_t cpu;
	uint64_t last;		/* highest sequence or time so far */
	uint64_t illegal;	/* records with illegal ids or sizes */
	uint64_t illegal_at;	/* offset of the last such record; if its size
				 * is too small, the rest is not read */
	uint64_t disorder;	/* records older than an earlier one */
	uint64_t cut_bytes;	/* at the end, less than a record */
};

/* NULL, or a text that says what is wrong. An empty stream is valid. */
const char *kmem_open(struct kmem_stream *s, const unsigned char *bytes,
		      size_t len, uint32_t cpu);

/* Reads the next legal record. 1, or 0 at the end. e->time_ns is the time, or
 * the sequence number extended to 64 bits. */
int kmem_next(struct kmem_stream *s, struct event *e);

/* Writes the event of an object as a record of the relay form, in the byte
 * order of this machine. Returns its size; 0: not the event of an object. */
size_t kmem_write(unsigned char record[KMEM_RELAY_BYTES],
		  const struct event *e, uint32_t sequence);

/*
 * --- kmemtrace write
 *
 * memstrack kmemtrace -w PREFIX TRACE: converts the objects of slab in a
 * recorded trace to streams of kmemtrace in the relay form, PREFIX0 and so on,
 * one for each CPU.
 */

/* Returns the exit status, after a message if it is not 0. */
int kmemtrace_write(const char *prefix, const char *path);

/*
 * --- kmemtrace main
 *
 * The applet for streams of kmemtrace: see kmemtrace_main.c.
 */

int kmemtrace_main(int argc, char *argv[]);

#endif
