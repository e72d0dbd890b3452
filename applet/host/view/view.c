/* SPDX-License-Identifier: MIT */
/*
 * memstrack view: the kernel's own allocation records -> tables as in every
 * report; or a report in JSON -> its picture.
 *
 * The records are page_owner and page_owner_stacks of debugfs, and
 * /proc/allocinfo. The first line of a file shows which of them it is. The file
 * is read once, from beginning to end, and may be a pipe. An error in the file
 * is reported with the number of the first wrong line; the report covers all
 * other lines, prints how many are missing, and the exit status is 1. A report
 * in JSON is drawn whole or not at all: its first wrong line is the last line
 * that is read.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>
#include "base/base.h"
#include "base/system.h"
#include "config/config.h"
#include "output/output.h"
#include "host/view/view.h"

enum book { BOOK_PAGES, BOOK_STACKS, BOOK_SITES, BOOK_REPORT, BOOK_UNKNOWN };

struct view {
	const char *path;
	enum book book;
	uint64_t wrong_lines;
	struct config config;
	struct view_sites sites;
	struct view_books books;
	struct text text;
	struct view_picture picture;
};

/* A list that somebody has sorted or searched has no head. */
static enum book book_of(const char *line, size_t len)
{
	struct word version;
	const char *problem;
	struct site_line s;

	if (report_begins(line, len))
		return BOOK_REPORT;
	if (owner_is_record(line, len))
		return BOOK_PAGES;
	if (allocinfo_line(line, len, &s, &version, &problem) >= 0)
		return BOOK_SITES;
	return owner_is_stack(line, len) ? BOOK_STACKS : BOOK_UNKNOWN;
}

/* Takes zeroed memory and makes the tables in it. 0 or -errno. */
static int begin(struct view *v)
{
	const uint64_t bytes = v->book == BOOK_SITES ? tags_bytes() :
			       books_bytes(&v->config);
	void *block;

	if (v->book == BOOK_REPORT) {
		picture_begin(&v->picture);
		return 0;
	}
	block = system_memory(bytes);
	if (!block)
		return -errno;
	v->books.session.page_size = (uint32_t)getauxval(AT_PAGESZ);
	if (v->book == BOOK_SITES)
		return tags_begin(&v->sites, &v->config, block);
	return books_begin(&v->books, &v->config, block,
			   v->book == BOOK_PAGES ? "page_owner" : "stacks");
}

static int complain_of_line(struct view *v, const char *problem)
{
	if (!v->wrong_lines++)
		complain(v->path, "line %llu: %s",
			 (unsigned long long)v->text.line, problem);
	return 1;
}

static const char *take(struct view *v, const char *line, size_t len)
{
	if (v->text.is_long)
		return "longer than 8 KiB";
	if (v->text.is_cut)
		return "cut off";
	return v->book == BOOK_SITES ? tags_line(&v->sites, line, len) :
	       v->book == BOOK_REPORT ? picture_line(&v->picture, line, len) :
					books_line(&v->books, line, len);
}

static const char *take_end(struct view *v)
{
	return v->book == BOOK_SITES ? NULL : v->book == BOOK_REPORT ?
	       picture_end(&v->picture) : books_end(&v->books);
}

/* The lines behind the first one; returns the exit status. */
static int read_lines(struct view *v, const char *line, size_t len)
{
	const char *problem;
	int cut;

	do {
		cut = v->text.is_cut;
		problem = take(v, line, len);
		if (problem)
			complain_of_line(v, problem);
		if (problem && v->book == BOOK_REPORT)
			return 1;
	} while ((line = text_next(&v->text, &len)));
	/* A line cut off was reported already. */
	problem = cut || v->text.error ? NULL : take_end(v);
	if (problem)
		complain_of_line(v, problem);
	if (v->text.error)
		complain(v->path, "behind line %llu: %s",
			 (unsigned long long)v->text.line,
			 error_text(v->text.error));
	if (v->wrong_lines > 1)
		complain(v->path, "%llu lines are not understood",
			 (unsigned long long)v->wrong_lines);
	return v->wrong_lines || v->text.error;
}

static void picture_report(struct view *v, struct report *r)
{
	struct picture *p = &v->picture.picture;

	v->books.session.page_size = (uint32_t)p->fact[FACT_PAGE_BYTES];
	r->ledger = &v->books.ledger;	/* an empty one */
	r->session = &v->books.session;
	r->picture = p;
}

static int write_report(struct view *v)
{
	const struct config *c = &v->config;
	struct report r = { .level = 0 };
	struct sink sink;
	int error, failed = 0;

	if (v->book == BOOK_SITES) {
		error = sink_write(&sink, c, tags_write, &v->sites);
	} else {
		if (v->book == BOOK_REPORT)
			picture_report(v, &r);
		else
			books_report(&v->books, c, &r);
		error = sink_report(&sink, c, &r);
		r.lines_max = 0;
		failed = beside_write(c, &r, &sink);	/* after a message */
	}
	if (error)
		complain_error("the report", error);
	return error || failed;
}

/* What a book can be: nothing in it has a time or a peak. */
static int has_times(enum format f)
{
	return f > FORMAT_JSON && f != FORMAT_FOLDED &&
	       f != FORMAT_FOLDED_TASKS;
}

static int is_no_picture(enum format f)
{
	return !format_is_picture(f);
}

static int is_refused(const struct view *v)
{
	const struct config *c = &v->config;

	if (c->sections[0] && (v->book == BOOK_REPORT || v->book == BOOK_SITES))
		return complain(v->path, "--report is for page_owner and its "
				"stacks");
	if (v->book == BOOK_REPORT)
		return config_has(c, is_no_picture) &&
		       complain(v->path, "a report in JSON can be drawn only: "
				"--format=svg or chrome");
	if (v->book == BOOK_SITES && (c->format > FORMAT_JSON || c->beside[0][0]))
		return complain(v->path, "allocinfo can be text or json only, "
				"in one file");
	return config_has(c, has_times) &&
	       complain(v->path, "the kernel's books have no times and no "
			"peaks: text, json, folded and folded-tasks only");
}

/* Without --format the first file is the picture, and nothing else is printed. */
static void take_first_file(struct config *c)
{
	const char *first = c->beside[0];

	if (c->format_given || !*first || strcmp(c->out_path, "-"))
		return;
	c->format = format_of_file(first, strlen(first));
	c->out = OUT_AUTO;
	config_settle(c);
}

static int view(struct view *v, int fd)
{
	const char *line;
	size_t len = 0;
	int error, failed;

	text_begin(&v->text, fd, VIEW_LINE_BYTES);
	do
		line = text_next(&v->text, &len);
	while (line && !len);
	if (!line)
		return complain(v->path, "%s", v->text.error ?
				error_text(v->text.error) : "empty");
	v->book = book_of(line, len);
	if (v->book == BOOK_UNKNOWN)
		return complain(v->path, "line %llu: neither page_owner, nor "
				"its stacks, nor allocinfo, nor a report in "
				"JSON",
				(unsigned long long)v->text.line);
	if (v->book == BOOK_REPORT)
		take_first_file(&v->config);
	if (is_refused(v))
		return 1;
	error = begin(v);
	if (error)
		return complain_error("tables", error);
	failed = read_lines(v, line, len);
	if (failed && v->book == BOOK_REPORT)
		return 1;
	v->sites.wrong_lines = v->books.ledger.books.wrong_lines =
		v->wrong_lines;
	return write_report(v) | failed;
}

int view_file(const struct config *c, const char *path)
{
	struct view *v = system_memory(sizeof(*v));
	int fd;

	if (!v)
		return complain_error("memory", errno);
	v->config = *c;
	v->path = path;
	if (sink_replaces(c, path))
		return 1;
	fd = system_open_input(path);
	if (fd < 0)
		return complain_error(path, errno);
	return view(v, fd);
}

int view_main(int argc, char *argv[])
{
	const struct options o = {
		.of = OF_VIEW, .least = 1, .most = 1,
		.missing = "FILE is missing",
	};
	struct config c;

	if (options_take(&o, &c, argc, argv, refuse_usage) < 0)
		return EXIT_USAGE;
	return view_file(&c, argv[1]);
}
