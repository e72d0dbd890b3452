/* SPDX-License-Identifier: MIT */
/* Reports in files: see output.h. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/base.h"
#include "base/system.h"
#include "limits.h"
#include "output/output.h"

/* --- put */

/* A serial line at 9600 takes 20 bytes in a tick. */
#define TICK_MS 20
#define STALL_TICKS 50

/* poll(POLLOUT) does not help: while another writer holds a tty, poll() reports
 * ready and write() returns EAGAIN. */
static void tick(void)
{
	poll(NULL, 0, TICK_MS);
}

static int put_bytes(int fd, const char *text, size_t len, int64_t deadline_ms)
{
	unsigned int stalled = 0;

	while (len) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			return errno;
		if (n > 0) {
			text += n;
			len -= (size_t)n;
			stalled = 0;
			continue;
		}
		if (++stalled > STALL_TICKS ||
		    (deadline_ms && !deadline_left_ms(deadline_ms)))
			return ETIMEDOUT;
		tick();
	}
	return 0;
}

int put_line(int fd, const char *format, const char *text, size_t len,
	     int64_t deadline_ms)
{
	char whole[LINE_BYTES + 24];
	size_t n = print_to(whole, sizeof(whole), format, (int)len, text);

	return put_bytes(fd, whole, n, deadline_ms);
}

void put_drain(int fd)
{
	int left;

	for (int i = 0; i < STALL_TICKS; i++) {
		if (ioctl(fd, TIOCOUTQ, &left) || left <= 0)
			return;
		tick();
	}
}

/* --- snapshot */

int snapshot_write(struct snapshot *s)
{
	ssize_t n;

	if (s->error || !s->used)
		return s->error;
	n = pwrite(s->fd, s->part, s->used, (off_t)s->at);
	if (n != (ssize_t)s->used)
		s->error = n < 0 ? -errno : -ENOSPC;
	s->at += s->used;
	s->used = 0;
	return s->error;
}

void snapshot_put(struct snapshot *s, const void *bytes, size_t len)
{
	if (s->used + len > sizeof(s->part))
		snapshot_write(s);
	if (s->error)
		return;
	memcpy(s->part + s->used, bytes, len);
	s->used += len;
}

/* Keeps the file's last byte free for the 0 that ends the text. */
static void snapshot_line(struct out *o, const char *text, size_t len)
{
	struct snapshot *s = (struct snapshot *)o;

	if (s->error || s->cut)
		return;
	s->cut = s->at + s->used + len + 2 > s->bytes;
	if (s->cut)
		return;
	snapshot_put(s, text, len);
	snapshot_put(s, "\n", 1);
}

void snapshot_begin(struct snapshot *s, int fd, uint64_t bytes)
{
	s->out = (struct out){ .line = snapshot_line };
	s->fd = fd;
	s->error = s->cut = 0;
	s->at = 0;
	s->bytes = bytes;
	s->used = 0;
}

int snapshot_end(struct snapshot *s)
{
	snapshot_put(s, "", 1);
	return snapshot_write(s);
}

/* --- file */

/* Nonblocking, so that a pipe without a reader is an error, not a wait. */
#define FLAGS (O_APPEND | O_NONBLOCK | O_NOCTTY)

#define NEW_BYTES (PATH_BYTES + sizeof(".new"))

void file_init(struct file *f, const char *root, const char *path)
{
	static const char proc[] = "/proc/";

	*f = (struct file){ .fd = -1, .proc_fd = AT_FDCWD, .dir_fd = AT_FDCWD };
	if (root[0]) {
		f->proc_fd = system_open_path(proc, O_DIRECTORY);
		f->root = root + sizeof(proc) - 1;
	}
	print_to(f->path, sizeof(f->path), "%s", path);
}

/* The most tries while changes of mounts or names disturb the lookup. */
#define AGAIN 8

/* Before 5.6, an absolute link is followed in our own mount namespace. */
int file_dir(const struct file *f, const char *path, const char **name)
{
	const struct open_how how = {
		.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT,
	};
	char dir[PATH_BYTES + 1];
	int root, fd, error, tries = 0;

	*name = path;
	if (!f->root)
		return AT_FDCWD;
	*name = past_last(path, '/');
	print_to(dir, sizeof(dir), ".%.*s", (int)(*name - path), path);
	root = system_open(f->proc_fd, f->root, (int)how.flags);
	/* A rename or mount elsewhere, at this moment, makes ".." ambiguous. */
	do
		fd = (int)syscall(SYS_openat2, root, dir, &how, sizeof(how));
	while (fd < 0 && errno == EAGAIN && ++tries < AGAIN);
	if (fd < 0 && errno == ENOSYS)
		fd = system_open(root, dir, (int)how.flags);
	error = errno;
	close(root);
	return fd < 0 ? -error : fd;
}

int file_is_stdout(const struct file *f)
{
	return f->fd == STDOUT_FILENO;
}

static void name_of_new(char new[NEW_BYTES], const char *name)
{
	print_to(new, NEW_BYTES, "%s.new", name);
}

/* A file that an earlier run left is replaced. */
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

static int stat_of(const char *path, int standard, struct stat *st)
{
	return strcmp(path, "-") ? system_stat_path(path, st) :
				   system_stat(standard, "", st);
}

static int is_same(const char *path, const struct stat *in)
{
	struct stat out;

	return !stat_of(path, STDOUT_FILENO, &out) &&
	       out.st_dev == in->st_dev && out.st_ino == in->st_ino;
}

int file_replaces(const char *path, const char *input)
{
	char new[NEW_BYTES];
	struct stat in;

	if (!path[0] || stat_of(input, STDIN_FILENO, &in) ||
	    !S_ISREG(in.st_mode))
		return 0;
	name_of_new(new, path);
	return is_same(path, &in) || is_same(new, &in);
}

/* Is the path an ordinary file, or free? A link such as /dev/stdout is
 * neither. */
static int may_be_replaced(int dir_fd, const char *name)
{
	const int fd = system_open(dir_fd, name, O_PATH | O_NOFOLLOW |
				   O_CLOEXEC);
	struct stat st;
	int is_file;

	if (fd < 0)
		return errno == ENOENT;
	is_file = !system_stat(fd, "", &st) && S_ISREG(st.st_mode);
	close(fd);
	return is_file;
}

/* A file that has got a second name since the last report is replaced. */
int file_open(struct file *f, enum format format)
{
	struct stat st;

	f->fd = STDOUT_FILENO;
	if (!strcmp(f->path, "-"))
		return 0;
	f->fd = -1;
	f->dir_fd = file_dir(f, f->path, &f->name);
	if (f->dir_fd < 0 && f->dir_fd != AT_FDCWD)
		return -f->dir_fd;
	f->is_new = format_is_for_files(format) &&
		    may_be_replaced(f->dir_fd, f->name);
	f->fd = f->is_new ? file_new(f->dir_fd, f->name, format) :
			    system_create(f->dir_fd, f->name, FLAGS, &st);
	if (f->fd < 0)
		return f->is_new ? -f->fd : errno;
	if (f->is_new)
		return 0;
	if (S_ISBLK(st.st_mode))
		return EINVAL;
	if (S_ISREG(st.st_mode) && (!f->reports || st.st_nlink != 1) &&
	    system_renew(f->dir_fd, f->name, FLAGS, &f->fd))
		return errno;
	f->reports++;
	return 0;
}

int file_close(struct file *f, int error)
{
	if (f->fd >= 0 && f->is_new)
		error = file_named(f->dir_fd, f->name, f->fd, error);
	else if (f->fd >= 0 && !file_is_stdout(f) && close(f->fd))
		error = errno;
	close(f->dir_fd);
	f->fd = f->dir_fd = -1;
	f->is_new = 0;
	return error;
}
