/* Rings of tracefs for all CPUs, opened and closed: see ftrace.h. */
#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>
#include "base/print.h"
#include "base/readfile.h"
#include "source/ftrace/ftrace.h"
#include "source/proc/proc.h"
#include "source/tracefs/traced.h"

/* The longest text of a format that is read here; header_page's is shorter. */
#define TEXT_BYTES 4096u

/* The kernel makes no ring of less than two pages, and adds one for the
 * reader. */
#define RING_PAGES_LEAST 2u

static uint64_t arena_bytes(uint32_t cpus)
{
	const uint64_t ring = sizeof(struct ftrace_ring) +
			      sizeof(struct merge_entry) +
			      getauxval(AT_PAGESZ);

	return cpus * INSTANCES * ring + sizeof(struct ftrace) + 256;
}

static int read_layout(struct ftrace *f)
{
	char page[TEXT_BYTES], event[TEXT_BYTES];
	const ssize_t page_len = instance_text("header_page", page,
					       sizeof(page));
	const ssize_t event_len = instance_text("header_event", event,
						sizeof(event));
	ssize_t len;

	if (page_len < 0 || event_len < 0)
		return -ENOENT;
	if (ring_layout_parse(&f->layout, page, (size_t)page_len, event,
			      (size_t)event_len))
		return -EINVAL;
	len = instance_text("ftrace/kernel_stack/format", page, sizeof(page));
	if (len < 0)
		return (int)len;
	return stack_parse(&f->stack, page, (size_t)len);
}

static void read_tasks(struct ftrace *f)
{
	char text[TEXT_BYTES], name[64];

	for (enum task_event t = 0; t < TASK_EVENTS; t++) {
		ssize_t len;

		print_to(name, sizeof(name), "%s/format", task_event_name(t));
		len = instance_text(name, text, sizeof(text));
		if (len > 0)
			task_parse(&f->tasks.point[t], t, text, (size_t)len);
	}
}

static enum instance instance_of(const struct traced *o)
{
	return o->chain ? STACKS : o->at_once ? AT_ONCE : PLAIN;
}

/* Enables nothing yet: the instances do not record. Without filters all
 * allocations come with their stack. */
static int open_events(struct ftrace *f)
{
	for (unsigned int i = 0; i < EVENTS_PER_CPU_MAX; i++) {
		const struct traced *o = &traced[i];
		char text[TRACED_FILTER_BYTES];
		int error = -ENOENT;

		if (o->anon && !f->source.split)
			continue;
		if (f->points.point[o->tp].id)
			error = instance_event(
				instance_of(o), tracepoint_name(o->tp),
				traced_filter(&f->points, f->source.split, o,
					      text, sizeof(text)));
		if (error && tracepoint_needed(o->tp))
			return error;
		f->source.missing[o->tp] |= error != 0;
	}
	for (enum task_event t = 0; t < TASK_EVENTS; t++)
		if (f->tasks.point[t].id)
			instance_event(PLAIN, task_event_name(t), NULL);
	return 0;
}

static void close_rings(struct ftrace *f)
{
	while (f->rings) {
		struct ftrace_ring *r = &f->ring[--f->rings];

		close(r->fd);
		close(r->stats_fd);
	}
}

/* The first read makes the kernel allocate the page that it reads into. */
static int open_ring(struct ftrace *f, enum instance i, uint32_t cpu)
{
	struct ftrace_ring *r = &f->ring[f->rings];
	unsigned char *page = r->page;

	*r = (struct ftrace_ring){
		.instance = i, .page = page,
		.fd = instance_open(i, cpu, "trace_pipe_raw"),
		.stats_fd = -1,
	};
	if (r->fd < 0)
		return r->fd;
	f->rings++;
	r->stats_fd = instance_open(i, cpu, "stats");
	if (r->stats_fd < 0)
		return r->stats_fd;
	return read(r->fd, page, f->page_bytes) < 0 && errno != EAGAIN ?
	       -errno : 0;
}

static void open_cpu(void *ctx, uint32_t cpu)
{
	struct ftrace *f = ctx;

	if (f->error || f->source.rings == f->capacity)
		return;
	for (enum instance i = 0; i < INSTANCES && !f->error; i++)
		f->error = open_ring(f, i, cpu);
	f->source.rings++;
}

/* The pages of a CPU's rings: most for stacks, whose entries are the longest.
 * The kernel adds a page to each. */
static int divide(struct ftrace *f, uint64_t total_bytes)
{
	const uint64_t pages = total_bytes / f->page_bytes / f->capacity;
	const uint64_t least = INSTANCES * (RING_PAGES_LEAST + 1);

	if (pages < least)
		return -ENOSPC;
	f->ring_pages[AT_ONCE] = (uint32_t)(pages - least) / 16 +
				 RING_PAGES_LEAST;
	f->ring_pages[PLAIN] = (uint32_t)(pages - least) / 4 +
			       RING_PAGES_LEAST;
	f->ring_pages[STACKS] = (uint32_t)pages - INSTANCES -
				f->ring_pages[AT_ONCE] - f->ring_pages[PLAIN];
	f->source.ring_bytes = pages * f->page_bytes;
	return 0;
}

static int open_all(struct ftrace *f)
{
	int error = 0;

	for (enum instance i = 0; i < INSTANCES && !error; i++)
		error = instance_make(i, f->ring_pages[i], f->page_bytes);
	if (!error)
		error = open_events(f);
	if (error)
		return error;
	proc_cpus(open_cpu, f);
	return f->error ? f->error : f->source.rings ? 0 : -ENODEV;
}

static int take_memory(struct ftrace *f, struct arena *a)
{
	const uint32_t rings = f->capacity * INSTANCES;
	unsigned char *pages = arena_take(a, rings, f->page_bytes);

	f->ring = arena_take(a, rings, sizeof(*f->ring));
	f->merge.heap = arena_take(a, rings, sizeof(*f->merge.heap));
	if (!pages || !f->ring || !f->merge.heap)
		return -ENOMEM;
	for (uint32_t i = 0; i < rings; i++)
		f->ring[i].page = pages + (size_t)i * f->page_bytes;
	return 0;
}

static void close_source(struct source *s)
{
	close_rings((struct ftrace *)s);
	ftrace_clean();
}

static int open_source(struct source **s, const struct source_wish *w)
{
	struct ftrace *f = arena_take(w->arena, 1, sizeof(*f));
	int error;

	if (!f)
		return -ENOMEM;
	*f = (struct ftrace){
		.source = {
			.kind = &ftrace_source, .points = &f->points,
			.split = w->offer->points.anon[0] != 0,
			.frames = w->frames, .by_tid = 1,
		},
		.points = w->offer->points,
		.capacity = w->cpus, .page_bytes = w->page_bytes,
	};
	*s = &f->source;
	error = divide(f, w->total_bytes);
	if (!error)
		error = take_memory(f, w->arena);
	if (!error)
		error = read_layout(f);
	if (error)
		return error;
	read_tasks(f);
	error = open_all(f);
	if (error)
		close_source(*s);
	return error;
}

/* The events of frees first, as perf's: see source/perf/open.c. */
static int enable(struct source *s)
{
	int error = 0;

	(void)s;
	for (enum instance i = 0; i < INSTANCES && !error; i++)
		error = instance_switch(i, 1);
	return error;
}

static uint64_t lost(const struct source *s)
{
	const struct ftrace *f = (const struct ftrace *)s;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < f->rings; i++)
		sum += ftrace_ring_lost(&f->ring[i]);
	return sum;
}

static uint32_t poll_set(const struct source *s, struct pollfd *set)
{
	const struct ftrace *f = (const struct ftrace *)s;

	for (uint32_t i = 0; i < f->rings; i++)
		set[i] = (struct pollfd){ .fd = f->ring[i].fd,
					  .events = POLLIN };
	return f->rings;
}

static void begin(struct source *s, uint64_t horizon_ns)
{
	ftrace_begin((struct ftrace *)s, horizon_ns);
}

static int next(struct source *s, struct event *e)
{
	return ftrace_next((struct ftrace *)s, e);
}

const struct source_kind ftrace_source = {
	.name = "ftrace",
	.needs_tracefs = 1,
	.usable = instances_usable,
	.arena_bytes = arena_bytes,
	.open = open_source,
	.enable = enable,
	.poll_set = poll_set,
	.begin = begin,
	.next = next,
	.lost = lost,
	.close = close_source,
};
