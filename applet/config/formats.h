/* SPDX-License-Identifier: MIT */
/*
 * The formats of a report: their names, and the suffixes of files.
 *
 * A format that is left out of a build (APPLETS in the Makefile) has no number
 * here, so its name is refused like any other wrong word.
 */
#ifndef MEMSTRACK_FORMATS_H
#define MEMSTRACK_FORMATS_H

#include <stddef.h>

/* Those behind FORMAT_LINE are for a file, not for a log. */
enum format {
	FORMAT_TEXT, FORMAT_JSON, FORMAT_LINE,
#ifndef WITHOUT_FOLDED
	FORMAT_FOLDED_PEAK, FORMAT_FOLDED_TASKS, FORMAT_FOLDED,
#endif
#ifndef WITHOUT_PROMETHEUS
	FORMAT_PROMETHEUS,
#endif
#ifndef WITHOUT_SVG
	FORMAT_SVG,
#endif
#ifndef WITHOUT_CHROME
	FORMAT_CHROME,
#endif
	FORMATS,
};

#ifdef WITHOUT_FOLDED
#define NAMES_FOLDED ""
#else
#define NAMES_FOLDED "|folded-peak|folded-tasks|folded"
#endif
#ifdef WITHOUT_PROMETHEUS
#define NAMES_PROMETHEUS ""
#else
#define NAMES_PROMETHEUS "|prometheus"
#endif

#ifdef WITHOUT_SVG
#define NAMES_SVG ""
#else
#define NAMES_SVG "|svg"
#endif
#ifdef WITHOUT_CHROME
#define NAMES_CHROME ""
#else
#define NAMES_CHROME "|chrome"
#endif

/* For --format=, in the order of the numbers. */
#define FORMAT_NAMES "text|json|line" NAMES_FOLDED NAMES_PROMETHEUS NAMES_SVG \
	NAMES_CHROME

static inline int format_is_for_files(enum format f)
{
	return f > FORMAT_LINE;
}

/* Does it show each stack that is held, whatever the level? */
static inline int format_has_all_stacks(enum format f)
{
#ifdef WITHOUT_FOLDED
	return f == FORMATS;
#else
	return f >= FORMAT_FOLDED_PEAK && f <= FORMAT_FOLDED;
#endif
}

/* Is such a file for programs of other users? */
static inline int format_is_public(enum format f)
{
#ifdef WITHOUT_PROMETHEUS
	return f == FORMATS;
#else
	return f == FORMAT_PROMETHEUS;
#endif
}

/* A picture over time: it needs a history (ledger/history.h). */
static inline int format_needs_history(enum format f)
{
#ifndef WITHOUT_SVG
	if (f == FORMAT_SVG)
		return 1;
#endif
#ifndef WITHOUT_CHROME
	if (f == FORMAT_CHROME)
		return 1;
#endif
	return f == FORMATS + 1;	/* no other one */
}

/* Its name, of *len bytes. */
const char *format_name(enum format f, size_t *len);

/* The format that the end of a file's name stands for; FORMATS: none. */
enum format format_of_file(const char *name, size_t len);

#endif
