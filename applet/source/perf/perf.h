/*
 * perf events: one mmap ring a CPU, all events of that CPU in it.
 *
 * The leader of a CPU (mm_page_free) owns the ring, the others are led into
 * it (PERF_EVENT_IOC_SET_OUTPUT); all carry one sample layout and stamp
 * CLOCK_MONOTONIC, so that the rings merge by time. Wakeups come when a part
 * of the ring is full, and at once for module_load, whose init text must be
 * looked up before it is gone, for memory that runs out and for a reboot.
 * Fork, exec and exit come as perf's own task records. Sources:
 * perf_event_open(2); include/uapi/linux/perf_event.h 6.1.
 */
#ifndef MEMSTRACK_PERF_H
#define MEMSTRACK_PERF_H

#include <poll.h>
#include "base/arena.h"
#include "source/event.h"
#include "source/merge.h"
#include "source/tracefs/tracepoints.h"

struct perf_ring {
	void *control;		/* struct perf_event_mmap_page */
	unsigned char *data;
	uint64_t tail;		/* next record */
	uint64_t head;		/* as read when the drain began */
	uint64_t released;	/* tail as the kernel knows it */
	uint32_t size;		/* of the next record */
	int fd[EVENTS_PER_CPU_MAX]; /* [0]: the leader */
	uint32_t fds;
};

struct perf {
	struct tracefs *points;
	struct perf_ring *ring;
	struct merge merge;
	uint32_t rings, capacity;
	uint64_t ring_bytes;	/* of data, each, a power of two */
	uint64_t horizon_ns;
	int pending;		/* younger records are left in the rings */
	int counts_lost;	/* the kernel tells how many on request */
	int split;		/* first touches come without call chain */
	uint64_t stalls;	/* times a ring's content could not be read */
	uint32_t missing;	/* 1 << enum tracepoint, on some CPU */
	uint32_t page_bytes;
	int error;		/* why a CPU could not be opened */
};

/* CPUs that are online, at least 1. */
uint32_t perf_cpus(void);

/* Bytes of arena for this many CPUs. */
uint64_t perf_arena_bytes(uint32_t cpus);

/* Opens and maps everything, still disabled. `total_bytes` is divided among
 * the CPUs; -ENOSPC: not even one page each. -ENODEV: none of them is there.
 * Else the errno of perf_event_open. */
int perf_open(struct perf *p, struct arena *a, struct tracefs *points,
	      uint32_t cpus, uint64_t total_bytes, uint32_t page_bytes);
int perf_enable(struct perf *p);
void perf_poll_set(const struct perf *p, struct pollfd *poll);
void perf_close(struct perf *p);

/* One CPU's, into the next ring: page events must open; of the others, which ones
 * did not is remembered. 0, or -errno. */
int perf_ring_open(struct perf *p, uint32_t cpu);
void perf_ring_close(const struct perf *p, struct perf_ring *r);

/* Samples that found no room in a ring so far, all CPUs together, whether the
 * rings tell of them yet or not (a lost record is written only in front of the
 * next that fits); 0 before Linux 6.0, which does not say. */
uint64_t perf_lost(const struct perf *p);

/* All that was stamped before `horizon_ns`, in time order: begin, then next
 * until it returns 0. Space in the rings is given back along the way. */
void perf_begin(struct perf *p, uint64_t horizon_ns);
int perf_next(struct perf *p, struct event *e);

/* One record, `len` bytes with its header, into an event: for perf_next() and
 * the fuzzer. 1: filled in; 0: none of ours; -EINVAL: does not fit. */
int perf_decode(const struct tracefs *points, const unsigned char *record,
		size_t len, struct event *e);

#endif
