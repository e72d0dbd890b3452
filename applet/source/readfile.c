/* Small files of /proc and /sys: see readfile.h. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "../system.h"
#include "readfile.h"

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
	int fd = system_open(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
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
	if (used == size)
		return -EFBIG;
	buf[used] = '\0';
	return (ssize_t)used;
}

int lines_open(struct lines *l, const char *path)
{
	l->fd = system_open(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	l->at = l->filled = 0;
	l->skip = 0;
	return l->fd < 0 ? -errno : 0;
}

/* Move what is left to the front and read behind it. */
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
	for (;;) {
		char *line = l->buf + l->at;
		size_t left = l->filled - l->at;
		char *end = memchr(line, '\n', left);
		int cut = !end && left == sizeof(l->buf) - 1;
		int skipped = l->skip;

		if (!end && !cut) {
			if (fill(l))
				continue;
			line = l->buf;	/* where fill() has moved it */
		}
		if (!end && !left)
			return NULL;
		if (!end)
			end = line + left;
		l->at += (size_t)(end - line) + !cut;
		if (l->at > l->filled)
			l->at = l->filled;
		l->skip = cut;
		if (skipped)
			continue;
		*end = '\0';
		*len = (size_t)(end - line);
		return line;
	}
}

void lines_close(struct lines *l)
{
	close(l->fd);
}

int each_line(const char *path,
	      void (*take)(void *context, char *line, size_t len),
	      void *context)
{
	struct lines l;
	char *line;
	size_t len;
	int error = lines_open(&l, path);

	if (error)
		return error;
	while ((line = lines_next(&l, &len)))
		take(context, line, len);
	lines_close(&l);
	return 0;
}

const char *find_text(const char *text, size_t len, const char *what)
{
	size_t what_len = strlen(what);

	for (; len >= what_len; text++, len--)
		if (!memcmp(text, what, what_len))
			return text;
	return NULL;
}

int writefile(const char *path, const char *text)
{
	int fd = system_open(AT_FDCWD, path, O_WRONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, text, strlen(text));
	n = n < 0 ? -errno : 0;
	close(fd);
	return (int)n;
}
