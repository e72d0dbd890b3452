/* SPDX-License-Identifier: MIT */
/* Lines with their numbers: see view.h, text. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "view/view.h"

void text_begin(struct text *t, int fd)
{
	t->fd = fd;
	t->error = t->is_long = t->is_cut = 0;
	t->line = 0;
	t->at = t->filled = 0;
}

/* Reads more behind the unread bytes, which are fewer than TEXT_LINE_BYTES. 0:
 * there is no more. */
static int fill(struct text *t)
{
	ssize_t n;

	memmove(t->buf, t->buf + t->at, t->filled - t->at);
	t->filled -= t->at;
	t->at = 0;
	do
		n = read(t->fd, t->buf + t->filled, READ_BYTES);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		t->error = -errno;
	if (n <= 0)
		return 0;
	t->filled += (size_t)n;
	return 1;
}

/* Skips the rest of a line that is too long. */
static void skip_line(struct text *t)
{
	const char *end;

	do {
		end = memchr(t->buf + t->at, '\n', t->filled - t->at);
		t->at = end ? (size_t)(end + 1 - t->buf) : t->filled;
	} while (!end && fill(t));
}

const char *text_next(struct text *t, size_t *len)
{
	const char *end;

	if (t->is_long)
		skip_line(t);
	t->is_long = 0;
	while (!(end = memchr(t->buf + t->at, '\n', t->filled - t->at))) {
		t->is_long = t->filled - t->at >= TEXT_LINE_BYTES;
		if (t->is_long || !fill(t))
			break;
	}
	*len = end ? (size_t)(end - t->buf) - t->at : t->filled - t->at;
	t->is_long |= *len > TEXT_LINE_BYTES;
	t->is_cut = !end && !t->is_long;
	if (t->error || (t->is_cut && !*len))
		return NULL;
	t->line++;
	end = t->buf + t->at;
	if (t->is_long)
		*len = TEXT_LINE_BYTES;
	t->at += *len + !(t->is_cut || t->is_long);
	if (*len && end[*len - 1] == '\r')
		--*len;
	return end;
}
