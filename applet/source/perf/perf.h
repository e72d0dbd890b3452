/* SPDX-License-Identifier: MIT */
/*
 * perf events: one mmap ring for each CPU, with all events of that CPU.
 *
 * The first event of a CPU (mm_page_free) owns the ring, and the others write into
 * it (PERF_EVENT_IOC_SET_OUTPUT). These others are one group, behind
 * mm_page_alloc, and what is opened after that was enabled is another one: to
 * open or to enable an event that stands for itself interrupts its CPU. All
 * events are stamped with CLOCK_MONOTONIC, so that the rings can be merged by
 * time. The kernel wakes the tracer when a
 * part of the ring is full. It wakes the tracer at once for three events: for
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
	uint64_t released;	/* tail as the kernel knows it */
	uint32_t size;		/* of the next record */
	int fd[EVENTS_PER_CPU_MAX];	/* [0]: the ring's owner */
	uint32_t fds;
	uint32_t leader;	/* in fd[], of the events that are not enabled
				 * yet; 0: the next one will be */
	uint32_t cpu;
	uint64_t asked_tail;	/* tail when it was last looked at */
	uint64_t enabled_ns;	/* of its first event, when it was last asked */
	uint8_t online;		/* at the last look */
	uint8_t gone;		/* its events are no longer there */
	uint8_t failed;		/* they could not be opened since it came */
};

struct perf {
	struct source source;	/* first: perf is a source */
	struct perf_ring *ring;
	struct merge merge;
	uint32_t capacity;	/* rings there is room for */
	uint32_t page_bytes;
	uint64_t horizon_ns;
	uint32_t next;		/* in traced[], of the rest */
	uint32_t next_ring;	/* the next one to be opened */
	int enabled;
	int counts_lost;	/* the kernel tells the number of lost ones */
	uint64_t lost_before;	/* in rings that were closed */
	uint32_t unknown;	/* CPUs without a ring, at the last look */
	uint32_t next_asked;	/* the ring to be looked at next */
	int cpus_fd;		/* the list of CPUs; -1: there is none. Kept open:
				 * opening takes memory */
	/* Some thread may be there before its fork can be seen, so that only
	 * the records can tell its process: see perf_decode(). At boot none is,
	 * because nothing else runs between open and enable. */
	int has_tgids;
	int guard;		/* gets SIGIO at a reboot; 0: nobody does */
};

static inline struct perf *perf_of(const struct source *s)
{
	return (struct perf *)s;
}

extern const struct source_kind perf_source;

/* Opens the page events of one CPU with a ring. 0, or -errno. */
int perf_ring_open(const struct perf *p, struct perf_ring *r, uint32_t cpu);
/* Opens one of traced[] there. If it fails, that is remembered: the kernel has
 * no such event, or the CPU is gone. */
void perf_ring_add(struct perf *p, struct perf_ring *r, uint32_t number);
/* Enables what is not enabled yet: frees; then all the others. 0 or -errno. */
int perf_ring_enable_frees(const struct perf_ring *r);
int perf_ring_enable(struct perf_ring *r);
void perf_ring_close(const struct perf *p, struct perf_ring *r);
/* The records that it dropped, as the kernel counts them. */
uint64_t perf_ring_lost(const struct perf *p, const struct perf_ring *r);

/* Its events are no longer enabled, as the time for which they were tells: it
 * has not grown since the last call. Interrupts the CPU. */
int perf_ring_stands(struct perf_ring *r);

/* See follow() of a source. */
void perf_follow(struct source *s, source_cpu_came *came, void *context);

/* Do the call chains of this kernel's tracepoints end after a frame or two, or
 * are they empty? 0 if that cannot be told. Cheap while our events are open. */
int perf_is_shallow(const struct perf *p);

/* See begin() and next() of a source. */
void perf_begin(struct source *s, uint64_t horizon_ns);
int perf_next(struct source *s, struct event *e);

/* Decodes one record of `len` bytes, header included, for perf_next() and the
 * fuzzer. `has_tgids`: each record has the pair of tgid and tid. Without it a
 * record is 8 bytes smaller, and the kernel saves two look-ups of numbers: the
 * raw data have the tid, and fork tells to which process it belongs. 1: an
 * event; 0: not a record that we use; -EINVAL: it does not fit. */
int perf_decode(const struct tracefs *points, int has_tgids,
		const unsigned char *record, size_t len, struct event *e);

#endif
