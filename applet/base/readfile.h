/* Small files of /proc and /sys, whole or a piece at a time, no allocation. */
#ifndef MEMSTRACK_READFILE_H
#define MEMSTRACK_READFILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Bytes read (an end byte is put behind them, so at most size - 1), or
 * -errno. -EFBIG: there is more than fits; what fits is there, and ended. */
ssize_t readfile(const char *path, char *buf, size_t size);

/* Lines of an open file, one after the other. */
struct lines {
	int fd;
	size_t at, filled;
	int skip;		/* what comes is the rest of a cut line */
	char buf[4096];
};

/* Of an open file, from its beginning. */
void lines_begin(struct lines *l, int fd);

/* Next line, ended with 0 in place of its newline; NULL at the end. A line
 * longer than the buffer is cut. */
char *lines_next(struct lines *l, size_t *len);

/* All lines of a file to `take`. 0, or -errno of opening it. */
typedef void take_line(void *context, char *line, size_t len);
int each_line(const char *path, take_line *take, void *context);
/* Of one that is open, from its beginning: once it was read so, the kernel has
 * all memory that it takes. Nothing where fd is -1. */
void each_line_again(int fd, take_line *take, void *context);

/* Part of a line, not ended. */
struct word {
	const char *at;
	size_t len;
};

/* *w is what stands before the first `stop`, and *rest what stands behind it;
 * where there is none all of it, and no rest (NULL). Returns w. */
struct word *word_to(struct word *rest, char stop, struct word *w);

/* The same to the next blank, past those before it. */
struct word *next_word(struct word *rest, struct word *w);
struct word *past_blanks(struct word *rest);

int word_is(const struct word *w, const char *text);

/* All of it is a number: 0, or see number.h. */
int word_number(const struct word *w, unsigned int base, uint64_t *value);

/* The same of what stands before the first `stop`. */
int number_to(struct word *rest, char stop, unsigned int base,
	      uint64_t *value);

/* Ended, and cut to `size`. */
void word_copy(const struct word *w, char *text, size_t size);

/* Where the first `what` begins, or NULL. The C library's memmem() is made for
 * long ones and takes 1.2 KiB. */
const char *find_text(const char *text, size_t len, const char *what);

/* A number, with or without 0x, alone on the first line of a file; one that
 * cannot be read leaves the value alone. 0 or -errno. */
int read_number(const char *path, unsigned int base, uint64_t *value);

/* Write a whole small file. 0 or -errno. */
int writefile(const char *path, const char *text);

#endif
