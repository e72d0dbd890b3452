/*
 * Instances of tracefs: made, set, removed. See ftrace.h.
 *
 * All options are set before the first event, and by one process: the kernel
 * has had races between them.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/print.h"
#include "base/readfile.h"
#include "base/system.h"
#include "source/ftrace/ftrace.h"

static const char *const names[INSTANCES] = {
	[PLAIN] = "memstrack", [STACKS] = "memstrack-stacks",
	[AT_ONCE] = "memstrack-now",
};

/* The tracefs with instances, or NULL. */
static const char *find_root(void)
{
	char path[64];
	struct stat st;

	for (unsigned int i = 0; i < TRACEFS_ROOTS; i++) {
		print_to(path, sizeof(path), "%s/instances", tracefs_roots[i]);
		if (!system_stat_path(path, &st))
			return tracefs_roots[i];
	}
	return NULL;
}

int instances_usable(void)
{
	return find_root() ? 0 : -ENOENT;
}

/* The path of an instance, and a file in it. */
static void path_of(char path[PATH_BYTES], enum instance i, const char *file)
{
	const char *root = find_root();

	print_to(path, PATH_BYTES, "%s/instances/%s%s",
		 root ? root : tracefs_roots[0], names[i], file);
}

static int set(enum instance i, const char *file, const char *value)
{
	char path[PATH_BYTES];

	path_of(path, i, file);
	return writefile(path, value);
}

static int set_number(enum instance i, const char *file, uint32_t value)
{
	char text[16];

	print_to(text, sizeof(text), "%u", value);
	return set(i, file, text);
}

/* The kernel rounds the size up to pages, each with 16 bytes of its own. */
static int set_all(enum instance i, uint32_t pages, uint32_t page_bytes)
{
	const uint32_t kib = (uint32_t)((uint64_t)pages * (page_bytes - 16) /
					1024);
	int error = instance_switch(i, 0);

	if (!error)
		error = set_number(i, "/buffer_size_kb", kib);
	if (!error)
		error = set(i, "/trace_clock", "mono");
	if (!error)
		error = set(i, "/options/overwrite", "0");
	if (!error)
		error = set(i, "/options/stacktrace", i == STACKS ? "1" : "0");
	/* The reader is woken when a quarter is full, or by each event. Since
	 * 5.0; older kernels wake it by each event. */
	set_number(i, "/buffer_percent", i == AT_ONCE ? 0 : 25);
	return error;
}

int instance_make(enum instance i, uint32_t pages, uint32_t page_bytes)
{
	char path[PATH_BYTES];
	int error;

	path_of(path, i, "");
	if (mkdir(path, 0700))
		return -errno;
	error = set_all(i, pages, page_bytes);
	if (error)
		instance_remove(i);
	return error;
}

void instance_remove(enum instance i)
{
	char path[PATH_BYTES];

	path_of(path, i, "");
	unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
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

int instance_event(enum instance i, const char *name, const char *filter)
{
	char file[96];
	int error = 0;

	if (filter) {
		print_to(file, sizeof(file), "/events/%s/filter", name);
		error = set(i, file, filter);
	}
	print_to(file, sizeof(file), "/events/%s/enable", name);
	return error ? error : set(i, file, "1");
}

ssize_t instance_text(const char *name, char *text, size_t size)
{
	char path[PATH_BYTES];
	const char *root = find_root();

	print_to(path, sizeof(path), "%s/events/%s",
		 root ? root : tracefs_roots[0], name);
	return readfile(path, text, size);
}

void ftrace_clean(void)
{
	for (enum instance i = 0; i < INSTANCES; i++)
		instance_remove(i);
}
