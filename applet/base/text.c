/* SPDX-License-Identifier: MIT */
/* Lines with their numbers: see system.h, text. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/system.h"

void text_begin(struct text *t, int fd, size_t longest)
{
	t->fd = fd;
	t->longest = longest;
	t->error = t->is_long = t->is_cut = 0;
	t->line = 0;
	t->at = t->filled = 0;
}

/* The unread bytes are at most `longest`, so there is room for a read. */
int text_fill(struct text *t, size_t most)
{
	ssize_t n;

	memmove(t->buf, t->buf + t->at, t->filled - t->at);
	t->filled -= t->at;
	t->at = 0;
	do
		n = read(t->fd, t->buf + t->filled, most);
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
	} while (!end && text_fill(t, TEXT_READ_BYTES));
}

const char *text_next(struct text *t, size_t *len)
{
	const char *end;

	if (t->is_long)
		skip_line(t);
	t->is_long = 0;
	while (!(end = memchr(t->buf + t->at, '\n', t->filled - t->at))) {
		t->is_long = t->filled - t->at > t->longest;
		if (t->is_long || !text_fill(t, TEXT_READ_BYTES))
			break;
	}
	*len = end ? (size_t)(end - t->buf) - t->at : t->filled - t->at;
	t->is_long |= *len > t->longest;
	t->is_cut = !end && !t->is_long;
	if (t->error || (t->is_cut && !*len))
		return NULL;
	t->line++;
	end = t->buf + t->at;
	if (t->is_long)
		*len = t->longest;
	t->at += *len + !(t->is_cut || t->is_long);
	if (*len && end[*len - 1] == '\r')
		--*len;
	return end;
}
