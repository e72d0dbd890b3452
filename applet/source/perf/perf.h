/* SPDX-License-Identifier: MIT */
/*
 * perf events: one mmap ring for each CPU, with all events of that CPU.
 *
 * The first event of a CPU (mm_page_free) owns the ring, and the other events
 * write into this ring (PERF_EVENT_IOC_SET_OUTPUT). The other events form one
 * group, led by mm_page_alloc; events opened after the group was enabled form a
 * second group. Opening or enabling an event outside of a group interrupts its
 * CPU.
 *
 * All events are stamped with CLOCK_MONOTONIC, so that the rings can be merged
 * by time. The kernel wakes the tracer when an eighth of the ring is full, and
 * at once for the events marked at_once (source/tracefs/tracefs.h, traced): for
 * module_load, because the init text must be looked up before it is freed; when
 * memory runs out; and for a reboot. Fork, exec and exit come as perf's own
 * task records. Sources: perf_event_open(2); include/uapi/linux/perf_event.h
 * 6.1.
 */
#ifndef MEMSTRACK_SOURCE_PERF_PERF_H
#define MEMSTRACK_SOURCE_PERF_PERF_H

#include "source/source.h"

struct perf_ring {
	void *control;		/* struct perf_event_mmap_page */
	unsigned char *data;
	uint64_t tail;		/* next record */
	uint64_t head;		/* as read when the drain began */
	uint64_t released;	/* tail as written to the kernel */
	uint32_t size;		/* of the next record */
	uint32_t fds;
	uint32_t leader;	/* in fd[], of the group that is not enabled
				 * yet; 0: the next event will lead */
	uint32_t cpu;
	uint64_t asked_tail;	/* tail at the last check in find_stopped() */
	uint64_t enabled_ns;	/* enabled time of the first event, at the last
				 * perf_ring_stands() */
	uint8_t online;		/* the CPU was, at the last look */
	uint8_t gone;		/* the kernel has removed its events */
	uint8_t failed;		/* its events could not be opened */
	int fd[EVENTS_PER_CPU_MAX];	/* [0]: the ring's owner */
};

struct perf {
	struct source source;	/* first: perf is a source */
	struct perf_ring *ring;
	struct merge merge;
	uint32_t capacity;	/* rings that have room */
	uint32_t page_bytes;
	uint64_t horizon_ns;
	uint32_t next;		/* in traced[]: the next of the other events */
	uint32_t next_ring;	/* the next ring to open */
	int enabled;
	int counts_lost;	/* the kernel counts lost records */
	uint64_t lost_before;	/* in rings that were closed */
	uint32_t unknown;	/* CPUs without a ring, at the last look */
	uint32_t next_asked;	/* the next ring to check for a stopped CPU */
	int cpus_fd;		/* the list of CPUs; -1: there is no list. Kept
				 * open: opening takes memory */
	/* A thread may exist before its fork can be traced, so that its records
	 * must name the process: see perf_decode(). At boot there is no such
	 * thread, because nothing else runs between open and enable. */
	int has_tgids;
	int guard;		/* process that gets SIGIO at a reboot; 0: none */
};

static inline struct perf *perf_of(const struct source *s)
{
	return (struct perf *)s;
}

extern const struct source_kind perf_source;

/* Opens the page events of one CPU with a ring. 0, or -errno. */
int perf_ring_open(const struct perf *p, struct perf_ring *r, uint32_t cpu);
/* Opens event `number` of traced[] on this CPU. An error is noted: in
 * source.missing if the kernel has no such event, in r->gone if the CPU is
 * offline. */
void perf_ring_add(struct perf *p, struct perf_ring *r, uint32_t number);
/* Enable what is not enabled yet: frees; all other events. 0 or -errno. */
int perf_ring_enable_frees(const struct perf_ring *r);
int perf_ring_enable(struct perf_ring *r);
void perf_ring_close(const struct perf *p, struct perf_ring *r);
/* The number of records that the ring dropped, as counted by the kernel. */
uint64_t perf_ring_lost(const struct perf *p, const struct perf_ring *r);

/* Has the enabled time of the events not grown since the last call, so that
 * they are no longer enabled? Interrupts the CPU. */
int perf_ring_stands(struct perf_ring *r);

/* See follow() of a source. */
void perf_follow(struct source *s, source_cpu_came *came, void *context);

/* Do the call chains of this kernel's tracepoints have at most two frames? 0
 * also if no chain was seen. Cheap while our events are open. */
int perf_is_shallow(const struct perf *p);

/* See begin() and next() of a source. */
void perf_begin(struct source *s, uint64_t horizon_ns);
int perf_next(struct source *s, struct event *e);

/* Decodes one record of `len` bytes, header included, for perf_next() and the
 * fuzzer. `has_tgids`: each record has the pair of tgid and tid. Without the
 * pair a record is 8 bytes smaller, and the kernel saves two look-ups of ids:
 * the raw data have the tid, and forks give its process. 1: *e is an event; 0:
 * a record that we do not use; -EINVAL: the record does not fit its format. */
int perf_decode(const struct tracefs *points, int has_tgids,
		const unsigned char *record, size_t len, struct event *e);

#endif
