/* SPDX-License-Identifier: MIT */
/* Small files, the names in a directory, and all files of a file system: see
 * system.h. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "base/base.h"
#include "base/system.h"

/* --- readfile: small files of /proc and /sys */

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

void next_words(struct word *rest, struct word *w, uint32_t count)
{
	while (count--)
		next_word(rest, w++);
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

/* --- entries: the names in a directory */

/* An entry of getdents64 has 19 bytes before its name of at most 255 and NUL:
 * u64 inode, s64 where to go on, u16 length, u8 type. */
#define NEXT_AT 8
#define LENGTH_AT 16
#define NAME_AT 19

void entries_begin(struct entries *e, int fd)
{
	e->fd = fd;
	e->at = e->filled = 0;
	e->error = 0;
}

const char *entries_next(struct entries *e)
{
	const char *entry;
	uint16_t bytes;
	long n;

	if (e->at == e->filled) {
		n = syscall(SYS_getdents64, e->fd, e->buf, sizeof(e->buf));
		e->error = n < 0 ? -errno : 0;
		if (n <= 0)
			return NULL;
		e->at = 0;
		e->filled = (uint32_t)n;
	}
	entry = e->buf + e->at;
	memcpy(&e->inode, entry, sizeof(e->inode));
	memcpy(&e->next, entry + NEXT_AT, sizeof(e->next));
	memcpy(&bytes, entry + LENGTH_AT, sizeof(bytes));
	e->at += bytes;
	return entry + NAME_AT;
}

/* --- walk: a walk through all files of one file system */

void walk_begin(struct walk *w, const char *top)
{
	const size_t bytes = strlen(top);

	*w = (struct walk){ .depth = -1 };
	w->device = system_device_path(top);
	if (!w->device || bytes >= sizeof(w->path))
		return;
	memcpy(w->path, top, bytes);
	w->top_bytes = w->bytes = bytes;
	w->depth = 0;
}

/* Appends a name to the path. -1: the path would be too long. */
static int add_name(struct walk *w, const char *name)
{
	const size_t len = strlen(name);

	if (w->bytes + 1 + len >= sizeof(w->path))
		return -1;
	w->path[w->bytes] = '/';
	memcpy(w->path + w->bytes + 1, name, len + 1);
	w->bytes += 1 + len;
	return 0;
}

/* Cuts the path back to this many bytes, a directory above. */
static void cut(struct walk *w, size_t bytes)
{
	w->bytes = bytes;
	w->path[bytes] = '\0';
}

static void leave(struct walk *w)
{
	size_t bytes = w->bytes;

	w->depth--;
	while (bytes > w->top_bytes && w->path[--bytes] != '/')
		;
	cut(w, bytes);
}

/* Gives the file at the path, which is `name` in the open directory, to `take`.
 * 1: the file is a directory of this file system. (By its name the kernel finds
 * it in a quarter of the time, because /proc/1/root is slow to pass.) */
static int look(struct walk *w, int fd, const char *name,
		void (*take)(void *, const struct walked *), void *context)
{
	struct walked f = { .path = w->path + w->top_bytes };
	struct statx s;

	if (syscall(SYS_statx, fd, name, AT_SYMLINK_NOFOLLOW |
		    AT_NO_AUTOMOUNT, STATX_BASIC_STATS, &s) ||
	    makedev(s.stx_dev_major, s.stx_dev_minor) != w->device)
		return 0;
	f.size_bytes = s.stx_size;
	f.used_bytes = s.stx_blocks * 512;
	f.inode = s.stx_ino;
	f.links = s.stx_nlink;
	f.is_file = S_ISREG(s.stx_mode);
	w->files++;
	take(context, &f);
	return S_ISDIR(s.stx_mode);
}

/* Goes on in the open directory, to its end or to its next subdirectory. 1: the
 * walk has entered that subdirectory; 0: the end. */
static int read_on(struct walk *w, int fd,
		   void (*take)(void *, const struct walked *), void *context)
{
	const size_t bytes = w->bytes;
	struct entries e;
	const char *name;

	entries_begin(&e, fd);
	while ((name = entries_next(&e))) {
		w->at[w->depth] = e.next;
		if (!strcmp(name, ".") || !strcmp(name, "..") ||
		    add_name(w, name))
			continue;
		if (look(w, fd, name, take, context) && w->depth + 1 < WALK_DEPTH) {
			w->at[++w->depth] = 0;
			return 1;
		}
		cut(w, bytes);
	}
	return 0;
}

int walk_on(struct walk *w, uint32_t most,
	    void (*take)(void *context, const struct walked *f), void *context)
{
	const uint32_t until = w->files + most;

	while (w->depth >= 0 && w->files < until) {
		const int fd = system_open_path(w->path, O_RDONLY |
						O_DIRECTORY);
		int entered = 0;

		if (fd >= 0 && lseek(fd, w->at[w->depth], SEEK_SET) >= 0)
			entered = read_on(w, fd, take, context);
		if (fd >= 0)
			close(fd);
		if (!entered)
			leave(w);
	}
	return w->depth >= 0;
}
