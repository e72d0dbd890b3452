/* perf events of all CPUs, opened and closed: see perf.h. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/readfile.h"
#include "base/system.h"
#include "source/perf/perf.h"
#include "source/proc/proc.h"

/* It is no error if a CPU just went offline. */
static void open_cpu(void *ctx, uint32_t cpu)
{
	struct perf *p = ctx;

	if (!p->error && p->source.rings < p->capacity)
		p->error = perf_ring_open(p, &p->ring[p->source.rings], cpu);
	else
		return;
	if (!p->error)
		p->source.rings++;
	else if (p->error == -ENODEV)
		p->error = 0;
}

/* Opens an event that counts nothing, on a CPU, as the tracepoints will be: the
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

static void close_all(struct perf *p)
{
	while (p->source.rings)
		perf_ring_close(p, &p->ring[--p->source.rings]);
}

static int open_all(struct perf *p)
{
	p->error = 0;
	proc_cpus(open_cpu, p);
	if (p->error)
		close_all(p);
	else if (!p->source.rings)
		p->error = -ENODEV;
	return p->error;
}

/* The ring size of each CPU, a power of two. */
static uint64_t divide(uint64_t total_bytes, uint32_t cpus, uint32_t page_bytes)
{
	uint64_t bytes = page_bytes;

	while (bytes * 2 * cpus <= total_bytes && bytes < 1u << 30)
		bytes *= 2;
	return bytes;
}

/* Since 4.7 the kernel refuses chains that may be longer than its limit
 * (EOVERFLOW). Older kernels have neither the file nor the limit. */
static void limit_frames(struct source *s, uint32_t wanted)
{
	uint64_t most = wanted;

	read_number("/proc/sys/kernel/perf_event_max_stack", 10, &most);
	s->frames_cut = most < wanted;
	s->frames = s->frames_cut ? (uint32_t)most : wanted;
}

/* Leaves out what an older kernel does not know: first the count of lost
 * samples, then filters with a negation. Without these, all allocations come
 * with chains. */
static int open_source(struct source **s, const struct source_wish *w)
{
	struct perf *p = arena_take(w->arena, 1, sizeof(*p));
	int error;

	if (!p)
		return -ENOMEM;
	*p = (struct perf){
		.source = {
			.kind = &perf_source, .points = &w->offer->points,
			.split = w->offer->points.anon[0] != 0,
			.ring_bytes = divide(w->total_bytes, w->cpus,
					     w->page_bytes),
		},
		.cpus_fd = -1,
		.capacity = w->cpus, .page_bytes = w->page_bytes,
		.counts_lost = 1, .has_tgids = w->threads,
	};
	*s = &p->source;
	if (p->source.ring_bytes * w->cpus > w->total_bytes)
		return -ENOSPC;
	p->ring = arena_take(w->arena, w->cpus, sizeof(*p->ring));
	p->merge.heap = arena_take(w->arena, w->cpus, sizeof(*p->merge.heap));
	if (!p->ring || !p->merge.heap)
		return -ENOMEM;
	limit_frames(&p->source, w->frames);
	system_raise_descriptors(64 + w->cpus * EVENTS_PER_CPU_MAX);
	while ((error = open_all(p)) == -EINVAL &&
	       (p->counts_lost || p->source.split)) {
		if (!p->counts_lost)
			p->source.split = 0;
		p->counts_lost = 0;
	}
	if (!error)
		p->cpus_fd = system_open_path(CPUS_ONLINE, O_RDONLY);
	p->source.shallow = !error && perf_is_shallow(p);
	return error;
}

/* Enables the events of frees first, on all CPUs, then those that follow
 * mm_page_alloc. A free without its allocation is recognized and counted; a
 * missed free would not be noticed. */
static int enable(struct source *s)
{
	struct perf *p = perf_of(s);

	for (uint32_t i = 0; i < 2; i++)
		for (uint32_t r = 0; r < s->rings; r++)
			if (ioctl(p->ring[r].fd[i], PERF_EVENT_IOC_ENABLE, 0))
				return -errno;
	return 0;
}

/* Reads the kernel's counters, which exist since Linux 6.0. The rings tell
 * less: the kernel writes a lost record only before the next record that
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

static void close_source(struct source *s)
{
	close_all(perf_of(s));
	close(perf_of(s)->cpus_fd);
}

const struct source_kind perf_source = {
	.name = "perf",
	.needs_tracefs = 1,
	.usable = usable,
	.arena_bytes = arena_bytes,
	.open = open_source,
	.enable = enable,
	.poll_set = poll_set,
	.begin = perf_begin,
	.next = perf_next,
	.lost = lost,
	.follow = perf_follow,
	.close = close_source,
};
