/* SPDX-License-Identifier: MIT */
/* See file.h. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "base/print.h"
#include "base/system.h"
#include "output/file.h"

/* Nonblocking, so that a pipe without a reader is an error, not a wait. */
#define FLAGS (O_APPEND | O_NONBLOCK | O_NOCTTY)

void file_init(struct file *f, const char *root, const char *path)
{
	static const char proc[] = "/proc/";

	*f = (struct file){ .fd = -1, .dir_fd = AT_FDCWD };
	if (root[0]) {
		f->dir_fd = system_open_path(proc, O_DIRECTORY);
		root += sizeof(proc) - 1;
	}
	f->root = root;
	if (path[0])
		f->shown = strlen(root);
	print_to(f->path, sizeof(f->path), "%.*s%s", (int)f->shown, root, path);
}

int file_is_stdout(const struct file *f)
{
	return f->fd == STDOUT_FILENO;
}

/* A file that has got a second name meanwhile is replaced, not added to. */
int file_open(struct file *f)
{
	struct stat st;

	f->fd = STDOUT_FILENO;
	if (!strcmp(f->path, "-"))
		return 0;
	f->fd = system_create(f->dir_fd, f->path, FLAGS, &st);
	if (f->fd < 0)
		return errno;
	if (S_ISBLK(st.st_mode))
		return EINVAL;
	if (S_ISREG(st.st_mode) && (!f->reports || st.st_nlink != 1) &&
	    system_renew(f->dir_fd, f->path, FLAGS, &f->fd))
		return errno;
	f->reports++;
	return 0;
}

int file_close(struct file *f)
{
	int error = 0;

	if (f->fd >= 0 && !file_is_stdout(f) && close(f->fd))
		error = errno;
	f->fd = -1;
	return error;
}
