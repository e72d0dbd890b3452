/* SPDX-License-Identifier: MIT */
/* A walk through all files of one file system: see system.h, walk. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "base/system.h"

void walk_begin(struct walk *w, const char *top)
{
	const size_t bytes = strlen(top);

	*w = (struct walk){ .depth = -1 };
	w->device = system_device_path(top);
	if (!w->device || bytes >= sizeof(w->path))
		return;
	memcpy(w->path, top, bytes);
	w->top_bytes = w->bytes = bytes;
	w->depth = 0;
}

/* Adds a name to the path. -1: there is no room. */
static int add_name(struct walk *w, const char *name)
{
	const size_t len = strlen(name);

	if (w->bytes + 1 + len >= sizeof(w->path))
		return -1;
	w->path[w->bytes] = '/';
	memcpy(w->path + w->bytes + 1, name, len + 1);
	w->bytes += 1 + len;
	return 0;
}

/* Back to the directory whose path has so many bytes. */
static void cut(struct walk *w, size_t bytes)
{
	w->bytes = bytes;
	w->path[bytes] = '\0';
}

/* Leaves the directory, which is done. */
static void leave(struct walk *w)
{
	size_t bytes = w->bytes;

	w->depth--;
	while (bytes > w->top_bytes && w->path[--bytes] != '/')
		;
	cut(w, bytes);
}

/* Tells of the file in the path. 1: it is a directory of this file system. */
static int look(struct walk *w, void (*take)(void *, const struct walked *),
		void *context)
{
	struct walked f = { .path = w->path + w->top_bytes };
	struct statx s;

	if (syscall(SYS_statx, AT_FDCWD, w->path, AT_SYMLINK_NOFOLLOW |
		    AT_NO_AUTOMOUNT, STATX_BASIC_STATS, &s) ||
	    makedev(s.stx_dev_major, s.stx_dev_minor) != w->device)
		return 0;
	f.size_bytes = s.stx_size;
	f.used_bytes = s.stx_blocks * 512;
	f.inode = s.stx_ino;
	f.links = s.stx_nlink;
	f.is_file = S_ISREG(s.stx_mode);
	w->files++;
	take(context, &f);
	return S_ISDIR(s.stx_mode);
}

/* Goes on in the open directory, to its end or to its next directory. 1: this
 * is entered; 0: the end. */
static int read_on(struct walk *w, int fd,
		   void (*take)(void *, const struct walked *), void *context)
{
	const size_t bytes = w->bytes;
	struct entries e;
	const char *name;

	entries_begin(&e, fd);
	while ((name = entries_next(&e))) {
		w->at[w->depth] = e.next;
		if (!strcmp(name, ".") || !strcmp(name, "..") ||
		    add_name(w, name))
			continue;
		if (look(w, take, context) && w->depth + 1 < WALK_DEPTH) {
			w->at[++w->depth] = 0;
			return 1;
		}
		cut(w, bytes);
	}
	return 0;
}

int walk_on(struct walk *w, uint32_t most,
	    void (*take)(void *context, const struct walked *f), void *context)
{
	const uint32_t until = w->files + most;

	while (w->depth >= 0 && w->files < until) {
		const int fd = system_open_path(w->path, O_RDONLY |
						O_DIRECTORY);
		int entered = 0;

		if (fd >= 0 && lseek(fd, w->at[w->depth], SEEK_SET) >= 0)
			entered = read_on(w, fd, take, context);
		if (fd >= 0)
			close(fd);
		if (!entered)
			leave(w);
	}
	return w->depth >= 0;
}
