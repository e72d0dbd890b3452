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
#include "host/diff/diff.h"
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

static void take_lines(struct taken *k, struct text *t)
{
	const char *line;
	size_t len;

	while ((line = text_next(t, &len)))
		if (t->is_long)
			k->too_long++;
		else
			taken_line(k, line, len);
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

static int read_input(struct taken *k, int fd, struct text *t)
{
	struct takes_lines lines = { .out.line = take_text, .taken = k };

	text_begin(t, fd, TRACE_BUFFER_BYTES - 1);
	while (t->filled < TRACE_MAGIC_BYTES &&
	       text_fill(t, TRACE_BUFFER_BYTES - t->filled))
		;
	if (trace_begins((unsigned char *)t->buf, t->filled))
		k->damaged = replay_json(k->path, fd, (unsigned char *)t->buf,
					 t->filled, &lines.out);
	else
		take_lines(k, t);
	if (t->error)
		k->damaged = complain_error(k->path, t->error);
	if (!taken_end(k)) {
		report_damage(k);
		return 0;
	}
	return k->damaged ? 1 : complain(k->path, "no report in JSON, and no "
					 "recording");
}

/* Reads k->path; "-" is standard input. 0: the file has a report, complete or
 * not (a message says which); or 1 after a message: it has no report. */
static int input_read(struct taken *k, struct text *t)
{
	const int fd = system_open_input(k->path);
	int status;

	if (fd < 0)
		return complain_error(k->path, errno);
	status = read_input(k, fd, t);
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
	struct sink sink;
	const char *path[SIDES];
	struct text text;
};

_Static_assert(sizeof((struct text){ 0 }.buf) > TRACE_BUFFER_BYTES,
	       "replay_json() gets the buffer");

static int compare(struct work *w)
{
	struct diff *d = &w->diff;
	const struct judged *j = &d->judged;
	int status = 0, error;

	for (enum diff_side i = BEFORE; i < SIDES; i++)
		if (sink_replaces(&d->config, w->path[i]))
			return EXIT_UNREADABLE;
	for (enum diff_side i = BEFORE; i < SIDES; i++) {
		taken_begin(&d->side[i], w->path[i], i, &d->rows);
		if (input_read(&d->side[i], &w->text))
			return EXIT_UNREADABLE;
		if (!taken_is_whole(&d->side[i]))
			status = EXIT_UNREADABLE;
	}
	diff_judge(d);
	error = sink_write(&w->sink, &d->config, diff_write, d);
	if (error) {
		complain_error("the diff", error);
		return EXIT_UNREADABLE;
	}
	return status ? status : j->failed ? EXIT_GREW :
	       j->certain || d->config.fail_bytes == UINT32_MAX ? 0 :
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
