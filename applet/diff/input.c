/* SPDX-License-Identifier: MIT */
/*
 * A file, or standard input, into a report: a recording, which is replayed, or
 * lines of text.
 *
 * A recording goes through the same report in JSON as everything else, so there
 * is one reading of rows, and a recording can be compared with a report.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/base.h"
#include "base/system.h"
#include "diff/diff.h"
#include "record/record.h"
#include "report/report.h"

struct takes_lines {
	struct out out;			/* first */
	struct taken *taken;
};

static void take_text(struct out *o, const char *text, size_t len)
{
	taken_line(((struct takes_lines *)o)->taken, text, len);
}

/* Bytes read, 0 at the end, or -errno. */
static ssize_t read_some(int fd, unsigned char *to, size_t room)
{
	ssize_t n;

	do
		n = read(fd, to, room);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

/* Takes the whole lines out of the buffer; returns the bytes that are left. Of a
 * line that fills the buffer nothing is taken. */
static size_t take_lines(struct taken *k, char *buffer, size_t filled,
			 int *skip)
{
	char *at = buffer, *end = buffer + filled, *next;

	while ((next = memchr(at, '\n', (size_t)(end - at)))) {
		if (!*skip)
			taken_line(k, at, (size_t)(next - at));
		*skip = 0;
		at = next + 1;
	}
	filled = (size_t)(end - at);
	if (filled < TRACE_BUFFER_BYTES && !*skip) {
		memmove(buffer, at, filled);
		return filled;
	}
	k->too_long += !*skip;
	*skip = 1;
	return 0;
}

/* 0, or -errno of a read. */
static int read_lines(struct taken *k, int fd, unsigned char *buffer,
		      size_t filled)
{
	ssize_t n = 1;
	int skip = 0;

	while (n > 0) {
		filled = take_lines(k, (char *)buffer, filled, &skip);
		n = read_some(fd, buffer + filled, TRACE_BUFFER_BYTES - filled);
		if (n > 0)
			filled += (size_t)n;
	}
	if (filled)
		taken_line(k, (char *)buffer, filled);
	return (int)n;
}

/* What shows that a file is not whole. */
static void tell_damage(const struct taken *k)
{
	const int64_t records = k->number[RECORDS];

	if (k->broken)
		complain(k->path, "%llu lines of the report are broken",
			 (unsigned long long)k->broken);
	if (k->too_long)
		complain(k->path, "%llu lines of more than %u bytes were left "
			 "out", (unsigned long long)k->too_long,
			 TRACE_BUFFER_BYTES - 1);
	if (records == NOT_TOLD)
		complain(k->path, "the report is cut off: its last line is "
			 "missing");
	else if (k->lines < records)
		complain(k->path, "%lld of %lld lines of the report are "
			 "missing", (long long)(records - k->lines),
			 (long long)records);
}

static int read_input(struct taken *k, int fd, unsigned char *buffer)
{
	struct takes_lines lines = { .out.line = take_text, .taken = k };
	size_t filled = 0;
	ssize_t n = 1;
	int error = 0;

	while (n > 0 && filled < TRACE_MAGIC_BYTES) {
		n = read_some(fd, buffer + filled, TRACE_BUFFER_BYTES - filled);
		if (n > 0)
			filled += (size_t)n;
	}
	if (n >= 0 && trace_begins(buffer, filled))
		k->damaged = replay_json(k->path, fd, buffer, filled,
					 &lines.out);
	else
		error = n < 0 ? (int)n : read_lines(k, fd, buffer, filled);
	if (error)
		k->damaged = complain_error(k->path, error);
	if (!taken_end(k)) {
		tell_damage(k);
		return 0;
	}
	return k->damaged ? 1 : complain(k->path, "no report in JSON, and no "
					 "recording");
}

int input_read(struct taken *k, unsigned char *buffer)
{
	const int fd = system_open_input(k->path);
	int status;

	if (fd < 0)
		return complain_error(k->path, errno);
	status = read_input(k, fd, buffer);
	if (fd != STDIN_FILENO)
		close(fd);
	return status;
}
