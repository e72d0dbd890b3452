/* SPDX-License-Identifier: MIT */
/*
 * How deep are call chains? We look at an event that we cause: see perf.h.
 *
 * Some kernels cannot unwind from a tracepoint, although they can elsewhere. On
 * 32-bit ARM the chain starts with the address of the caller but the stack of
 * the function that it called, so that the next frame is not a function. With
 * ORC before Linux 5.2 the chains are empty.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/system.h"
#include "source/perf/perf.h"
#include "source/tracefs/tracefs.h"

/* A page fault passes through more functions than this. */
#define SHALLOW_MOST 2

/* We may be moved to another CPU between getcpu and the event. */
#define TRIALS 3

/* Opens the event on the CPU that we run on. For the first event of a task the
 * kernel would hook the switching of tasks, and patch its code for this. */
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

static void take_page(uint32_t page_bytes)
{
	volatile char *page = system_map(page_bytes, MAP_PRIVATE |
					 MAP_ANONYMOUS, -1);

	if (page == MAP_FAILED)
		return;
	*page = 1;
	munmap((void *)page, page_bytes);
}

/* The number of frames of the longest chain; -1: no allocation was seen. */
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
		return 0;	/* as the user wants */
	for (int i = 0; i < TRIALS && longest < 0; i++)
		longest = try_chain(p);
	return longest >= 0 && longest <= SHALLOW_MOST;
}

/* --- cpu: opens one CPU's events and maps their ring */

static int set_filter(const struct perf *p, const struct traced *o, int fd)
{
	char text[TRACED_FILTER_BYTES];
	const char *filter = traced_filter(p->source.points, p->source.split,
					   o, text, sizeof(text));

	return filter ? ioctl(fd, (int)PERF_EVENT_IOC_SET_FILTER, filter) :
			0;
}

/* The words that a read of an event returns; READ_LOST only with
 * FORMAT_LOST. */
enum { READ_COUNT, READ_ENABLED_NS, READ_LOST, READ_WORDS };

/* PERF_FORMAT_LOST, since 6.0; the headers we build with may be older. */
#define FORMAT_LOST (1u << 4)

/* The first event gets a ring, and the other events write into this ring. */
static int connect_ring(const struct perf *p, struct perf_ring *r, int fd)
{
	void *base;

	if (r->fds)
		return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, r->fd[0]);
	base = system_map(p->source.ring_bytes + p->page_bytes, MAP_SHARED, fd);
	if (base == MAP_FAILED)
		return -1;
	r->control = base;
	r->data = (unsigned char *)base + p->page_bytes;
	return 0;
}

static int open_event(const struct perf *p, struct perf_ring *r,
		      const struct traced *o, uint32_t cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr),
		.config = p->source.points->point[o->tp].id,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW |
			       (p->has_tgids ? PERF_SAMPLE_TID : 0),
		.disabled = !r->leader,	/* only the leader of a group */
		.sample_id_all = 1,
		.use_clockid = 1, .clockid = CLOCK_MONOTONIC,
		.exclude_callchain_user = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			       (p->counts_lost ? FORMAT_LOST : 0),
	};
	int fd, error;

	if (traced_chain(p->source.points, o)) {
		attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
		attr.sample_max_stack = (uint16_t)p->source.frames;
	}
	attr.wakeup_events = 1;
	if (!o->at_once) {
		attr.watermark = 1;
		attr.wakeup_watermark = (uint32_t)p->source.ring_bytes / 8;
	}
	if (!r->fds)
		attr.task = attr.comm = attr.comm_exec = 1;
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, (int)cpu,
			  r->leader ? r->fd[r->leader] : -1,
			  PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0 && !set_filter(p, o, fd) && !connect_ring(p, r, fd)) {
		if (!r->leader)
			r->leader = r->fds;
		r->fd[r->fds++] = fd;
		return 0;
	}
	error = -errno;
	close(fd);
	return error;
}

void perf_ring_close(const struct perf *p, struct perf_ring *r)
{
	if (r->data)
		munmap(r->control, (size_t)p->source.ring_bytes +
		       p->page_bytes);
	for (uint32_t i = 0; i < r->fds; i++)
		close(r->fd[i]);
}

uint64_t perf_ring_lost(const struct perf *p, const struct perf_ring *r)
{
	uint64_t words[READ_WORDS], sum = 0;

	if (!p->counts_lost)
		return 0;
	for (uint32_t i = 0; i < r->fds; i++)
		if (read(r->fd[i], words, sizeof(words)) == sizeof(words))
			sum += words[READ_LOST];
	return sum;
}

int perf_ring_stands(struct perf_ring *r)
{
	uint64_t words[READ_WORDS];
	int stands;

	if (!r->fds || read(r->fd[0], words, sizeof(words)) <= 0)
		return 0;
	stands = words[READ_ENABLED_NS] == r->enabled_ns;
	r->enabled_ns = words[READ_ENABLED_NS];
	return stands;
}

static int open_numbered(const struct perf *p, struct perf_ring *r,
			 uint32_t number)
{
	const struct traced *o = &traced[number];

	if (o->anon && !p->source.split)
		return 0;
	return p->source.points->point[o->tp].id ?
	       open_event(p, r, o, r->cpu) : -ENOENT;
}

int perf_ring_open(const struct perf *p, struct perf_ring *r, uint32_t cpu)
{
	*r = (struct perf_ring){ .cpu = cpu };
	for (uint32_t i = 0; i < PAGE_EVENTS; i++) {
		const int error = open_numbered(p, r, i);

		if (!error)
			continue;
		perf_ring_close(p, r);
		*r = (struct perf_ring){ .cpu = cpu };
		return error;
	}
	return 0;
}

/* The event of a reboot also sends a signal. */
static int signals_guard(const struct perf *p, int fd)
{
	return !system_fcntl(fd, F_SETOWN, p->guard) &&
	       !system_fcntl(fd, F_SETFL, O_ASYNC);
}

void perf_ring_add(struct perf *p, struct perf_ring *r, uint32_t number)
{
	const int error = open_numbered(p, r, number);

	if (!error && traced[number].guarded && p->guard)
		p->source.guarded = signals_guard(p, r->fd[r->fds - 1]);
	if (error == -ENODEV)
		r->gone = 1;
	else if (error)
		p->source.missing[traced[number].tp] = 1;
}

int perf_ring_enable_frees(const struct perf_ring *r)
{
	return r->fds && ioctl(r->fd[0], PERF_EVENT_IOC_ENABLE, 0) ? -errno : 0;
}

int perf_ring_enable(struct perf_ring *r)
{
	const uint32_t leader = r->leader;

	r->leader = 0;
	return leader && ioctl(r->fd[leader], PERF_EVENT_IOC_ENABLE, 0) ?
	       -errno : 0;
}
