/*
 * The emptying of the initramfs, to give its memory back.
 *
 * Through descriptors, so that neither what is mounted over a path nor a
 * symbolic link leads elsewhere; with no recursion and no memory taken: a
 * stack of open directories, each with a small buffer of entries. One walk,
 * depth first, is enough: an entry that is not removed is read exactly once,
 * whatever is removed beside it.
 *
 * Costs SWEEP_DEPTH descriptors at most, and SWEEP_DEPTH times
 * SWEEP_ENTRIES_BYTES of stack.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "sweep.h"

/* Directories nested deeper stay, and cost what they hold: an initramfs has
 * some fifteen levels. */
#define SWEEP_DEPTH 64
/* The longest entry has 19 bytes before its name of at most 255 and NUL. */
#define SWEEP_ENTRIES_BYTES 512

struct level {
	int fd;
	long used_bytes, at;	/* in entries */
	char entries[SWEEP_ENTRIES_BYTES];
};

/* The entry's name, or NULL at the end; type as in d_type. The entry is read
 * by offsets, for the buffer has no alignment: u64 ino, s64 off, u16 reclen,
 * u8 type, name. */
static const char *next_entry(struct level *l, unsigned char *type)
{
	unsigned short entry_bytes;
	const char *e;

	if (l->at >= l->used_bytes) {
		l->used_bytes = syscall(SYS_getdents64, l->fd, l->entries,
					sizeof(l->entries));
		l->at = 0;
	}
	if (l->used_bytes <= 0)
		return NULL;
	e = l->entries + l->at;
	memcpy(&entry_bytes, e + 16, sizeof(entry_bytes));
	memcpy(type, e + 18, 1);
	l->at += entry_bytes;
	return e + 19;
}

/* A directory to be emptied first: its descriptor, or -1. What is mounted on
 * was EBUSY before it comes to this; the device tells in any case. */
static int enter_dir(int parent, const char *name, dev_t dev)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
			O_CLOEXEC);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) || st.st_dev != dev)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Removes name, or says with a descriptor what must be emptied before. */
static int remove_entry(int parent, const char *name, unsigned char type,
			dev_t dev)
{
	if (type != DT_DIR &&
	    (!unlinkat(parent, name, 0) || errno != EISDIR))
		return -1;
	if (!unlinkat(parent, name, AT_REMOVEDIR) || errno != ENOTEMPTY)
		return -1;
	return enter_dir(parent, name, dev);
}

/* The entry at which a level stopped to descend stays in its buffer, just
 * before `at`; once the level below is done it is removed. */
void sweep(int dir_fd)
{
	struct level stack[SWEEP_DEPTH];
	const char *name[SWEEP_DEPTH];
	unsigned int depth = 0;
	unsigned char type;
	struct stat st;
	int fd;

	if (fstat(dir_fd, &st))
		return;
	stack[0] = (struct level){ .fd = dir_fd };
	for (;;) {
		name[depth] = next_entry(&stack[depth], &type);
		if (!name[depth]) {
			if (!depth)
				return;
			close(stack[depth].fd);
			depth--;
			unlinkat(stack[depth].fd, name[depth], AT_REMOVEDIR);
			continue;
		}
		if (!strcmp(name[depth], ".") || !strcmp(name[depth], ".."))
			continue;
		fd = remove_entry(stack[depth].fd, name[depth], type,
				  st.st_dev);
		if (fd >= 0 && depth + 1 < SWEEP_DEPTH) {
			depth++;
			stack[depth].fd = fd;
			stack[depth].used_bytes = stack[depth].at = 0;
		} else if (fd >= 0) {
			close(fd);
		}
	}
}
