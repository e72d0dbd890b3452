/* SPDX-License-Identifier: MIT */
/* Lines into a file of fixed size: see snapshot.h. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "output/snapshot.h"

static void write_part(struct snapshot *s)
{
	ssize_t n;

	if (s->error || !s->used)
		return;
	n = pwrite(s->fd, s->part, s->used, (off_t)s->at);
	if (n != (ssize_t)s->used)
		s->error = n < 0 ? -errno : -ENOSPC;
	s->at += s->used;
	s->used = 0;
}

/* The last byte of the file stays free for the end. */
static void take_line(struct out *o, const char *text, size_t len)
{
	struct snapshot *s = (struct snapshot *)o;

	if (s->error || s->cut)
		return;
	s->cut = s->at + s->used + len + 2 > s->bytes;
	if (s->cut)
		return;
	if (s->used + len + 2 > sizeof(s->part))
		write_part(s);
	memcpy(s->part + s->used, text, len);
	s->used += len;
	s->part[s->used++] = '\n';
}

void snapshot_begin(struct snapshot *s, int fd, uint64_t bytes)
{
	s->out = (struct out){ .line = take_line };
	s->fd = fd;
	s->error = s->cut = 0;
	s->at = 0;
	s->bytes = bytes;
	s->used = 0;
}

int snapshot_end(struct snapshot *s)
{
	s->part[s->used++] = '\0';
	write_part(s);
	return s->error;
}
