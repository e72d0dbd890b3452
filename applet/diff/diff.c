/* SPDX-License-Identifier: MIT */
/*
 * memstrack diff BEFORE AFTER: what changed from one report, or recording, to
 * the other.
 *
 * A distribution asks this of each new kernel, so the exit status tells. A file
 * that is not whole is compared as far as it goes, but then the status is 2: a
 * growth may be in what is missing.
 */
#include <errno.h>
#include <string.h>
#include "base/base.h"
#include "base/system.h"
#include "config/config.h"
#include "diff/diff.h"
#include "output/output.h"
#include "record/record.h"

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
