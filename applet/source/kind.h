/* SPDX-License-Identifier: MIT */
/*
 * What each kind of source offers.
 *
 * Most kinds read the kernel's tracepoints (see source/tracefs/) from buffers,
 * one for each CPU. Each gives out its events as one stream in time order.
 *
 * open() takes all memory from the arena; the other functions allocate nothing.
 */
#ifndef MEMSTRACK_KIND_H
#define MEMSTRACK_KIND_H

#include <poll.h>
#include <stdint.h>
#include "base/arena.h"
#include "source/event.h"
#include "source/tracefs/tracepoints.h"

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

#endif
