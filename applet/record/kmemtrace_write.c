/* SPDX-License-Identifier: MIT */
/* A recorded trace as streams of kmemtrace: see record.h, kmemtrace write. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "base/base.h"
#include "base/system.h"
#include "output/output.h"
#include "record/record.h"

#define CPUS_WRITTEN 256u

struct output {
	const char *prefix, *input;
	int fd[CPUS_WRITTEN];	/* 0: not open; below: it failed */
	uint32_t sequence;
	int failed;
};

static void name_stream(const struct output *o, uint32_t cpu,
			char path[PATH_BYTES])
{
	print_to(path, PATH_BYTES, "%s%u", o->prefix, cpu);
}

static int fd_of(struct output *o, uint32_t cpu)
{
	char path[PATH_BYTES];

	if (cpu >= CPUS_WRITTEN || strlen(o->prefix) > PATH_BYTES - 8) {
		o->failed = complain(o->prefix, cpu >= CPUS_WRITTEN ?
				     "an event of CPU %u: no more than 256 CPUs" :
				     "CPU %u: the name is too long", cpu);
		return -1;
	}
	if (o->fd[cpu])
		return o->fd[cpu];
	name_stream(o, cpu, path);
	if (file_replaces(path, o->input)) {
		o->failed = complain(o->input, "%s would replace it", path);
		return -1;
	}
	o->fd[cpu] = file_new(AT_FDCWD, path, FORMAT_TEXT);
	if (o->fd[cpu] < 0)
		o->failed = complain_error(path, -o->fd[cpu]);
	return o->fd[cpu];
}

/* All streams get their names, or none is left. */
static void finish(struct output *o, int failed)
{
	char path[PATH_BYTES];

	for (uint32_t cpu = 0; cpu < CPUS_WRITTEN; cpu++) {
		int error;

		if (o->fd[cpu] <= 0)
			continue;
		name_stream(o, cpu, path);
		error = file_named(AT_FDCWD, path, o->fd[cpu], failed);
		if (error && !failed)
			o->failed = complain_error(path, error);
	}
}

static void write_event(struct output *o, const struct event *e)
{
	unsigned char record[KMEM_RELAY_BYTES];
	const size_t bytes = kmem_write(record, e, o->sequence + 1);
	int fd;

	if (!bytes)
		return;
	o->sequence++;
	fd = fd_of(o, e->cpu);
	errno = ENOSPC;
	if (fd >= 0 && write(fd, record, bytes) != (ssize_t)bytes)
		o->failed = complain_error(o->prefix, errno);
}

int kmemtrace_write(const char *prefix, const char *path)
{
	unsigned char buffer[TRACE_BUFFER_BYTES];
	struct output o = { .prefix = prefix, .input = path };
	struct trace_header header;
	struct trace_symbol symbol;
	struct trace_reader r;
	struct session session;
	struct event e = { 0 };
	int fd = system_open_input(path), item;

	if (fd < 0)
		return complain_error(path, errno);
	item = trace_open(&r, fd, buffer, &header);
	while (!item || item == TRACE_EVENT || item == TRACE_SYMBOL) {
		item = trace_next(&r, &e, &symbol, &session);
		if (item == TRACE_EVENT && !o.failed)
			write_event(&o, &e);
		if (!item)
			break;
	}
	finish(&o, o.failed || item < 0);
	if (item < 0)
		o.failed = complain(path, "byte %llu: %s",
				    (unsigned long long)r.offset,
				    item == -EINVAL ? r.problem :
				    error_text(item));
	if (!o.sequence && !o.failed)
		o.failed = complain(path, "no objects of slab in it: record "
				    "with --slab");
	return o.failed;
}
