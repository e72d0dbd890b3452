/* SPDX-License-Identifier: MIT */
/* Lines into a file of fixed size: see output.h, snapshot. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "output/output.h"

int snapshot_write(struct snapshot *s)
{
	ssize_t n;

	if (s->error || !s->used)
		return s->error;
	n = pwrite(s->fd, s->part, s->used, (off_t)s->at);
	if (n != (ssize_t)s->used)
		s->error = n < 0 ? -errno : -ENOSPC;
	s->at += s->used;
	s->used = 0;
	return s->error;
}

void snapshot_put(struct snapshot *s, const void *bytes, size_t len)
{
	if (s->used + len > sizeof(s->part))
		snapshot_write(s);
	if (s->error)
		return;
	memcpy(s->part + s->used, bytes, len);
	s->used += len;
}

/* The last byte of the file stays free for the end. */
static void snapshot_line(struct out *o, const char *text, size_t len)
{
	struct snapshot *s = (struct snapshot *)o;

	if (s->error || s->cut)
		return;
	s->cut = s->at + s->used + len + 2 > s->bytes;
	if (s->cut)
		return;
	snapshot_put(s, text, len);
	snapshot_put(s, "\n", 1);
}

void snapshot_begin(struct snapshot *s, int fd, uint64_t bytes)
{
	s->out = (struct out){ .line = snapshot_line };
	s->fd = fd;
	s->error = s->cut = 0;
	s->at = 0;
	s->bytes = bytes;
	s->used = 0;
}

int snapshot_end(struct snapshot *s)
{
	snapshot_put(s, "", 1);
	return snapshot_write(s);
}
