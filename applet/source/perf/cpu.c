/* One CPU's events and their ring, opened and mapped: see perf.h. */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/print.h"
#include "base/system.h"
#include "source/perf/perf.h"

/* Beside an enum tracepoint. */
#define TP_MASK		0x1fu
#define CHAIN		0x20u	/* with call chain */
#define ANON		0x40u	/* only first touches, else all but them */
#define AT_ONCE		0x80u	/* wakes the tracer at once */

/* The leader is first. */
static const uint8_t kinds[] = {
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

void perf_ring_close(const struct perf *p, struct perf_ring *r)
{
	if (r->data)
		munmap(r->control, p->ring_bytes + p->page_bytes);
	for (uint32_t i = 0; i < r->fds; i++)
		close(r->fd[i]);
}

int perf_ring_open(struct perf *p, uint32_t cpu)
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
			perf_ring_close(p, r);
			return error;
		}
		p->missing |= (uint32_t)(error != 0) << tp;
	}
	p->rings++;
	return 0;
}
