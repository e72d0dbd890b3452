/* SPDX-License-Identifier: MIT */
/* Small files of /proc and /sys, read whole or in pieces, without
 * allocation. */
#ifndef MEMSTRACK_READFILE_H
#define MEMSTRACK_READFILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/text.h"

/* Returns the bytes read, or -errno. An end byte follows them, so at most size
 * - 1 fit. -EFBIG: the file is larger; buf holds its beginning and an end
 * byte. */
ssize_t readfile(const char *path, char *buf, size_t size);

/* Lines of an open file, one after the other. */
struct lines {
	int fd;
	size_t at, filled;
	int skip;		/* the next bytes are the rest of a cut line */
	char buf[4096];
};

/* Starts at the beginning of an open file. */
void lines_begin(struct lines *l, int fd);

/* The next line, with an end byte in place of its newline; NULL at the end of
 * the file. A line longer than the buffer is cut. */
char *lines_next(struct lines *l, size_t *len);

/* Calls `take` for every line of a file. Returns 0, or -errno of the open. */
typedef void take_line(void *context, char *line, size_t len);
int each_line(const char *path, take_line *take, void *context);
/* The same for an open file, from its beginning; does nothing when fd is -1.
 * After the first such read the kernel has allocated all memory that a read of
 * this file needs. */
void each_line_again(int fd, take_line *take, void *context);

/* A part of a line, without an end byte. */
struct word {
	const char *at;
	size_t len;
};

/* *w becomes the text before the first `stop`, *rest the text behind it.
 * Without a `stop`, *w becomes all of the text and rest->at NULL. Returns w. */
struct word *word_to(struct word *rest, char stop, struct word *w);

/* The same up to the next blank; blanks before the word are skipped. */
struct word *next_word(struct word *rest, struct word *w);
struct word *past_blanks(struct word *rest);

int word_is(const struct word *w, const char *text);
int word_begins(const struct word *w, const char *text);

/* Takes a text away from the front. 0, or -EINVAL: the word does not begin with
 * it. */
int word_skip(struct word *rest, const char *text);
/* Takes everything away up to the end of the first place of a text. 0, or
 * -EINVAL: the text is not there. */
int word_seek(struct word *rest, const char *text);

/* The whole word must be a number. Returns 0, or an error of number.h. */
int word_number(const struct word *w, unsigned int base, uint64_t *value);

/* The same for the text before the first `stop`. */
int number_to(struct word *rest, char stop, unsigned int base,
	      uint64_t *value);

/* Takes a number away from the front, decimal or behind 0x. */
int word_take_number(struct word *rest, uint64_t *value);

/* Copies the word, cut to `size`, with an end byte. */
void word_copy(const struct word *w, char *text, size_t size);

/* A number, with or without 0x, alone on the first line of a file. Returns 0 or
 * -errno; on an error *value keeps its old value. */
int read_number(const char *path, unsigned int base, uint64_t *value);

/* Writes a whole small file. Returns 0 or -errno. */
int writefile(const char *path, const char *text);

#endif
