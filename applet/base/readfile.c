/* SPDX-License-Identifier: MIT */
/* Small files of /proc and /sys: see system.h, readfile. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "base/base.h"
#include "base/system.h"

static ssize_t read_some(int fd, char *buf, size_t size)
{
	ssize_t n;

	do
		n = read(fd, buf, size);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

ssize_t readfile(const char *path, char *buf, size_t size)
{
	int fd = system_open_path(path, O_RDONLY);
	size_t used = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	do {
		n = read_some(fd, buf + used, size - used);
		used += n > 0 ? (size_t)n : 0;
	} while (n > 0 && used < size);
	close(fd);
	if (n < 0)
		return n;
	if (used == size) {
		buf[size - 1] = '\0';
		return -EFBIG;
	}
	buf[used] = '\0';
	return (ssize_t)used;
}

void lines_begin(struct lines *l, int fd)
{
	l->fd = fd;
	l->at = l->filled = 0;
	l->skip = 0;
	lseek(fd, 0, SEEK_SET);
}

/* Moves the unread bytes to the front and reads more behind them. Returns 0
 * when the file has no more or the buffer is full, else 1. */
static int fill(struct lines *l)
{
	ssize_t n;

	memmove(l->buf, l->buf + l->at, l->filled - l->at);
	l->filled -= l->at;
	l->at = 0;
	n = read_some(l->fd, l->buf + l->filled,
		      sizeof(l->buf) - 1 - l->filled);
	if (n <= 0)
		return 0;
	l->filled += (size_t)n;
	return 1;
}

char *lines_next(struct lines *l, size_t *len)
{
	char *line, *end;
	int is_rest;

	do {
		while (!(end = memchr(l->buf + l->at, '\n',
				      l->filled - l->at)) && fill(l))
			;
		is_rest = l->skip;
		l->skip = !end;
		if (!end)
			end = l->buf + l->filled;
		line = l->buf + l->at;
		*len = (size_t)(end - line);
		if (l->skip && !*len)
			return NULL;
		l->at += *len + !l->skip;
	} while (is_rest);
	*end = '\0';
	return line;
}

void each_line_again(int fd, take_line *take, void *context)
{
	struct lines l;
	char *line;
	size_t len;

	lines_begin(&l, fd);
	while ((line = lines_next(&l, &len)))
		take(context, line, len);
}

int each_line(const char *path, take_line *take, void *context)
{
	int fd = system_open_path(path, O_RDONLY);

	if (fd < 0)
		return -errno;
	each_line_again(fd, take, context);
	close(fd);
	return 0;
}

struct word *word_to(struct word *rest, char stop, struct word *w)
{
	const char *end = rest->len ? memchr(rest->at, stop, rest->len) : NULL;

	*w = *rest;
	if (end)
		w->len = (size_t)(end++ - w->at);
	rest->at = end;
	rest->len = end ? rest->len - w->len - 1 : 0;
	return w;
}

struct word *past_blanks(struct word *rest)
{
	for (; rest->len && *rest->at == ' '; rest->len--)
		rest->at++;
	return rest;
}

struct word *next_word(struct word *rest, struct word *w)
{
	return word_to(past_blanks(rest), ' ', w);
}

int word_is(const struct word *w, const char *text)
{
	return w->len == strlen(text) && !memcmp(w->at, text, w->len);
}

int word_begins(const struct word *w, const char *text)
{
	const size_t len = strlen(text);

	return w->len >= len && !memcmp(w->at, text, len);
}

int word_skip(struct word *rest, const char *text)
{
	return word_begins(rest, text) ? word_seek(rest, text) : -EINVAL;
}

int word_seek(struct word *rest, const char *text)
{
	const char *at = find_text(rest->at, rest->len, text);

	if (!at)
		return -EINVAL;
	at += strlen(text);
	rest->len -= (size_t)(at - rest->at);
	rest->at = at;
	return 0;
}

int word_number(const struct word *w, unsigned int base, uint64_t *value)
{
	return parse_u64(w->at, w->len, base, 0, UINT64_MAX, value);
}

int number_to(struct word *rest, char stop, unsigned int base,
	      uint64_t *value)
{
	struct word w;

	return word_number(word_to(rest, stop, &w), base, value);
}

int word_take_number(struct word *rest, uint64_t *value)
{
	const unsigned int base = word_skip(rest, "0x") ? 10 : 16;
	size_t digits = rest->len;
	const int error = parse_digits(rest->at, &digits, base, value);

	rest->at += digits;
	rest->len -= digits;
	return error;
}

void word_copy(const struct word *w, char *text, size_t size)
{
	size_t len = w->len < size ? w->len : size - 1;

	memcpy(text, w->at, len);
	text[len] = '\0';
}

int read_number(const char *path, unsigned int base, uint64_t *value)
{
	char text[32];
	struct word rest = { text, 0 };
	ssize_t len = readfile(path, text, sizeof(text));

	if (len < 0)
		return (int)len;
	rest.len = (size_t)len;
	if (base == 16 && len > 2 && text[0] == '0' && text[1] == 'x') {
		rest.at += 2;
		rest.len -= 2;
	}
	return number_to(&rest, '\n', base, value);
}

int writefile(const char *path, const char *text)
{
	int fd = system_open_path(path, O_WRONLY);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, text, strlen(text));
	n = n < 0 ? -errno : 0;
	close(fd);
	return (int)n;
}
