/* Small files of /proc and /sys, whole or a piece at a time, no allocation. */
#ifndef MEMSTRACK_READFILE_H
#define MEMSTRACK_READFILE_H

#include <stddef.h>
#include <sys/types.h>

/* Bytes read (an end byte is put behind them, so at most size - 1), or
 * -errno. -EFBIG: there is more than fits. */
ssize_t readfile(const char *path, char *buf, size_t size);

/* Lines of an open file, one after the other. */
struct lines {
	int fd;
	size_t at, filled;
	int skip;		/* rest of a line longer than the buffer */
	char buf[4096];
};

int lines_open(struct lines *l, const char *path);

/* Next line, ended with 0 in place of its newline; NULL at the end. A line
 * longer than the buffer is cut. */
char *lines_next(struct lines *l, size_t *len);
void lines_close(struct lines *l);

/* All lines of a file to `take`. 0, or -errno of opening it. */
int each_line(const char *path,
	      void (*take)(void *context, char *line, size_t len),
	      void *context);

/* Where the first `what` begins, or NULL. The C library's memmem() is made for
 * long ones and takes 1.2 KiB. */
const char *find_text(const char *text, size_t len, const char *what);

/* Write a whole small file. 0 or -errno. */
int writefile(const char *path, const char *text);

#endif
