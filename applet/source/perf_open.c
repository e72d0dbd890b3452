/* perf events, opened and mapped: see perf.h. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "../print.h"
#include "../system.h"
#include "perf.h"
#include "proc.h"

struct kind {
	uint8_t tp;		/* enum tracepoint */
	uint8_t chain;		/* with call chain */
	uint8_t anon;		/* 1: only first touches; 0: all but them */
	uint8_t at_once;	/* wakes the tracer at once */
};

/* The leader is first. */
static CLOSE_UP const struct kind kinds[] = {
	{ TP_FREE, 0, 0, 0 },
	{ TP_ALLOC, 1, 0, 0 },
	{ TP_ALLOC, 0, 1, 0 },
	{ TP_MODULE_LOAD, 0, 0, 1 },
	{ TP_MODULE_FREE, 0, 0, 0 },
	{ TP_ENTER_INIT_MODULE, 0, 0, 0 },
	{ TP_ENTER_FINIT_MODULE, 0, 0, 0 },
	{ TP_EXIT_INIT_MODULE, 0, 0, 0 },
	{ TP_EXIT_FINIT_MODULE, 0, 0, 0 },
	{ TP_RAW_ENTER, 0, 0, 0 },
	{ TP_RAW_EXIT, 0, 0, 0 },
	{ TP_INITCALL, 0, 0, 0 },
	{ TP_BULK, 0, 0, 0 },
	{ TP_AREA_ENTER, 0, 0, 0 },
	{ TP_AREA_ALLOC, 1, 0, 0 },
	{ TP_AREA_FREE, 0, 0, 0 },
	{ TP_CMA, 0, 0, 0 },
	{ TP_VICTIM, 0, 0, 1 },
	{ TP_LOW, 0, 0, 1 },
	{ TP_REBOOT, 0, 0, 1 },
	{ TP_VMAP, 0, 0, 1 },
	{ TP_VUNMAP, 0, 0, 0 },
};

/* First touches or all but them; of all system calls two. A bulk allocation
 * that gives one page took it singly, with an event (or, where per-CPU lists
 * ran dry after it, without: one page). One of CMA that failed gives none. Free
 * and reclaimable memory together are too little, or a round has freed
 * nothing; the sixteenth is the last (what is larger than order 3 may fail). The
 * keys of the console set or unset for a reboot are none. Our own pages are not
 * filtered out: what is left out would be missing in the balance. */
static int set_filter(const struct perf *p, const struct kind *k, int fd)
{
	const uint64_t *bit = p->points->anon;
	char text[128];
	const char *filter = text;

	if (k->tp == TP_RAW_ENTER || k->tp == TP_RAW_EXIT)
		print_to(text, sizeof(text), "id == %d || id == %d",
			 SYS_init_module, SYS_finit_module);
	else if (k->tp == TP_BULK)
		filter = "n > 1";
	else if (k->tp == TP_CMA)
		filter = "page != 0";
	else if (k->tp == TP_LOW)
		filter = "order < 4 && "
			 "(wmark_check == 0 || no_progress_loops > 0)";
	else if (k->tp == TP_REBOOT)
		filter = "cmd != 0 && cmd != 0x89abcdef && "
			 "cmd != 0xffffffff89abcdef";
	else if (k->tp == TP_ALLOC && p->split)
		print_to(text, sizeof(text), "%s((gfp_flags & 0x%llx) && "
			 "(gfp_flags & 0x%llx) && (gfp_flags & 0x%llx))",
			 k->anon ? "" : "!", (unsigned long long)bit[0],
			 (unsigned long long)bit[1],
			 (unsigned long long)bit[2]);
	else
		return 0;
	return ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter) ? -errno : 0;
}

/* PERF_FORMAT_LOST, since 6.0; the headers may be older. */
#define FORMAT_LOST (1u << 4)

static int open_event(const struct perf *p, const struct kind *k, uint32_t cpu,
		      int leader)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr),
		.config = p->points->point[k->tp].id, .sample_period = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW,
		.disabled = 1, .sample_id_all = 1,
		.use_clockid = 1, .clockid = CLOCK_MONOTONIC,
		.exclude_callchain_user = 1,
		.read_format = p->counts_lost ? FORMAT_LOST : 0,
	};
	int fd, error;

	if (k->chain)
		attr.sample_max_stack = CHAIN_FRAMES_MAX;
	else
		attr.exclude_callchain_kernel = 1;
	attr.wakeup_events = 1;
	if (!k->at_once) {
		attr.watermark = 1;
		attr.wakeup_watermark = (uint32_t)p->ring_bytes / 4;
	}
	if (leader < 0)
		attr.task = attr.comm = attr.comm_exec = 1;
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1,
			  PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	error = set_filter(p, k, fd);
	if (!error && leader >= 0 &&
	    ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, leader))
		error = -errno;
	if (error) {
		close(fd);
		return error;
	}
	return fd;
}

static int map_ring(const struct perf *p, struct perf_ring *r,
		    uint32_t page_bytes)
{
	void *base = system_map(p->ring_bytes + page_bytes, MAP_SHARED,
				r->fd[0]);

	if (base == MAP_FAILED)
		return -errno;
	r->control = base;
	r->data = (unsigned char *)base + page_bytes;
	return 0;
}

static void close_ring(const struct perf *p, struct perf_ring *r)
{
	if (r->data)
		munmap(r->control, (size_t)(r->data -
		       (unsigned char *)r->control) + p->ring_bytes);
	for (uint32_t i = 0; i < r->fds; i++)
		close(r->fd[i]);
}

/* Page events must open; of the others, which ones did not is remembered. */
static int open_ring(struct perf *p, uint32_t cpu, uint32_t page_bytes)
{
	struct perf_ring *r = &p->ring[p->rings];
	int error = 0;

	*r = (struct perf_ring){ .cpu = cpu };
	for (unsigned int i = 0; i < ARRAY_LEN(kinds) && !error; i++) {
		const struct kind *k = &kinds[i];
		int fd = -ENOENT;

		if (k->anon && !p->split)
			continue;
		if (p->points->point[k->tp].id)
			fd = open_event(p, k, cpu, i ? r->fd[0] : -1);
		if (fd >= 0)
			r->fd[r->fds++] = fd;
		else if (k->tp <= TP_ALLOC)
			error = fd;
		else
			p->missing |= 1u << k->tp;
		if (!i && fd >= 0)
			error = map_ring(p, r, page_bytes);
	}
	if (error)
		close_ring(p, r);
	else
		p->rings++;
	return error;
}

static void count_cpu(void *ctx, uint32_t cpu)
{
	uint32_t *count = ctx;

	(void)cpu;
	++*count;
}

uint32_t perf_cpus(void)
{
	uint32_t count = 0;

	proc_cpus(count_cpu, &count);
	return count ? count : 1;
}

struct opener {
	struct perf *p;
	uint32_t page_bytes;
	int error;
};

/* A CPU that went offline just now is no error. */
static void open_cpu(void *ctx, uint32_t cpu)
{
	struct opener *o = ctx;
	int error;

	if (o->error || o->p->rings == o->p->capacity)
		return;
	error = open_ring(o->p, cpu, o->page_bytes);
	if (error && error != -ENODEV)
		o->error = error;
}

/* The system call itself: musl's setrlimit brings 2 KiB of its own. */
static void raise_descriptor_limit(uint64_t wanted)
{
	struct { uint64_t now, max; } limit;

	if (syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit) ||
	    limit.now >= wanted)
		return;
	limit.now = wanted;
	if (limit.max < wanted)
		limit.max = wanted;
	syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, &limit, NULL);
}

uint64_t perf_arena_bytes(uint32_t cpus)
{
	return (uint64_t)cpus * (sizeof(struct perf_ring) +
				 sizeof(struct merge_entry)) + 128;
}

static int open_all(struct perf *p, uint32_t page_bytes)
{
	struct opener o = { .p = p, .page_bytes = page_bytes };

	proc_cpus(open_cpu, &o);
	if (o.error)
		perf_close(p);
	return !o.error && !p->rings ? -ENODEV : o.error;
}

/* A power of two for each CPU. */
static uint64_t divide(uint64_t total_bytes, uint32_t cpus, uint32_t page_bytes)
{
	uint64_t bytes = page_bytes;

	while (bytes * 2 * cpus <= total_bytes && bytes < 1u << 30)
		bytes *= 2;
	return bytes;
}

/* What an older kernel does not know goes: first the count of lost samples,
 * then filters with a negation, and all allocations come with chains. */
int perf_open(struct perf *p, struct arena *a, struct tracefs *points,
	      uint32_t cpus, uint64_t total_bytes, uint32_t page_bytes)
{
	int error;

	*p = (struct perf){ .points = points, .capacity = cpus };
	p->ring_bytes = divide(total_bytes, cpus, page_bytes);
	if (p->ring_bytes * cpus > total_bytes)
		return -ENOSPC;
	p->ring = arena_take(a, cpus, sizeof(*p->ring));
	p->merge.heap = arena_take(a, cpus, sizeof(*p->merge.heap));
	if (!p->ring || !p->merge.heap)
		return -ENOMEM;
	raise_descriptor_limit(64 + cpus * ARRAY_LEN(kinds));
	p->split = points->anon[0] != 0;
	p->counts_lost = 1;
	error = open_all(p, page_bytes);
	if (error == -EINVAL) {
		p->counts_lost = 0;
		error = open_all(p, page_bytes);
	}
	if (error == -EINVAL && p->split) {
		p->split = 0;
		error = open_all(p, page_bytes);
	}
	return error;
}

/* Frees first, on all CPUs: one that is seen without its allocation is told
 * apart, one that is missed would not be. */
int perf_enable(struct perf *p)
{
	for (uint32_t i = 0; i < EVENTS_PER_CPU_MAX; i++)
		for (uint32_t r = 0; r < p->rings; r++)
			if (i < p->ring[r].fds &&
			    ioctl(p->ring[r].fd[i], PERF_EVENT_IOC_ENABLE, 0))
				return -errno;
	return 0;
}

uint64_t perf_lost(const struct perf *p)
{
	uint64_t sum = 0;

	if (!p->counts_lost)
		return 0;
	for (uint32_t r = 0; r < p->rings; r++)
		for (uint32_t i = 0; i < p->ring[r].fds; i++) {
			uint64_t count[2];	/* samples, lost ones */

			if (read(p->ring[r].fd[i], count, sizeof(count)) ==
			    sizeof(count))
				sum += count[1];
		}
	return sum;
}

void perf_poll_set(const struct perf *p, struct pollfd *set)
{
	for (uint32_t r = 0; r < p->rings; r++)
		set[r] = (struct pollfd){ .fd = p->ring[r].fd[0],
					  .events = POLLIN };
}

void perf_close(struct perf *p)
{
	while (p->rings)
		close_ring(p, &p->ring[--p->rings]);
}
