/*
 * What each kind of source offers.
 *
 * A kind reads the kernel's tracepoints (source/tracefs/ tells which there are)
 * from buffers of each CPU and gives them out as one stream in time order.
 *
 * open() takes all memory from the arena; what follows allocates nothing.
 */
#ifndef MEMSTRACK_KIND_H
#define MEMSTRACK_KIND_H

#include <poll.h>
#include <stdint.h>
#include "base/arena.h"
#include "source/event.h"
#include "source/tracefs/tracepoints.h"

struct source_kind;

struct source {
	const struct source_kind *kind;
	const struct tracefs *points;
	uint32_t rings;		/* buffers, one for each CPU */
	uint64_t ring_bytes;	/* of each */
	uint64_t used_bytes;	/* of the fullest, when it was looked at */
	int pending;		/* events younger than the horizon wait */
	int split;		/* first touches come without call chain */
	uint32_t frames;	/* of a call chain at most */
	int frames_cut;		/* fewer than wished: the kernel gives no more */
	uint64_t stalls;	/* times a buffer's content could not be read */
	uint8_t missing[TP_COUNT];	/* on some CPU */
};

/* What the kernel offers to any source, read once, before one is opened. */
struct source_offer {
	struct tracefs points;
	int probes;		/* 0, or -errno: why there are none of ours */
};

/* What a source is opened with. */
struct source_wish {
	struct arena *arena;
	const struct source_offer *offer;
	uint32_t cpus;		/* rings at most */
	uint32_t page_bytes;
	uint64_t total_bytes;	/* of all rings */
	uint32_t frames;	/* of a call chain at most */
};

struct source_kind {
	const char *name;
	/* Bytes of arena for this many CPUs. */
	uint64_t (*arena_bytes)(uint32_t cpus);
	/* Everything is opened and mapped, nothing is enabled. 0; -ENOSPC: not
	 * one page for each ring; -ENODEV: no CPU is there; or -errno. */
	int (*open)(struct source **s, const struct source_wish *w);
	int (*enable)(struct source *s);	/* 0 or -errno */
	/* One descriptor for each ring. */
	void (*poll_set)(const struct source *s, struct pollfd *set);
	/* All that was stamped before `horizon_ns`, in time order: begin, then
	 * next until it returns 0. Room is given back along the way. */
	void (*begin)(struct source *s, uint64_t horizon_ns);
	int (*next)(struct source *s, struct event *e);
	/* Events that found no room so far, all CPUs together, told of in the
	 * stream or not; 0 where the kernel does not say. Interrupts each CPU. */
	uint64_t (*lost)(const struct source *s);
	void (*close)(struct source *s);
};

#endif
