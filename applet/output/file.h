/* SPDX-License-Identifier: MIT */
/*
 * The file that reports go to, if they go to one.
 *
 * It is opened when a report begins, follows no symbolic link, and has mode
 * 0600. The first report empties it, later ones are added. If the file that has
 * the name can be read by others, or has a second name, a new file takes the
 * name (system_renew()). Devices and pipes are used as they are.
 *
 * A picture, or another format for files, is whole or of no use: it replaces the
 * file, when it is complete. So a program that reads the file at any time finds
 * an old or a new one. One for Prometheus has mode 0644, because node_exporter
 * is an ordinary user.
 */
#ifndef MEMSTRACK_FILE_H
#define MEMSTRACK_FILE_H

#include <stddef.h>
#include <stdint.h>
#include "config/config.h"
#include "limits.h"

struct file {
	int fd;			/* -1: not open */
	int is_new;		/* it gets its name when it is closed */
	int proc_fd;		/* /proc, if there is a root */
	int dir_fd;		/* of `name`, while the file is open */
	uint32_t reports;	/* reports that were begun */
	const char *root;	/* below proc_fd; NULL: ours */
	const char *name;	/* the last part of the path */
	char path[PATH_BYTES];	/* "-": standard output */
};

/* `root` ("" or "/proc/1/root") is that of the path: the tracer of a boot
 * lives in its own mount namespace, but the path means what PID 1 sees. */
void file_init(struct file *f, const char *root, const char *path);

/* The directory of a path, and the name in it: a descriptor to close, or
 * AT_FDCWD, or -errno. The links on the way are followed as PID 1 sees them. */
int file_dir(const struct file *f, const char *path, const char **name);

/* Would a file, written as this path, take away this input? "-" is standard
 * output, and standard input. */
int file_replaces(const char *path, const char *input);

/* Both return 0 or an errno. The caller closes the file in both cases, and says
 * whether it could be written. */
int file_open(struct file *f, enum format format);
int file_close(struct file *f, int error);

/* A file that gets its name when it is complete: a descriptor or -errno; then, if
 * there was no error, the name, else no file is left. Returns the errno. */
int file_new(int dir_fd, const char *name, enum format format);
int file_named(int dir_fd, const char *name, int fd, int error);

int file_is_stdout(const struct file *f);

#endif
