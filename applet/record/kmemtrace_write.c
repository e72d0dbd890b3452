/* SPDX-License-Identifier: MIT */
/* A recorded trace as streams of kmemtrace: see kmemtrace_write.h. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/print.h"
#include "base/system.h"
#include "record/kmemtrace.h"
#include "record/kmemtrace_write.h"
#include "record/trace.h"

#define CPUS_WRITTEN 256u

struct output {
	const char *prefix;
	int fd[CPUS_WRITTEN];	/* 0: not open; -1: it failed */
	uint32_t sequence;
	int failed;
};

static int fd_of(struct output *o, uint32_t cpu)
{
	char path[PATH_BYTES];
	struct stat st;

	if (cpu >= CPUS_WRITTEN || strlen(o->prefix) > sizeof(path) - 8) {
		o->failed = complain(o->prefix, cpu >= CPUS_WRITTEN ?
				     "an event of CPU %u: no more than 256 CPUs" :
				     "CPU %u: the name is too long", cpu);
		return -1;
	}
	if (!o->fd[cpu]) {
		print_to(path, sizeof(path), "%s%u", o->prefix, cpu);
		o->fd[cpu] = system_create(AT_FDCWD, path, 0, &st);
		if (o->fd[cpu] < 0 || ftruncate(o->fd[cpu], 0))
			o->failed = complain_error(path, errno);
	}
	return o->fd[cpu];
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
	if (fd >= 0 && write(fd, record, bytes) != (ssize_t)bytes)
		o->failed = complain_error(o->prefix, errno);
}

int kmemtrace_write(const char *prefix, const char *path)
{
	unsigned char buffer[TRACE_BUFFER_BYTES];
	struct output o = { .prefix = prefix };
	struct trace_header header;
	struct trace_symbol symbol;
	struct trace_reader r;
	struct session session;
	struct event e = { 0 };
	int fd = system_open(AT_FDCWD, path, O_RDONLY | O_CLOEXEC), item;

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
