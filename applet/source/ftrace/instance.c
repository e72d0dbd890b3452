/* SPDX-License-Identifier: MIT */
/*
 * Makes, sets and removes instances of tracefs: see ftrace.h.
 *
 * All options are set before the first event, and by one process: the kernel
 * has had races between the options and events.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/base.h"
#include "base/system.h"
#include "source/ftrace/ftrace.h"

static const char *const names[INSTANCES] = {
	[EVENTS] = "memstrack", [STACKS] = "memstrack-stacks",
	[AT_ONCE] = "memstrack-now",
};

int instances_usable(void)
{
	return tracefs_has("instances") ? 0 : -ENOENT;
}

/* An instance has some six files for each event of the kernel. Before Linux 6.6
 * they are made together with the instance and take 7 KiB an event (6.1: 9.3
 * MiB for 1,300 events). There is no way to ask the kernel beforehand. */
#define EVENT_BYTES 8192u
#define INSTANCES_USUAL 2u

static void count_line(void *context, char *line, size_t len)
{
	uint64_t *count = context;

	(void)line;
	*count += len != 0;
}

int instances_fit(void)
{
	uint64_t events = 0, free_bytes;
	char path[PATH_BYTES];

	each_line(tracefs_path(path, "available_events"), count_line, &events);
	free_bytes = system_free_bytes();
	return !free_bytes || free_bytes / 2 >=
			      events * EVENT_BYTES * INSTANCES_USUAL;
}

/* The path of an instance, and a file in it. */
static void path_of(char path[PATH_BYTES], enum instance i, const char *file)
{
	char name[PATH_BYTES];

	print_to(name, sizeof(name), "instances/%s%s", names[i], file);
	tracefs_path(path, name);
}

static int set(enum instance i, const char *file, const char *value)
{
	char path[PATH_BYTES];

	path_of(path, i, file);
	return writefile(path, value);
}

/* The kernel rounds the size up to pages, of which it uses 16 bytes each. */
int instance_resize(enum instance i, uint32_t pages, uint32_t page_bytes)
{
	char text[16];

	print_to(text, sizeof(text), "%u",
		 (uint32_t)((uint64_t)pages * (page_bytes - 16) / 1024));
	return set(i, "/buffer_size_kb", text);
}

/* The size comes first, because the rings of a new instance have 1.4 MiB. Since
 * 5.0 buffer_percent decides when the reader is woken: when a quarter of the
 * ring is full, or by each event. */
static int set_all(enum instance i, uint32_t pages, uint32_t page_bytes)
{
	int error = instance_resize(i, pages, page_bytes);

	if (!error)
		error = instance_switch(i, 0);
	if (!error)
		error = set(i, "/trace_clock", "mono");
	if (!error)
		error = set(i, "/options/overwrite", "0");
	if (!error)
		error = instance_stacks(i, i == STACKS);
	set(i, "/buffer_percent", i == AT_ONCE ? "0" : "25");
	return error;
}

int instance_make(enum instance i, uint32_t pages, uint32_t page_bytes)
{
	char path[PATH_BYTES];

	path_of(path, i, "");
	return mkdir(path, 0700) ? -errno : set_all(i, pages, page_bytes);
}

int instance_open(enum instance i, uint32_t cpu, const char *name)
{
	char path[PATH_BYTES], file[48];
	int fd;

	print_to(file, sizeof(file), "/per_cpu/cpu%u/%s", cpu, name);
	path_of(path, i, file);
	fd = system_open_path(path, O_RDONLY | O_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

int instance_switch(enum instance i, int on)
{
	return set(i, "/tracing_on", on ? "1" : "0");
}

int instance_stacks(enum instance i, int on)
{
	return set(i, "/options/stacktrace", on ? "1" : "0");
}

int instance_set(enum instance i, const char *event, const char *file,
		 const char *text)
{
	char name[96];

	print_to(name, sizeof(name), "/events/%s/%s", event, file);
	return set(i, name, text);
}

void ftrace_clean(void)
{
	char path[PATH_BYTES];

	for (enum instance i = 0; i < INSTANCES; i++) {
		path_of(path, i, "");
		unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
	}
}
