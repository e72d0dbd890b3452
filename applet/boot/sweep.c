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
 * Costs at most SWEEP_DEPTH descriptors, and SWEEP_DEPTH times
 * SWEEP_ENTRIES_BYTES of stack.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "boot/sweep.h"
#include "base/system.h"

/* Directories nested deeper are not removed, and keep their memory. An
 * initramfs has some fifteen levels. */
#define SWEEP_DEPTH 64
/* The longest entry has 19 bytes before its name of at most 255 and NUL. */
#define SWEEP_ENTRIES_BYTES 512

struct level {
	int fd;
	int used_bytes, at;	/* in entries */
	const char *name;	/* in entries, of the one before `at` */
	char entries[SWEEP_ENTRIES_BYTES];
};

/* Moves to the next entry; 0 at the end. An entry is read by offsets, because
 * the buffer has no alignment: u64 ino, s64 off, u16 reclen, u8 type, name. */
static int next_entry(struct level *l)
{
	unsigned short entry_bytes;

	if (l->at >= l->used_bytes) {
		l->used_bytes = (int)syscall(SYS_getdents64, l->fd, l->entries,
					     sizeof(l->entries));
		l->at = 0;
	}
	if (l->used_bytes <= 0)
		return 0;
	memcpy(&entry_bytes, l->entries + l->at + 16, sizeof(entry_bytes));
	l->name = l->entries + l->at + 19;
	l->at += entry_bytes;
	return 1;
}

/* A descriptor of a directory that must be emptied first, or -1. The removal of
 * a mount point has failed with EBUSY before; the devices are compared to be
 * sure. */
static int enter_dir(const struct level *l, dev_t dev)
{
	int fd = system_open(l->fd, l->name, O_RDONLY | O_DIRECTORY |
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
	if (!strcmp(l->name, ".") || !strcmp(l->name, "..") ||
	    !unlinkat(l->fd, l->name, 0) ||
	    !unlinkat(l->fd, l->name, AT_REMOVEDIR) || errno != ENOTEMPTY)
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
	l->fd = dir_fd;
	l->used_bytes = l->at = 0;
	for (;;) {
		int fd;

		if (!next_entry(l)) {
			if (l == stack)
				return;
			close(l->fd);
			l--;
			unlinkat(l->fd, l->name, AT_REMOVEDIR);
			continue;
		}
		fd = remove_entry(l, dev);
		if (fd < 0)
			continue;
		if (l == stack + SWEEP_DEPTH - 1) {
			close(fd);
			continue;
		}
		l++;
		l->fd = fd;
		l->used_bytes = l->at = 0;
	}
}
