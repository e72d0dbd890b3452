/* SPDX-License-Identifier: MIT */
/* Where events come from: what each source must do, and what sources share. */
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

/* Rings may come in any order. After the last one, the first entry is the
 * oldest. */
void merge_add(struct merge *m, uint32_t ring, uint64_t time_ns);
void merge_order(struct merge *m);

/* The first entry's ring has a new time: the entry moves to its place. */
void merge_again(struct merge *m, uint64_t time_ns);

/* The first entry's ring has no more events. */
void merge_drop(struct merge *m);

/*
 * --- kind
 *
 * What each kind of source offers.
 *
 * Most kinds read the kernel's tracepoints (see source/tracefs/) from buffers,
 * one for each CPU. Each gives out its events as one stream in time order.
 *
 * open() takes all memory from the arena; the other functions allocate nothing.
 */

struct source_kind;

/* What of a source is still to be opened. */
enum opening { ALL_OPEN, OPENING_REST, OPENING_CPUS };

/* Descriptors to wait for, for each CPU. */
#define WATCHED_MAX 3u

struct source {
	const struct source_kind *kind;
	const struct tracefs *points;
	uint32_t rings;		/* buffers, one for each CPU */
	uint32_t open_rings;	/* with their page events */
	enum opening opening;
	uint64_t first_ns;	/* it took to open the first page events */
	uint64_t ring_bytes;	/* of each */
	uint64_t used_bytes;	/* of the fullest, at the last look */
	int may_interrupt;	/* set by the tracer: another CPU, in follow() */
	int pending;		/* events younger than the horizon wait */
	int by_tid;		/* events have no process: it is known by the
				 * forks */
	int split;		/* first touches come without call chain */
	uint32_t frames;	/* in a call chain, at most */
	int frames_cut;		/* fewer than wished: a limit of the kernel */
	int shallow;		/* call chains end after a frame or two */
	int guarded;		/* the guard hears of a reboot */
	/* Of a source without rings. */
	int look_at_all;	/* set by the tracer: a report follows */
	uint64_t wait_ns;	/* until the next look; 0: as usual */
	uint64_t stalls;	/* times a buffer's content could not be read */
	uint8_t missing[TP_COUNT];	/* on some CPU */
};

/* What the kernel offers to any source. It is read once, before a source is
 * opened. */
struct source_offer {
	struct tracefs points;
	int probes;		/* 0, or -errno: our probes are missing */
	int rest;		/* the kernel does not optimize probes yet */
};

/* What the tracer asks of a source. */
struct source_wish {
	struct arena *arena;
	const struct source_offer *offer;
	uint32_t cpus;		/* that are online */
	uint32_t cpus_most;	/* rings at most */
	uint32_t page_bytes;
	uint64_t total_bytes;	/* of all rings */
	uint32_t frames;	/* in a call chain, at most */
	int threads;		/* some process may have several already */
	int guard;		/* process that gets SIGIO at a reboot; 0: none */
};

/* The kinds, in order of preference. */
enum source_number { SOURCE_PERF, SOURCE_FTRACE, SOURCE_SAMPLED, SOURCES };

/* A CPU came online. 0: its events are had from now on; or -errno. */
typedef void source_cpu_came(void *context, uint32_t cpu, int error);

struct source_kind {
	const char *name;
	int needs_tracefs;	/* it reads tracepoints: source_prepare() */
	int samples;		/* it tells of no page and has no rings */
	/* Can this kernel be traced by it? 0 or -errno. Cheap, and leaves
	 * nothing behind. */
	int (*usable)(void);
	/* Bytes of the arena for so many CPUs. */
	uint64_t (*arena_bytes)(uint32_t cpus);
	/* Opens the page events of the first CPU at least, and enables nothing:
	 * `opening` tells what is left. 0; -ENOSPC: less than one page for each
	 * ring; -ENODEV: there is no CPU; or -errno. */
	int (*open)(struct source **s, const struct source_wish *w);
	/* While `opening`, before enable() or after it: opens the page events
	 * of one CPU more; then one event of the rest on all CPUs, which with
	 * many of them may take the kernel a second. 0 or -errno. */
	int (*open_more)(struct source *s);
	int (*enable)(struct source *s);	/* 0 or -errno */
	/* One descriptor for each ring, or WATCHED_MAX; without rings, one or
	 * none. Called before each wait. Returns how many. */
	uint32_t (*poll_set)(const struct source *s, struct pollfd *set);
	/* Gives all events stamped before `horizon_ns` in time order: call
	 * begin, then next until it returns 0. Buffer space is given back on
	 * the way. */
	void (*begin)(struct source *s, uint64_t horizon_ns);
	int (*next)(struct source *s, struct event *e);
	/* The events that found no room so far, on all CPUs together, whether
	 * the stream told of them or not; 0 if the kernel does not say.
	 * Interrupts each CPU. */
	uint64_t (*lost)(const struct source *s);
	/* CPUs may go and come: looks which are there, behind a drain. While
	 * `opening`, none is opened. NULL: it has no rings. */
	void (*follow)(struct source *s, source_cpu_came *came, void *context);
	void (*close)(struct source *s);
};

/*
 * --- source
 *
 * The source of events while tracing. Nothing outside source/ knows its kind:
 * section kind tells what each kind offers.
 */

/* NULL: this program has no such kind. */
const struct source_kind *source_kind(enum source_number number);

/* The same; adds our probes and reads which tracepoints the kernel has: those
 * of slab only if the offer says that they are wanted. NULL, or a text that
 * says why nothing can be traced. */
const char *source_prepare(struct source_offer *o);
/* Until source_opened() the kernel has nothing in hand that makes opening events
 * slow. */
void source_opens(struct source_offer *o);
void source_opened(struct source_offer *o);
/* Removes rings and probes; `s` may be NULL. */
void source_end(struct source *s);

/* The number of CPUs that are online, at least 1. */
uint32_t source_cpus(void);
/* As many may be online while we trace, as far as there is room for them. */
uint32_t source_cpus_most(void);

/* Must the areas of vmalloc be sampled, because there are no probes? */
int source_samples_areas(const struct source *s, const struct source_offer *o,
			 const struct session *session);
/* Adds notes on what this source does not see; returns the same. */
int source_notes(const struct source *s, const struct source_offer *o,
		 struct session *session);

/*
 * --- before
 *
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
 * stream in time order. Later, when nobody waits, they are disabled, which
 * takes long, and the memory of the buffers is given back: they stay at 8 KiB
 * for each CPU, because tracefs cannot be made to forget that they were used.
 * Sources: Documentation/trace/ftrace.rst, kernel/trace/trace.c, 5.10 to 7.2.
 */

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

/* Disables the events, then makes the buffers smaller by `step_kib` on each
 * CPU. 1: call again. At the end options are as without the parameters. If by
 * now somebody else's events are recorded too, the buffers and options stay. */
int before_give_back(struct before *b, uint64_t step_kib);

#endif
