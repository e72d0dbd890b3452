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
#include "config/config.h"
#include "diff/diff.h"
#include "output/output.h"
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
static void report_damage(const struct taken *k)
{
	const int64_t records = k->number[RECORDS];

	if (k->broken)
		complain(k->path, "broken lines of the report: %llu",
			 (unsigned long long)k->broken);
	if (k->too_long)
		complain(k->path, "lines of more than %u bytes, left out: %llu",
			 TRACE_BUFFER_BYTES - 1,
			 (unsigned long long)k->too_long);
	if (records == NO_VALUE)
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
		report_damage(k);
		return 0;
	}
	return k->damaged ? 1 : complain(k->path, "no report in JSON, and no "
					 "recording");
}

/* Reads k->path; "-" is standard input. `buffer` has TRACE_BUFFER_BYTES. 0: the
 * file has a report, complete or not (a message says which); or 1 after a
 * message: it has no report. */
static int input_read(struct taken *k, unsigned char *buffer)
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

/*
 * --- diff
 *
 * memstrack diff BEFORE AFTER: what changed from one report, or recording, to
 * the other.
 *
 * A distribution compares each new kernel this way, so the exit status has the
 * result. An incomplete file is compared as far as it goes, but then the status
 * is 2: the missing part may have a growth.
 */

#define EXIT_GREW 1
#define EXIT_UNREADABLE EXIT_USAGE
/* None certainly grew by more than --fail, but one may have. */
#define EXIT_UNSURE 3

struct work {
	struct diff diff;
	struct diff_sheet sheet;
	struct sink sink;
	const char *path[SIDES];
	unsigned char buffer[TRACE_BUFFER_BYTES];
};

static int write_diff(struct work *w, const struct judged *j)
{
	struct diff_sheet *s = &w->sheet;
	struct config *c = &w->diff.config;
	int error;

	sink_open(&w->sink, c, "");
	error = sink_begin(&w->sink, c, SINK_CONFIGURED);
	if (error)
		return error;
	*s = (struct diff_sheet){
		.line.text = s->text, .d = &w->diff, .out = &w->sink.out,
		.line.escape = c->format == FORMAT_JSON ? ESCAPE_JSON :
							  ESCAPE_TEXT,
	};
	(c->format == FORMAT_JSON ? diff_json : diff_text)(s, j);
	return sink_end(&w->sink);
}

static int compare(struct work *w)
{
	struct diff *d = &w->diff;
	struct judged j;
	int status = 0, error;

	for (enum diff_side i = BEFORE; i < SIDES; i++)
		if (sink_replaces(&d->config, w->path[i]))
			return EXIT_UNREADABLE;
	for (enum diff_side i = BEFORE; i < SIDES; i++) {
		taken_begin(&d->side[i], w->path[i], i, &d->rows);
		if (input_read(&d->side[i], w->buffer))
			return EXIT_UNREADABLE;
		if (!taken_is_whole(&d->side[i]))
			status = EXIT_UNREADABLE;
	}
	diff_judge(d, &j);
	error = write_diff(w, &j);
	if (error) {
		complain_error("the diff", error);
		return EXIT_UNREADABLE;
	}
	return status ? status : j.failed ? EXIT_GREW :
	       j.certain || d->config.fail_bytes == UINT32_MAX ? 0 :
	       EXIT_UNSURE;
}

/* 0, or EXIT_USAGE. */
static int parse(struct work *w, int argc, char *argv[])
{
	const struct options o = {
		.of = OF_DIFF, .least = SIDES, .most = SIDES,
		.missing = "two FILEs are needed", .plain = 1,
	};

	if (options_take(&o, &w->diff.config, argc, argv, refuse_usage) < 0)
		return EXIT_USAGE;
	memcpy(w->path, argv + 1, sizeof(w->path));
	return strcmp(w->path[BEFORE], "-") || strcmp(w->path[AFTER], "-") ?
	       0 : refuse_usage("diff: only one FILE can be standard input");
}

int diff_main(int argc, char *argv[])
{
	struct work *w = system_memory(sizeof(*w));

	if (!w) {
		complain_error("memory", errno);
		return EXIT_UNREADABLE;
	}
	return parse(w, argc, argv) ? EXIT_USAGE : compare(w);
}
