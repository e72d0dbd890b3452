/* SPDX-License-Identifier: MIT */
/* Where events come from: what each source does, and what sources share. */
#ifndef MEMSTRACK_SOURCE_SOURCE_H
#define MEMSTRACK_SOURCE_SOURCE_H

#include <poll.h>
#include <stdint.h>
#include "base/base.h"
#include "source/event.h"
#include "source/tracefs/tracefs.h"

/*
 * --- merge
 *
 * N rings, each in time order -> one stream in time order: a binary heap of
 * the rings' next times.
 *
 * Equal times come out in the order of the ring's number, so that the same
 * rings always give the same stream.
 */

struct merge_entry {
	uint64_t time_ns;
	uint32_t ring;
};

struct merge {
	struct merge_entry *heap;	/* room for every ring */
	uint32_t count;
};

/* Add all rings, in any order, then order them: the first entry is then the
 * oldest. */
void merge_add(struct merge *m, uint32_t ring, uint64_t time_ns);
void merge_order(struct merge *m);

/* The ring of the first entry has a new time: moves the entry to its place. */
void merge_again(struct merge *m, uint64_t time_ns);

/* The ring of the first entry has no more events. */
void merge_drop(struct merge *m);

/*
 * --- kind
 *
 * What each kind of source offers.
 *
 * Most kinds read the kernel's tracepoints (see source/tracefs/) from buffers,
 * one for each CPU. Each kind gives its events as one stream in time order.
 *
 * open() takes all memory from the arena; the other functions allocate nothing.
 */

struct source_kind;

/* What a source still has to open: nothing, other events, or further CPUs. */
enum opening { ALL_OPEN, OPENING_REST, OPENING_CPUS };

/* Descriptors to wait for, for each CPU. */
#define WATCHED_MAX 3u

struct source {
	const struct source_kind *kind;
	const struct tracefs *points;
	uint32_t rings;		/* buffers, one for each CPU */
	uint32_t open_rings;	/* with their page events */
	enum opening opening;
	uint64_t first_ns;	/* time to open the first page events */
	uint64_t ring_bytes;	/* of each ring */
	uint64_t used_bytes;	/* of the fullest ring, in the last drain */
	int may_interrupt;	/* set by the tracer: follow() may interrupt
				 * another CPU */
	int pending;		/* events younger than the horizon wait */
	int by_tid;		/* events have only the thread: forks give the
				 * process */
	int split;		/* first touches come without call chain */
	uint32_t frames;	/* in a call chain, at most */
	int frames_cut;		/* the kernel allows fewer than were wanted */
	int shallow;		/* call chains end after a frame or two */
	int guarded;		/* the guard gets a signal at a reboot */
	/* Only for a source without rings. */
	int look_at_all;	/* set by the tracer: a report follows */
	uint64_t wait_ns;	/* until the next look; 0: as usual */
	uint64_t stalls;	/* times a buffer's content could not be read */
	uint64_t skipped;	/* of the lost records: no larger buffer would
				 * have kept them */
	uint8_t missing[TP_COUNT];	/* not open on some CPU */
};

/* What the kernel offers to any source, read once before a source is opened. */
struct source_offer {
	struct tracefs points;
	int probes;		/* 0, or -errno: our probes are missing */
	int rest;		/* we have stopped the optimizing of probes */
};

/* What the tracer wants from a source. */
struct source_wish {
	struct arena *arena;
	const struct source_offer *offer;
	uint32_t cpus;		/* that are online */
	uint32_t cpus_most;	/* rings at most */
	uint32_t page_bytes;
	uint64_t total_bytes;	/* of all rings */
	uint32_t frames;	/* in a call chain, at most */
	int threads;		/* some process may have several threads */
	int guard;		/* process that gets SIGIO at a reboot; 0: none */
};

/* The kinds, in order of preference. */
enum source_number { SOURCE_PERF, SOURCE_FTRACE, SOURCE_SAMPLED, SOURCES };

/* A CPU came online. 0: its events are traced from now on; or -errno. */
typedef void source_cpu_came(void *context, uint32_t cpu, int error);

struct source_kind {
	const char *name;
	int needs_tracefs;	/* reads tracepoints: call source_prepare() */
	int samples;		/* has no events of pages, and no rings */
	/* Does this kind work on this kernel? 0 or -errno. Cheap, and leaves
	 * nothing behind. */
	int (*usable)(void);
	/* Bytes of the arena that open() takes for this many CPUs. */
	uint64_t (*arena_bytes)(uint32_t cpus);
	/* Opens the page events of at least the first CPU, and enables nothing;
	 * `opening` is what is left to open. 0; -ENOSPC: less than one page for
	 * each ring; -ENODEV: there is no CPU; or -errno. */
	int (*open)(struct source **s, const struct source_wish *w);
	/* Call this while `opening`, before or after enable(). Opens the page
	 * events of one more CPU; later one more event on all CPUs, which may
	 * take the kernel a second if there are many CPUs. 0 or -errno. */
	int (*open_more)(struct source *s);
	int (*enable)(struct source *s);	/* 0 or -errno */
	/* Fills in the descriptors to wait for, at most WATCHED_MAX for each
	 * CPU. Called before each wait. Returns their number. */
	uint32_t (*poll_set)(const struct source *s, struct pollfd *set);
	/* Gives all events stamped before `horizon_ns` in time order: call
	 * begin(), then next() until it returns 0. Frees buffer space on the
	 * way. */
	void (*begin)(struct source *s, uint64_t horizon_ns);
	int (*next)(struct source *s, struct event *e);
	/* The number of events that had no room so far, on all CPUs together,
	 * with or without an EVENT_LOST in the stream; 0 if the kernel does not
	 * count them. Interrupts each CPU. */
	uint64_t (*lost)(const struct source *s);
	/* CPUs may go offline and come online: looks after a drain which CPUs
	 * are there. While `opening`, opens no CPU. NULL: no rings. */
	void (*follow)(struct source *s, source_cpu_came *came, void *context);
	void (*close)(struct source *s);
};

/*
 * --- source
 *
 * The source of events while tracing. Nothing outside source/ depends on the
 * kind: each offers what section kind lists.
 */

/* NULL: this configuration lacks it (base.h, features). */
const struct source_kind *source_kind(enum source_number number);

/* What every open() sets first; the source is zeroed. */
static inline void source_init(struct source *s, const struct source_kind *kind,
			       const struct source_wish *w)
{
	s->kind = kind;
	s->points = &w->offer->points;
	s->split = w->offer->points.anon[0] != 0;
	s->frames = w->frames;
}

/* Removes what a killed tracer left, adds our probes, and reads which
 * tracepoints the kernel has: those of slab only if o->points.slab is set.
 * NULL, or a text that says why nothing can be traced. */
const char *source_prepare(struct source_offer *o);
/* Between these two calls the kernel does not optimize probes, which would make
 * opening events slow. */
void source_opens(struct source_offer *o);
void source_opened(struct source_offer *o);
/* Removes rings and probes; `s` may be NULL. */
void source_end(struct source *s);

/* The number of CPUs that are online, at least 1. */
uint32_t source_cpus(void);
/* The number of CPUs that may be online while we trace: at most CPUS_LATE more
 * than now. */
uint32_t source_cpus_most(void);

/* Must the areas of vmalloc be sampled, because our probes are missing? */
int source_samples_areas(const struct source *s, const struct source_offer *o,
			 const struct session *session);
/* Adds notes on what this source does not see. Returns the result of
 * source_samples_areas(). */
int source_notes(const struct source *s, const struct source_offer *o,
		 struct session *session);

/*
 * --- before
 *
 * The events before init: the kernel's own trace buffer.
 *
 * The command line (trace_event=kmem:mm_page_alloc,kmem:mm_page_free…
 * trace_options=stacktrace trace_clock=mono trace_buf_size=24M) or a boot
 * config can make the kernel record events from start_kernel() on, into the
 * buffers of tracefs' top instance. Before the first process of the machine
 * nobody else can have enabled these events; if they are not enabled, or other
 * events are enabled too, we leave the top instance as it is.
 *
 * Recording ends once our own source has begun; then the events are read as one
 * stream in time order. Later, when nobody waits, the events are disabled,
 * which takes long, and the memory of the buffers is given back, except 8 KiB
 * for each CPU: tracefs keeps buffers that were used. Sources:
 * Documentation/trace/ftrace.rst, kernel/trace/trace.c, 5.10 to 7.2.
 */

struct ftrace;

struct before {
	int used;			/* there is such a record */
	int disabled;			/* the events are disabled */
	struct ftrace *reader;		/* the buffers, a ring each */
	/* The function that writes the record, whose frames are no part of a
	 * call chain; 0 bytes: not known. Set by the tracer. */
	uint64_t tracer, tracer_bytes;
	uint64_t buffer_kib;		/* of each CPU */
	uint64_t buffers_kib;		/* of all CPUs when they were opened */
	uint64_t from_ns;		/* the record has gaps before it */
	uint64_t given;			/* events */
	/* Entries that newer ones have overwritten, or that come before
	 * from_ns. */
	uint64_t overrun;
	uint64_t bad;			/* malformed entries and pages */
	uint64_t dropped;		/* new entries that had no room */
};

/* Looks for a record that can be used; if it cannot, adds a note that says why.
 * *b is zeroed. */
void before_look(struct before *b, struct session *notes);

/* Bytes of the arena. */
uint64_t before_arena_bytes(uint32_t cpus, uint32_t page_bytes);
/* 0 or -errno. */
int before_open(struct before *b, struct arena *a,
		const struct source_offer *offer, uint32_t cpus,
		uint32_t page_bytes);

/* Stops the recording and opens the buffers. */
void before_stop(struct before *b);

/* All events in time order: call begin, then next until next returns 0. */
void before_begin(struct before *b);
int before_next(struct before *b, struct event *e);

/* The number of entries that were not read. */
uint64_t before_unread(const struct before *b);

/* Emits an EVENT_COMM for each task whose name the kernel remembers. */
void before_names(struct event_out *out, uint64_t time_ns);

void before_close(struct before *b);

/* Disables the events, then makes the buffers smaller by `step_kib` on each
 * CPU. 1: call again. At the end the options have their defaults. If by now
 * somebody else's events are enabled, the buffers and options stay. */
int before_give_back(struct before *b, uint64_t step_kib);

#endif
