/* SPDX-License-Identifier: MIT */
/*
 * Opens and closes the rings of all CPUs: see ftrace.h.
 *
 * The kernel keeps the ring of a CPU that goes offline, and makes a ring for a
 * CPU that comes online. So events on such a CPU are recorded, and only have to
 * be read.
 */
#include <errno.h>
#include <sys/auxv.h>
#include <unistd.h>
#include "base/base.h"
#include "base/system.h"
#include "source/ftrace/ftrace.h"
#include "source/proc/proc.h"
#include "source/tracefs/tracefs.h"

void ftrace_close_rings(struct ftrace *f, uint32_t but)
{
	while (f->rings > but) {
		struct ftrace_ring *r = &f->ring[--f->rings];

		close(r->fd);
		close(r->stats_fd);
	}
}

/* The first read makes the kernel allocate the page that later reads need. The
 * ring of a CPU that came online later has events already. */
static int open_ring(struct ftrace *f, enum instance i, uint32_t cpu)
{
	struct ftrace_ring *r = &f->ring[f->rings];
	unsigned char *page = r->page;
	ssize_t n;

	*r = (struct ftrace_ring){
		.cpu = cpu, .page = page, .pages = f->ring_pages[i],
		.fd = instance_open(i, cpu, "trace_pipe_raw"),
		.stats_fd = -1,
	};
	if (r->fd < 0)
		return r->fd;
	f->rings++;
	r->stats_fd = instance_open(i, cpu, "stats");
	if (r->stats_fd < 0)
		return r->stats_fd;
	n = read(r->fd, page, f->page_bytes);
	if (n < 0)
		return errno == EAGAIN ? 0 : -errno;
	if (n && ring_page_open(&r->cursor, &f->layout, page, (size_t)n))
		f->source.stalls++;
	return 0;
}

/* Opens the rings of one CPU. 0 or -errno. */
static int open_rings(struct ftrace *f, uint32_t cpu)
{
	const uint32_t before = f->rings;
	int error = 0;

	for (enum instance i = 0; i < INSTANCES && !error; i++)
		if (arranged(f, i))
			error = open_ring(f, i, cpu);
	if (error)
		ftrace_close_rings(f, before);
	else
		f->source.open_rings = ++f->source.rings;
	return error;
}

/* --- follow: CPUs that come online for the first time */

struct look {
	struct ftrace *f;
	source_cpu_came *came;
	void *context;
	uint32_t unknown;	/* CPUs that have no ring */
};

static int has_ring(const struct ftrace *f, uint32_t cpu)
{
	for (uint32_t i = 0; i < f->rings; i++)
		if (f->ring[i].cpu == cpu)
			return 1;
	return 0;
}

static void count_unknown(void *context, uint32_t cpu)
{
	struct look *k = context;

	k->unknown += !has_ring(k->f, cpu);
}

static void take_unknown(void *context, uint32_t cpu)
{
	struct look *k = context;
	struct ftrace *f = k->f;
	int error = -ENOSPC;

	if (has_ring(f, cpu))
		return;
	if (f->source.rings < f->capacity)
		error = open_rings(f, cpu);
	k->unknown += error != 0;
	k->came(k->context, cpu, error);
}

/* See follow() of a source. */
static void ftrace_follow(struct source *s, source_cpu_came *came, void *context)
{
	struct ftrace *f = ftrace_of(s);
	struct look k = { .f = f, .came = came, .context = context };

	if (f->cpus_fd < 0)
		return;
	proc_cpus_again(f->cpus_fd, count_unknown, &k);
	if (k.unknown > f->unknown) {
		k.unknown = 0;
		proc_cpus_again(f->cpus_fd, take_unknown, &k);
	}
	f->unknown = k.unknown;
}

/* --- open */

/* The longest format file that is read here; header_page is shorter. */
#define TEXT_BYTES 4096u

static uint64_t arena_bytes(uint32_t cpus)
{
	const uint64_t ring = sizeof(struct ftrace_ring) +
			      sizeof(struct merge_entry) +
			      getauxval(AT_PAGESZ);

	return cpus * INSTANCES * ring + sizeof(struct ftrace) + 256;
}

int ftrace_read_layout(struct ftrace *f)
{
	char page[TEXT_BYTES], event[TEXT_BYTES];
	const ssize_t page_len = tracefs_text("events/header_page", page,
					      sizeof(page));
	const ssize_t event_len = tracefs_text("events/header_event", event,
					       sizeof(event));

	if (page_len < 0 || event_len < 0)
		return -ENOENT;
	return ring_layout_parse(&f->layout, page, (size_t)page_len, event,
				 (size_t)event_len);
}

int ftrace_read_stack(struct ftrace *f)
{
	char text[TEXT_BYTES];
	const ssize_t len = tracefs_text("events/ftrace/kernel_stack/format",
					 text, sizeof(text));

	return len < 0 ? (int)len : stack_parse(&f->stack, text, (size_t)len);
}

static void read_tasks(struct ftrace *f)
{
	char text[TEXT_BYTES], name[64];

	for (enum task_event t = 0; t < TASK_EVENTS; t++) {
		ssize_t len;

		print_to(name, sizeof(name), "events/%s/format",
			 task_event_name(t));
		len = tracefs_text(name, text, sizeof(text));
		if (len > 0)
			task_parse(&f->tasks.point[t], t, text, (size_t)len);
	}
}

static void open_cpu(void *ctx, uint32_t cpu)
{
	struct ftrace *f = ctx;

	if (!f->error && f->source.rings < f->capacity)
		f->error = open_rings(f, cpu);
}

static int open_all(struct ftrace *f)
{
	const int error = arrange(f);

	system_raise_descriptors(64 + f->capacity * INSTANCES * 2);
	if (error)
		return error;
	proc_cpus(open_cpu, f);
	f->cpus_fd = system_open_path(CPUS_ONLINE, O_RDONLY);
	return f->error ? f->error : f->source.rings ? 0 : -ENODEV;
}

int ftrace_take_rings(struct ftrace *f, struct arena *a, uint32_t rings)
{
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
	ftrace_close_rings(ftrace_of(s), 0);
	close(ftrace_of(s)->cpus_fd);
	ftrace_clean();
}

static int open_source(struct source **s, const struct source_wish *w)
{
	struct ftrace *f = arena_take(w->arena, 1, sizeof(*f));
	uint64_t pages;
	int error;

	if (!f)
		return -ENOMEM;
	*s = &f->source;
	source_init(*s, &ftrace_source, w);
	f->source.points = &f->points;
	f->source.by_tid = 1;
	f->points = w->offer->points;
	f->capacity = w->cpus_most;
	f->page_bytes = w->page_bytes;
	f->cpus_fd = -1;
	pages = w->total_bytes / w->page_bytes / w->cpus;
	f->source.ring_bytes = pages * w->page_bytes;
	if (pages < ARRANGE_PAGES)
		return -ENOSPC;
	error = ftrace_take_rings(f, w->arena, f->capacity * INSTANCES);
	if (!error)
		error = ftrace_read_layout(f);
	if (!error)
		error = ftrace_read_stack(f);
	if (error)
		return error;
	read_tasks(f);
	error = open_all(f);
	if (error)
		close_source(*s);
	f->source.opening = OPENING_REST;
	return error;
}

/* Frees are recorded first, as with perf: see source/perf/perf.c. */
static int enable(struct source *s)
{
	int error = 0;

	for (enum instance i = 0; i < INSTANCES && !error; i++)
		if (arranged(ftrace_of(s), i))
			error = instance_switch(i, 1);
	return error;
}

static uint64_t lost(const struct source *s)
{
	struct ftrace *f = ftrace_of(s);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < f->rings; i++)
		sum += ftrace_ring_lost(f, &f->ring[i]);
	return sum;
}

static uint32_t poll_set(const struct source *s, struct pollfd *set)
{
	const struct ftrace *f = ftrace_of(s);

	for (uint32_t i = 0; i < f->rings; i++)
		set[i] = (struct pollfd){ .fd = f->ring[i].fd,
					  .events = POLLIN };
	return f->rings;
}

const struct source_kind ftrace_source = {
	.name = "ftrace",
	.needs_tracefs = 1,
	.usable = instances_usable,
	.arena_bytes = arena_bytes,
	.open = open_source,
	.open_more = arrange_more,
	.enable = enable,
	.poll_set = poll_set,
	.begin = ftrace_begin,
	.next = ftrace_next,
	.lost = lost,
	.follow = ftrace_follow,
	.close = close_source,
};
