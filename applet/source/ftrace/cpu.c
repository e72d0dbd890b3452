/* SPDX-License-Identifier: MIT */
/* Opens and closes the rings of one CPU: see ftrace.h. */
#include <errno.h>
#include <unistd.h>
#include "source/ftrace/ftrace.h"

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

int ftrace_open_cpu(struct ftrace *f, uint32_t cpu)
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
