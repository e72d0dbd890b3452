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

/* Beside an enum tracepoint. */
#define TP_MASK		0x1fu
#define CHAIN		0x20u	/* with call chain */
#define ANON		0x40u	/* only first touches, else all but them */
#define AT_ONCE		0x80u	/* wakes the tracer at once */

/* The leader is first. */
static CLOSE_UP const uint8_t kinds[] = {
	TP_FREE, TP_ALLOC | CHAIN, TP_ALLOC | ANON,
	TP_MODULE_LOAD | AT_ONCE, TP_MODULE_FREE,
	TP_ENTER_INIT_MODULE, TP_ENTER_FINIT_MODULE,
	TP_EXIT_INIT_MODULE, TP_EXIT_FINIT_MODULE,
	TP_RAW_ENTER, TP_RAW_EXIT, TP_INITCALL,
	TP_BULK, TP_AREA_ENTER, TP_AREA_ALLOC | CHAIN, TP_AREA_FREE, TP_CMA,
	TP_VICTIM | AT_ONCE, TP_LOW | AT_ONCE, TP_REBOOT | AT_ONCE,
	TP_VMAP | AT_ONCE, TP_VUNMAP,
};
_Static_assert(TP_COUNT <= TP_MASK + 1, "tracepoints in a kind");

/* First touches or all but them; of all system calls two. A bulk allocation
 * that gives one page took it singly, with an event (or, where per-CPU lists
 * ran dry after it, without: one page). One of CMA that failed gives none. Free
 * and reclaimable memory together are too little, or a round has freed
 * nothing; the sixteenth is the last (what is larger than order 3 may fail). The
 * keys of the console set or unset for a reboot are none. Our own pages are not
 * filtered out: what is left out would be missing in the balance. */
static int set_filter(const struct perf *p, unsigned int kind, int fd)
{
	const enum tracepoint tp = kind & TP_MASK;
	const uint64_t *bit = p->points->anon;
	char text[128];
	const char *filter = text;

	if (tp == TP_RAW_ENTER || tp == TP_RAW_EXIT)
		print_to(text, sizeof(text), "id == %d || id == %d",
			 SYS_init_module, SYS_finit_module);
	else if (tp == TP_BULK)
		filter = "n > 1";
	else if (tp == TP_CMA)
		filter = "page != 0";
	else if (tp == TP_LOW)
		filter = "order < 4 && "
			 "(wmark_check == 0 || no_progress_loops > 0)";
	else if (tp == TP_REBOOT)
		filter = "cmd != 0 && cmd != 0x89abcdef && "
			 "cmd != 0xffffffff89abcdef";
	else if (tp == TP_ALLOC && p->split)
		print_to(text, sizeof(text), "%s((gfp_flags & 0x%llx) && "
			 "(gfp_flags & 0x%llx) && (gfp_flags & 0x%llx))",
			 kind & ANON ? "" : "!", (unsigned long long)bit[0],
			 (unsigned long long)bit[1],
			 (unsigned long long)bit[2]);
	else
		return 0;
	return ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter);
}

/* PERF_FORMAT_LOST, since 6.0; the headers may be older. */
#define FORMAT_LOST (1u << 4)

/* The leader gets a ring, the others are led into it. */
static int connect_ring(const struct perf *p, struct perf_ring *r, int fd)
{
	void *base;

	if (r->fds)
		return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, r->fd[0]);
	base = system_map(p->ring_bytes + p->page_bytes, MAP_SHARED, fd);
	if (base == MAP_FAILED)
		return -1;
	r->control = base;
	r->data = (unsigned char *)base + p->page_bytes;
	return 0;
}

static int open_event(const struct perf *p, struct perf_ring *r,
		      unsigned int kind, uint32_t cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr),
		.config = p->points->point[kind & TP_MASK].id,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW,
		.disabled = 1, .sample_id_all = 1,
		.use_clockid = 1, .clockid = CLOCK_MONOTONIC,
		.exclude_callchain_user = 1,
		.read_format = p->counts_lost ? FORMAT_LOST : 0,
	};
	int fd, error;

	if (kind & CHAIN)
		attr.sample_max_stack = CHAIN_FRAMES_MAX;
	else
		attr.exclude_callchain_kernel = 1;
	attr.wakeup_events = 1;
	if (!(kind & AT_ONCE)) {
		attr.watermark = 1;
		attr.wakeup_watermark = (uint32_t)p->ring_bytes / 4;
	}
	if (!r->fds)
		attr.task = attr.comm = attr.comm_exec = 1;
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1,
			  PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0 && !set_filter(p, kind, fd) && !connect_ring(p, r, fd)) {
		r->fd[r->fds++] = fd;
		return 0;
	}
	error = -errno;
	close(fd);
	return error;
}

static void close_ring(const struct perf *p, struct perf_ring *r)
{
	if (r->data)
		munmap(r->control, p->ring_bytes + p->page_bytes);
	for (uint32_t i = 0; i < r->fds; i++)
		close(r->fd[i]);
}

/* Page events must open; of the others, which ones did not is remembered. */
static int open_ring(struct perf *p, uint32_t cpu)
{
	struct perf_ring *r = &p->ring[p->rings];

	*r = (struct perf_ring){ 0 };
	for (unsigned int i = 0; i < ARRAY_LEN(kinds); i++) {
		const enum tracepoint tp = kinds[i] & TP_MASK;
		int error = -ENOENT;

		if (kinds[i] & ANON && !p->split)
			continue;
		if (p->points->point[tp].id)
			error = open_event(p, r, kinds[i], cpu);
		if (error && tp <= TP_ALLOC) {
			close_ring(p, r);
			return error;
		}
		p->missing |= (uint32_t)(error != 0) << tp;
	}
	p->rings++;
	return 0;
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

/* A CPU that went offline just now is no error. */
static void open_cpu(void *ctx, uint32_t cpu)
{
	struct perf *p = ctx;

	if (!p->error && p->rings < p->capacity)
		p->error = open_ring(p, cpu);
	if (p->error == -ENODEV)
		p->error = 0;
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

static int open_all(struct perf *p)
{
	p->error = 0;
	proc_cpus(open_cpu, p);
	if (p->error)
		perf_close(p);
	else if (!p->rings)
		p->error = -ENODEV;
	return p->error;
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

	*p = (struct perf){
		.points = points, .capacity = cpus, .page_bytes = page_bytes,
		.split = points->anon[0] != 0, .counts_lost = 1,
	};
	p->ring_bytes = divide(total_bytes, cpus, page_bytes);
	if (p->ring_bytes * cpus > total_bytes)
		return -ENOSPC;
	p->ring = arena_take(a, cpus, sizeof(*p->ring));
	p->merge.heap = arena_take(a, cpus, sizeof(*p->merge.heap));
	if (!p->ring || !p->merge.heap)
		return -ENOMEM;
	raise_descriptor_limit(64 + cpus * ARRAY_LEN(kinds));
	while ((error = open_all(p)) == -EINVAL && p->counts_lost | p->split) {
		p->split &= p->counts_lost;
		p->counts_lost = 0;
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
