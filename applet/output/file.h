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
	int dir_fd;		/* directory, or AT_FDCWD */
	uint32_t reports;	/* reports that were begun */
	size_t shown;		/* messages show the path from here on */
	const char *root;	/* before a path, below dir_fd */
	char path[PATH_BYTES * 2];	/* below dir_fd; "-": standard output */
};

/* `root` ("" or "/proc/1/root") goes before the path: the tracer of a boot
 * lives in its own mount namespace, but the path means what PID 1 sees. */
void file_init(struct file *f, const char *root, const char *path);

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
