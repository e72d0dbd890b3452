/* SPDX-License-Identifier: MIT */
/*
 * How deep are call chains? An event of our own tells: see perf.h.
 *
 * Some kernels cannot unwind from a tracepoint, although they unwind elsewhere:
 * 32-bit ARM, where the chain begins with the caller's address and the stack of
 * the function that it called, so that what follows is no function at all; and
 * ORC before Linux 5.2, whose chains are empty.
 */
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/system.h"
#include "source/perf/perf.h"

/* A page fault passes through more functions than this. */
#define SHALLOW_MOST 2

/* We may be moved to another CPU after we asked. */
#define TRIALS 3

/* On the CPU that we run on: with the first event of a task, the kernel begins to
 * look at each switch of tasks, and changes its code for that. */
static int open_trial(const struct perf *p)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr),
		.config = p->source.points->point[TP_ALLOC].id,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW |
			       PERF_SAMPLE_CALLCHAIN |
			       (p->has_tgids ? PERF_SAMPLE_TID : 0),
		.use_clockid = 1, .clockid = CLOCK_MONOTONIC,
		.exclude_callchain_user = 1,
	};

	unsigned int cpu = 0;

	syscall(SYS_getcpu, &cpu, NULL, NULL);
	return (int)syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

/* Takes a page, as any task would. */
static void take_page(uint32_t page_bytes)
{
	volatile char *page = system_map(page_bytes, MAP_PRIVATE |
					 MAP_ANONYMOUS, -1);

	if (page == MAP_FAILED)
		return;
	*page = 1;
	munmap((void *)page, page_bytes);
}

/* The frames of the longest chain; -1: no page was taken. */
static int longest_chain(const struct perf *p,
			 const struct perf_event_mmap_page *control)
{
	const unsigned char *data = (const unsigned char *)control +
				    p->page_bytes;
	const uint64_t head = __atomic_load_n(&control->data_head,
					      __ATOMIC_ACQUIRE);
	const struct perf_event_header *h;
	int longest = -1;
	struct event e;

	for (uint64_t at = 0; at + sizeof(*h) <= head && head <= p->page_bytes;
	     at += h->size) {
		h = (const struct perf_event_header *)(data + at);
		if (h->size < sizeof(*h) || h->size > head - at)
			break;
		if (perf_decode(p->source.points, p->has_tgids, data + at,
				h->size, &e) != 1 ||
		    e.type != EVENT_ALLOC)
			continue;
		if (longest < (int)e.chain_len)
			longest = (int)e.chain_len;
	}
	return longest;
}

static int try_chain(const struct perf *p)
{
	const uint32_t page_bytes = p->page_bytes;
	struct perf_event_mmap_page *control = MAP_FAILED;
	const int fd = open_trial(p);
	int longest = -1;

	if (fd >= 0)
		control = system_map(2 * page_bytes, MAP_SHARED, fd);
	if (control != MAP_FAILED) {
		take_page(page_bytes);
		longest = longest_chain(p, control);
		munmap(control, 2 * page_bytes);
	}
	if (fd >= 0)
		close(fd);
	return longest;
}

int perf_is_shallow(const struct perf *p)
{
	int longest = -1;

	if (p->source.frames <= SHALLOW_MOST)
		return 0;	/* as it was asked for */
	for (int i = 0; i < TRIALS && longest < 0; i++)
		longest = try_chain(p);
	return longest >= 0 && longest <= SHALLOW_MOST;
}
