/* SPDX-License-Identifier: MIT */
/*
 * base/files.c on a file of any bytes: its lines are those that a plain
 * search for newlines finds, each cut at the buffer's size, none missing, none
 * twice; and what fits a buffer is read whole or refused.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include "fuzz.h"
#include "base/system.h"

#define LINE_MOST (sizeof(((struct lines *)0)->buf) - 1)

struct expected {
	const uint8_t *at;
	size_t left;
};

static void take(void *context, char *line, size_t len)
{
	struct expected *x = context;
	const uint8_t *end = memchr(x->at, '\n', x->left);
	size_t whole = end ? (size_t)(end - x->at) : x->left;

	must(x->left != 0);
	must(len == (whole < LINE_MOST ? whole : LINE_MOST));
	must(line[len] == '\0' && !memcmp(line, x->at, len));
	x->at += whole + (end != NULL);
	x->left -= whole + (end != NULL);
}

static void whole_file(const char *path, const uint8_t *data, size_t size,
		       size_t room)
{
	char *buf = malloc(room);
	ssize_t got;

	must(buf != NULL);
	got = readfile(path, buf, room);
	must(got == (size < room ? (ssize_t)size : -EFBIG));
	must(got < 0 || (!memcmp(buf, data, size) && buf[size] == '\0'));
	free(buf);
}

/* A file in memory, opened by its path as any other is. */
void fuzz_lines(const uint8_t *data, size_t size)
{
	struct expected x = { data, size };
	int fd = memfd_create("lines", MFD_CLOEXEC);
	char path[32];

	must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	must(each_line(path, take, &x) == 0);
	must(x.left == 0);
	whole_file(path, data, size, size + 1);
	if (size)
		whole_file(path, data, size, size);
	close(fd);
}
