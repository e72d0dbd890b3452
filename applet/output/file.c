/* SPDX-License-Identifier: MIT */
/* See file.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/print.h"
#include "base/system.h"
#include "output/file.h"

/* Nonblocking, so that a pipe without a reader is an error, not a wait. */
#define FLAGS (O_APPEND | O_NONBLOCK | O_NOCTTY)

#define NEW_BYTES (2 * PATH_BYTES + sizeof(".new"))

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

static void name_of_new(char new[NEW_BYTES], const char *name)
{
	print_to(new, NEW_BYTES, "%s.new", name);
}

/* One that an earlier run left is replaced. */
int file_new(int dir_fd, const char *name, enum format format)
{
	char new[NEW_BYTES];
	int fd, error;

	name_of_new(new, name);
	if (unlinkat(dir_fd, new, 0) && errno != ENOENT)
		return -errno;
	fd = system_open(dir_fd, new, O_WRONLY | O_CREAT | O_EXCL |
			 O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (!format_is_public(format) || !system_chmod(fd, 0644))
		return fd;
	error = errno;
	return -file_named(dir_fd, name, fd, error);
}

int file_named(int dir_fd, const char *name, int fd, int error)
{
	char new[NEW_BYTES];

	name_of_new(new, name);
	if (close(fd) && !error)
		error = errno;
	if (!error && renameat(dir_fd, new, dir_fd, name))
		error = errno;
	if (error)
		unlinkat(dir_fd, new, 0);
	return error;
}

/* Is there such a file, or nothing yet? A link such as /dev/stdout is neither. */
static int may_be_replaced(const struct file *f)
{
	const int fd = system_open(f->dir_fd, f->path, O_PATH | O_NOFOLLOW |
				   O_CLOEXEC);
	struct stat st;
	int is_file;

	if (fd < 0)
		return errno == ENOENT;
	is_file = !system_stat(fd, "", &st) && S_ISREG(st.st_mode);
	close(fd);
	return is_file;
}

/* A file that has got a second name meanwhile is replaced, not added to. */
int file_open(struct file *f, enum format format)
{
	struct stat st;

	f->fd = STDOUT_FILENO;
	if (!strcmp(f->path, "-"))
		return 0;
	f->is_new = format_is_for_files(format) && may_be_replaced(f);
	f->fd = f->is_new ? file_new(f->dir_fd, f->path, format) :
			    system_create(f->dir_fd, f->path, FLAGS, &st);
	if (f->fd < 0)
		return f->is_new ? -f->fd : errno;
	if (f->is_new)
		return 0;
	if (S_ISBLK(st.st_mode))
		return EINVAL;
	if (S_ISREG(st.st_mode) && (!f->reports || st.st_nlink != 1) &&
	    system_renew(f->dir_fd, f->path, FLAGS, &f->fd))
		return errno;
	f->reports++;
	return 0;
}

int file_close(struct file *f, int error)
{
	if (f->fd >= 0 && f->is_new)
		error = file_named(f->dir_fd, f->path, f->fd, error);
	else if (f->fd >= 0 && !file_is_stdout(f) && close(f->fd))
		error = errno;
	f->fd = -1;
	f->is_new = 0;
	return error;
}
