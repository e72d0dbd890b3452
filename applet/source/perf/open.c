/* perf events of all CPUs, opened and closed: see perf.h. */
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "source/perf/perf.h"
#include "source/proc/proc.h"

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
		p->error = perf_ring_open(p, cpu);
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
	raise_descriptor_limit(64 + cpus * EVENTS_PER_CPU_MAX);
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
		perf_ring_close(p, &p->ring[--p->rings]);
}
