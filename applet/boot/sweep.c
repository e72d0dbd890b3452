/* SPDX-License-Identifier: MIT */
/*
 * Empties the initramfs, to give its memory back.
 *
 * It works through descriptors, so that neither a mount over a path nor a
 * symbolic link leads elsewhere. It needs no recursion and no memory: it keeps
 * a stack of open directories, each with a small buffer of entries. One walk,
 * depth first, is enough: an entry that is not removed is read exactly once,
 * whatever is removed beside it.
 *
 * Costs at most SWEEP_DEPTH descriptors, and 66 KiB of stack: 1 KiB for each
 * directory that is open.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/system.h"
#include "boot/boot.h"

/* Directories nested deeper are not removed, and keep their memory. An
 * initramfs has some fifteen levels. */
#define SWEEP_DEPTH 64

struct level {
	struct entries entries;
	const char *name;	/* of the entry that was read last */
};

/* A descriptor of a directory that must be emptied first, or -1. The removal of
 * a mount point has failed with EBUSY before; the devices are compared to be
 * sure. */
static int enter_dir(const struct level *l, dev_t dev)
{
	int fd = system_open(l->entries.fd, l->name, O_RDONLY | O_DIRECTORY |
			     O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 && system_device(fd, "") != dev) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Removes the entry, or returns a descriptor of what must be emptied first. */
static int remove_entry(const struct level *l, dev_t dev)
{
	const int dir = l->entries.fd;

	if (!strcmp(l->name, ".") || !strcmp(l->name, "..") ||
	    !unlinkat(dir, l->name, 0) ||
	    !unlinkat(dir, l->name, AT_REMOVEDIR) || errno != ENOTEMPTY)
		return -1;
	return enter_dir(l, dev);
}

/* When a level is done, the buffer of the level above still holds the entry of
 * that directory, which is then removed. */
void sweep(int dir_fd)
{
	struct level stack[SWEEP_DEPTH], *l = stack;
	const dev_t dev = system_device(dir_fd, "");

	if (!dev)
		return;
	entries_begin(&l->entries, dir_fd);
	for (;;) {
		const char *name = entries_next(&l->entries);
		int fd;

		if (!name) {
			if (l == stack)
				return;
			close(l->entries.fd);
			l--;
			unlinkat(l->entries.fd, l->name, AT_REMOVEDIR);
			continue;
		}
		l->name = name;
		fd = remove_entry(l, dev);
		if (fd < 0)
			continue;
		if (l == stack + SWEEP_DEPTH - 1) {
			close(fd);
			continue;
		}
		l++;
		entries_begin(&l->entries, fd);
	}
}
