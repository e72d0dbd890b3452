/*
 * The file that reports go to, if they go to one.
 *
 * It is opened when a report begins, not through a symbolic link, as its
 * owner's alone. The first report makes it anew, later ones are added. Where
 * another file has the name, which others may read or which has more names, a
 * new one takes it (system_renew()); a device or a pipe is what it is.
 */
#ifndef MEMSTRACK_FILE_H
#define MEMSTRACK_FILE_H

#include <stddef.h>
#include <stdint.h>
#include "limits.h"

struct file {
	int fd;			/* -1: not open */
	int dir_fd;		/* directory, or AT_FDCWD */
	uint32_t reports;	/* that were begun */
	size_t shown;		/* of the path, from here on */
	char path[PATH_BYTES * 2];	/* below dir_fd; "-" is standard output */
};

/* `root` ("" or "/proc/1/root") goes before the path: the tracer of a boot lives
 * in its own mount namespace, and the file is meant as PID 1 sees it. */
void file_init(struct file *f, const char *root, const char *path);

/* 0 or an errno; to be closed in any case. */
int file_open(struct file *f);
int file_close(struct file *f);

int file_is_stdout(const struct file *f);

#endif
