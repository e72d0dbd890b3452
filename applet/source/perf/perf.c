/* SPDX-License-Identifier: MIT */
/* Opens and closes the perf events of all CPUs: see perf.h. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/system.h"
#include "source/perf/perf.h"
#include "source/proc/proc.h"
#include "source/tracefs/tracefs.h"

static void name_cpu(void *ctx, uint32_t cpu)
{
	struct perf *p = ctx;

	if (p->source.rings < p->capacity)
		p->ring[p->source.rings++] = (struct perf_ring){ .cpu = cpu };
}

/* Opens an event that counts nothing, on a CPU, like the tracepoints later: the
 * kernel checks the same permission. The CPU may be offline. */
static int usable(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY, .disabled = 1,
	};
	const int fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1,
				    PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return errno == ENODEV ? 0 : -errno;
	close(fd);
	return 0;
}

static uint64_t arena_bytes(uint32_t cpus)
{
	return (uint64_t)cpus * (sizeof(struct perf_ring) +
				 sizeof(struct merge_entry)) +
	       sizeof(struct perf) + 192;
}

/* Opens the page events of a ring's CPU, which may have gone offline. */
static int open_cpu(struct perf *p, struct perf_ring *r)
{
	int error = perf_ring_open(p, r, r->cpu);

	if (!error && p->enabled)
		error = perf_ring_enable_frees(r);
	if (!error && p->enabled)
		error = perf_ring_enable(r);
	p->source.open_rings += !error;
	r->gone = error != 0;
	r->failed = error && error != -ENODEV;
	return error;
}

static enum opening after_cpu(struct perf *p)
{
	if (++p->next_ring < p->source.rings)
		return OPENING_CPUS;
	p->next_ring = 0;
	return OPENING_REST;
}

static int open_next_cpu(struct perf *p)
{
	const int error = open_cpu(p, &p->ring[p->next_ring]);

	p->source.opening = after_cpu(p);
	return error == -ENODEV ? 0 : error;
}

/* Opens the next of the other events, on all rings: the kernel takes long for
 * the first ring. If the page events were enabled already, one call does one
 * ring, so that all rings are drained in between; and the last calls enable all
 * events opened since, which fails only on a CPU that has gone offline. */
static void open_next_event(struct perf *p)
{
	const uint32_t rings = p->source.rings;
	const uint32_t until = p->enabled ? p->next_ring + 1 : rings;

	for (; p->next_ring < until; p->next_ring++) {
		struct perf_ring *r = &p->ring[p->next_ring];

		if (p->next == EVENTS_PER_CPU_MAX)
			perf_ring_enable(r);
		else if (!r->gone)
			perf_ring_add(p, r, p->next);
	}
	if (p->next_ring < rings)
		return;
	p->next_ring = 0;
	p->next++;
	if (p->next == EVENTS_PER_CPU_MAX + (p->enabled != 0))
		p->source.opening = ALL_OPEN;
}

static int open_more(struct source *s)
{
	struct perf *p = perf_of(s);

	if (s->opening == OPENING_CPUS)
		return open_next_cpu(p);
	open_next_event(p);
	return 0;
}

static void close_source(struct source *s)
{
	struct perf *p = perf_of(s);

	while (s->rings)
		perf_ring_close(p, &p->ring[--s->rings]);
	close(p->cpus_fd);
}

/* The ring size of each CPU, a power of two. */
static uint64_t divide(uint64_t total_bytes, uint32_t cpus, uint32_t page_bytes)
{
	uint64_t bytes = page_bytes;

	while (bytes * 2 * cpus <= total_bytes && bytes < 1u << 30)
		bytes *= 2;
	return bytes;
}

/* Since 4.7 the kernel refuses events whose chains may be longer than its limit
 * (EOVERFLOW). Older kernels have neither the file nor the limit. */
static void limit_frames(struct source *s)
{
	uint64_t most = s->frames;

	read_number("/proc/sys/kernel/perf_event_max_stack", 10, &most);
	s->frames_cut = most < s->frames;
	if (s->frames_cut)
		s->frames = (uint32_t)most;
}

/* Drops what an older kernel does not support: first the count of lost samples,
 * then filters with a negation. Without such filters all allocations come with
 * chains. */
static int open_first(struct perf *p)
{
	const uint64_t begun_ns = clock_ns(CLOCK_MONOTONIC);
	int error;

	while ((error = open_cpu(p, p->ring)) == -EINVAL &&
	       (p->counts_lost || p->source.split)) {
		if (!p->counts_lost)
			p->source.split = 0;
		p->counts_lost = 0;
	}
	p->source.first_ns = clock_ns(CLOCK_MONOTONIC) - begun_ns;
	p->source.opening = after_cpu(p);
	return error;
}

static int open_source(struct source **s, const struct source_wish *w)
{
	struct perf *p = arena_take(w->arena, 1, sizeof(*p));
	int error;

	if (!p)
		return -ENOMEM;
	*s = &p->source;
	source_init(*s, &perf_source, w);
	p->source.ring_bytes = divide(w->total_bytes, w->cpus, w->page_bytes);
	p->cpus_fd = -1;
	p->capacity = w->cpus_most;
	p->page_bytes = w->page_bytes;
	p->next = PAGE_EVENTS;
	p->counts_lost = 1;
	p->has_tgids = w->threads;
	p->guard = w->guard;
	if (p->source.ring_bytes * w->cpus > w->total_bytes)
		return -ENOSPC;
	p->ring = arena_take(w->arena, w->cpus_most, sizeof(*p->ring));
	p->merge.heap = arena_take(w->arena, w->cpus_most,
				   sizeof(*p->merge.heap));
	if (!p->ring || !p->merge.heap)
		return -ENOMEM;
	limit_frames(&p->source);
	system_raise_descriptors(64 + w->cpus_most * EVENTS_PER_CPU_MAX);
	proc_cpus(name_cpu, p);
	error = p->source.rings ? open_first(p) : -ENODEV;
	if (error)
		return error;
	p->cpus_fd = system_open_path(CPUS_ONLINE, O_RDONLY);
	p->source.shallow = perf_is_shallow(p);
	return 0;
}

/* Enables the events of frees first, on all CPUs, then all others. The ledger
 * counts a free without its allocation; it would not notice a missed free. */
static int enable(struct source *s)
{
	struct perf *p = perf_of(s);
	int error = 0;

	p->enabled = 1;
	for (uint32_t r = 0; r < s->rings && !error; r++)
		error = perf_ring_enable_frees(&p->ring[r]);
	for (uint32_t r = 0; r < s->rings && !error; r++)
		error = perf_ring_enable(&p->ring[r]);
	return error;
}

/* Reads the kernel's counters, which exist since Linux 6.0. The lost records in
 * the rings come later: the kernel writes them only before the next record that
 * fits. */
static uint64_t lost(const struct source *s)
{
	const struct perf *p = perf_of(s);
	uint64_t sum = p->lost_before;

	for (uint32_t r = 0; r < s->rings; r++)
		sum += perf_ring_lost(p, &p->ring[r]);
	return sum;
}

static uint32_t poll_set(const struct source *s, struct pollfd *set)
{
	const struct perf *p = perf_of(s);

	for (uint32_t r = 0; r < s->rings; r++)
		set[r] = (struct pollfd){
			.fd = p->ring[r].fds ? p->ring[r].fd[0] : -1,
			.events = POLLIN,
		};
	return s->rings;
}

const struct source_kind perf_source = {
	.name = "perf",
	.needs_tracefs = 1,
	.usable = usable,
	.arena_bytes = arena_bytes,
	.open = open_source,
	.open_more = open_more,
	.enable = enable,
	.poll_set = poll_set,
	.begin = perf_begin,
	.next = perf_next,
	.lost = lost,
	.follow = perf_follow,
	.close = close_source,
};
