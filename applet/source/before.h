/* SPDX-License-Identifier: MIT */
/*
 * What happened before init: the kernel's own trace buffer.
 *
 * The command line (trace_event=kmem:mm_page_alloc,kmem:mm_page_free…
 * trace_options=stacktrace trace_clock=mono trace_buf_size=24M) or a boot
 * config can have the kernel record events from start_kernel() on, into the
 * buffers of tracefs' top instance. In the first process of the machine nobody
 * else can have enabled these events; if they are not enabled, or others too,
 * nothing of the top instance is touched.
 *
 * Recording ends once our own source has begun; then the events are read, one
 * stream in time order. Later, when nobody waits, they are disabled, which takes
 * long, and the memory of the buffers is given back: they stay at 8 KiB for each
 * CPU, because tracefs cannot be made to forget that they were used. Sources:
 * Documentation/trace/ftrace.rst, kernel/trace/trace.c, 5.10 to 7.2.
 */
#ifndef MEMSTRACK_BEFORE_H
#define MEMSTRACK_BEFORE_H

#include "source/merge.h"
#include "source/source.h"
#include "source/tracefs/boot_entries.h"

/* One CPU's buffer. */
struct before_ring {
	struct ring_page page;
	unsigned char *bytes;	/* of the page */
	struct event next;	/* not yet given */
	uint64_t overrun;	/* entries that newer ones have replaced */
	uint64_t entries;	/* in the buffer when it was opened */
	uint32_t cpu;
	int fd;			/* -1: all was read */
};

struct before {
	const char *root;		/* of tracefs; NULL: no record */
	struct boot_formats formats;
	struct before_ring *ring;
	struct merge merge;
	uint32_t rings, capacity, page_bytes;
	uint64_t buffer_kib;		/* of each CPU */
	uint64_t buffers_kib;		/* of all when they were opened */
	int disabled;			/* its events */
	uint64_t from_ns;		/* the record has gaps before */
	uint64_t given, skipped;	/* events; skipped: before from_ns */
	uint64_t bad;			/* entries and pages not understood */
	uint64_t dropped;		/* new entries that found no room */
};

/* Looks if there is a record that can be used. *b is zeroed. Notes say why one
 * cannot be used. */
void before_look(struct before *b, struct session *notes);

/* Bytes of the arena. */
uint64_t before_arena_bytes(uint32_t cpus, uint32_t page_bytes);
/* 0 or -errno. */
int before_open(struct before *b, struct arena *a,
		const struct source_offer *offer, uint32_t cpus,
		uint32_t page_bytes);

/* No more events are recorded. Opens the buffers. */
void before_stop(struct before *b);

/* All events in time order: call begin, then next until it returns 0. */
void before_begin(struct before *b);
int before_next(struct before *b, struct event *e);

/* The number of entries that newer ones have replaced, or that come before
 * from_ns; the number that were not read. */
uint64_t before_overrun(const struct before *b);
uint64_t before_unread(const struct before *b);

/* Calls back for each name of a task that the kernel remembers. */
void before_names(const struct before *b, struct event_out *out,
		  uint64_t time_ns);

void before_close(struct before *b);

/* Disables the events, then makes the buffers smaller by `step_kib` on each CPU.
 * 1: call again. At the end options are as without the parameters. If by now
 * somebody else's events are recorded too, the buffers and options stay. */
int before_give_back(struct before *b, uint64_t step_kib);

#endif
