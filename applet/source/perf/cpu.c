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

/* The tracepoints to open, the leader first. */
static const struct opened {
	enum tracepoint tp;
	uint8_t chain;		/* with call chain */
	uint8_t anon;		/* only first touches; else all others */
	uint8_t at_once;	/* wakes the tracer at once */
} opened[] = {
	{ .tp = TP_FREE },
	{ .tp = TP_ALLOC, .chain = 1 },
	{ .tp = TP_ALLOC, .anon = 1 },
	{ .tp = TP_MODULE_LOAD, .at_once = 1 },
	{ .tp = TP_MODULE_FREE },
	{ .tp = TP_LOAD_ENTER },
	{ .tp = TP_LOAD_EXIT },
	{ .tp = TP_ENTER_INIT_MODULE },
	{ .tp = TP_ENTER_FINIT_MODULE },
	{ .tp = TP_EXIT_INIT_MODULE },
	{ .tp = TP_EXIT_FINIT_MODULE },
	{ .tp = TP_RAW_ENTER },
	{ .tp = TP_RAW_EXIT },
	{ .tp = TP_INITCALL },
	{ .tp = TP_BULK },
	{ .tp = TP_AREA_ENTER },
	{ .tp = TP_AREA_ALLOC, .chain = 1 },
	{ .tp = TP_AREA_FREE },
	{ .tp = TP_CMA },
	{ .tp = TP_VICTIM, .at_once = 1 },
	{ .tp = TP_LOW, .at_once = 1 },
	{ .tp = TP_RECLAIM, .at_once = 1 },
	{ .tp = TP_REBOOT, .at_once = 1 },
	{ .tp = TP_ENTER_REBOOT, .at_once = 1 },
	{ .tp = TP_VMAP, .at_once = 1 },
	{ .tp = TP_VUNMAP },
};
_Static_assert(ARRAY_LEN(opened) <= EVENTS_PER_CPU_MAX, "a place for each");

/* Writes a filter for the system calls that load a module. */
static void write_loads(char *text, size_t size)
{
	print_to(text, size, "id == %d || id == %d", SYS_init_module,
		 SYS_finit_module);
}

/* Writes a filter for first touches of anonymous memory, which have all three
 * flags. */
static void write_touches(char *text, size_t size, const uint64_t *bit,
			  int anon)
{
	print_to(text, size, "%s((gfp_flags & 0x%llx) && "
		 "(gfp_flags & 0x%llx) && (gfp_flags & 0x%llx))",
		 anon ? "" : "!", (unsigned long long)bit[0],
		 (unsigned long long)bit[1], (unsigned long long)bit[2]);
}

/* The filter of a tracepoint, or NULL for all its events. Our own pages are
 * traced too: without them 30 to 50 pages would be missing from the balance. */
static const char *filter_of(const struct perf *p, const struct opened *o,
			     char *text, size_t size)
{
	switch (o->tp) {
	case TP_RAW_ENTER:
	case TP_RAW_EXIT:
		write_loads(text, size);
		return text;
	case TP_BULK:
		/* A single page has an event of its own. (If the per-CPU lists
		 * ran empty after one page, this page has no event and is not
		 * counted.) */
		return "n > 1";
	case TP_CMA:
		return "page != 0";	/* the allocation succeeded */
	case TP_LOW:
		/* Either free and reclaimable memory together are too little,
		 * or one round of reclaim has freed nothing: the kernel gives
		 * up after 16 rounds. Requests above order 3 may fail at any
		 * time. */
		return "order < 4 && "
		       "(wmark_check == 0 || no_progress_loops > 0)";
	case TP_REBOOT:
	case TP_ENTER_REBOOT:
		/* The commands that switch Ctrl-Alt-Del on and off do not
		 * count. */
		return "cmd != 0 && cmd != 0x89abcdef && "
		       "cmd != 0xffffffff89abcdef";
	case TP_ALLOC:
		if (!p->source.split)
			return NULL;
		write_touches(text, size, p->source.points->anon, o->anon);
		return text;
	default:
		return NULL;
	}
}

static int set_filter(const struct perf *p, const struct opened *o, int fd)
{
	char text[128];
	const char *filter = filter_of(p, o, text, sizeof(text));

	return filter ? ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter) : 0;
}

/* PERF_FORMAT_LOST, since 6.0; the headers we build with may be older. */
#define FORMAT_LOST (1u << 4)

/* The leader gets a ring, and the other events write into it. */
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
		      const struct opened *o, uint32_t cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr),
		.config = p->source.points->point[o->tp].id,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW |
			       (p->has_tgids ? PERF_SAMPLE_TID : 0),
		.disabled = 1, .sample_id_all = 1,
		.use_clockid = 1, .clockid = CLOCK_MONOTONIC,
		.exclude_callchain_user = 1,
		.read_format = p->counts_lost ? FORMAT_LOST : 0,
	};
	int fd, error;

	if (o->chain) {
		attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
		attr.sample_max_stack = (uint16_t)p->source.frames;
	}
	attr.wakeup_events = 1;
	if (!o->at_once) {
		attr.watermark = 1;
		attr.wakeup_watermark = (uint32_t)p->source.ring_bytes / 4;
	}
	if (!r->fds)
		attr.task = attr.comm = attr.comm_exec = 1;
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1,
			  PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0 && !set_filter(p, o, fd) && !connect_ring(p, r, fd)) {
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
		munmap(r->control, p->source.ring_bytes + p->page_bytes);
	for (uint32_t i = 0; i < r->fds; i++)
		close(r->fd[i]);
}

int perf_ring_open(struct perf *p, uint32_t cpu)
{
	struct perf_ring *r = &p->ring[p->source.rings];

	*r = (struct perf_ring){ 0 };
	for (unsigned int i = 0; i < ARRAY_LEN(opened); i++) {
		const struct opened *o = &opened[i];
		int error = -ENOENT;

		if (o->anon && !p->source.split)
			continue;
		if (p->source.points->point[o->tp].id)
			error = open_event(p, r, o, cpu);
		if (error && tracepoint_needed(o->tp)) {
			perf_ring_close(p, r);
			return error;
		}
		p->source.missing[o->tp] |= error != 0;
	}
	p->source.rings++;
	return 0;
}
