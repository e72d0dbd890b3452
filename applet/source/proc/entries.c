/* SPDX-License-Identifier: MIT */
/* The names in a directory: see proc.h. */
#include <errno.h>
#include <unistd.h>
#include "base/system.h"
#include "source/proc/proc.h"

int proc_each_entry(const char *path,
		    void (*take)(void *context, const char *name),
		    void *context)
{
	const int fd = system_open_path(path, O_DIRECTORY);
	struct entries e;
	const char *name;

	if (fd < 0)
		return -errno;
	entries_begin(&e, fd);
	while ((name = entries_next(&e)))
		take(context, name);
	close(fd);
	return e.error;
}
