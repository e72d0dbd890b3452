/* SPDX-License-Identifier: MIT */
/*
 * One program has all targets. Built by gcc with sanitizers (replay.c) it runs a
 * target on each file of its corpus; built by clang with libFuzzer (search.c) it
 * searches from there. A target is given any bytes, in memory of their exact
 * size, and says what must() hold of what becomes of them.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include "report/report.h"
#include "../unit/exact.h"
#include "../unit/tap.h"

typedef void fuzz_input(const uint8_t *data, size_t size);

struct target {
	const char *name;		/* of its corpus, too */
	fuzz_input *input;
	/* A trace begins here, which search.c changes a record at a time. */
	size_t trace_at;		/* 0: none does */
};

/* The list ends with a target without a name. */
const struct target *targets(void);
/* NULL: there is none of this name. */
const struct target *target_find(const char *name);

fuzz_input fuzz_allocinfo, fuzz_boot_entries, fuzz_cmdline, fuzz_control,
	fuzz_diff, fuzz_dt_cells, fuzz_estimate, fuzz_format, fuzz_ftrace,
	fuzz_iomem,
	fuzz_kallsyms, fuzz_kmemtrace, fuzz_lines,
	fuzz_page_owner, fuzz_perf, fuzz_picture, fuzz_proc, fuzz_ram,
	fuzz_report,
	fuzz_ring_page, fuzz_taskstats, fuzz_texts, fuzz_top,
	fuzz_verdict, fuzz_vmallocinfo, fuzz_zoneinfo;

#define REPORT_HEAD_BYTES 3u		/* in front of the trace of `report` */

/* A copy with an end byte behind it. */
char *ended(const void *bytes, size_t len);

/* The lines of a text. Each is without its newline, in memory of its exact size,
 * and gone at the next call; 0: there is no more. */
struct input {
	const uint8_t *at;
	size_t left;
	char *line;
	size_t len;
};

int input_line(struct input *t);

/* A listener of reports. Lines are printable and not too long, and none comes
 * behind the last one. In JSON they are objects, and the last one counts them. */
struct book {
	struct out out;			/* first */
	int json, ended;
	const char *last;		/* type of its last line; NULL: "end" */
	int64_t lines;
};

void book_line(struct out *o, const char *text, size_t len);
void must_print(const char *text, size_t len);

/*
 * What a line of the JSON report must be: an object of names in lower case,
 * whose values are whole numbers, null, plain strings, or lists of these or of
 * such objects. Stricter than JSON: no space, no float, no escape but \u00NN,
 * which is what report/json.c may write, whatever bytes a name has.
 */
int json_whole(const char *text, size_t len);
/* Is the line of this type? Its type is what it begins with. */
int json_is(const char *text, size_t len, const char *type);
/* The number behind a name of the outermost object; no string can look like
 * that, since there is no quote in one. -1: none, or null. */
int64_t json_get(const char *text, size_t len, const char *name);

#endif
