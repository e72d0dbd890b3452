/*
 * The formats of a report: their names, and the suffixes of files.
 *
 * A format that is left out of a build (APPLETS in the Makefile) has no number
 * here, so its name is refused like any other wrong word.
 */
#ifndef MEMSTRACK_FORMATS_H
#define MEMSTRACK_FORMATS_H

#include <stddef.h>

/* Those behind JSON are for a file, not for a log. */
enum format {
	FORMAT_TEXT, FORMAT_JSON,
#ifndef WITHOUT_SVG
	FORMAT_SVG,
#endif
#ifndef WITHOUT_CHROME
	FORMAT_CHROME,
#endif
	FORMATS,
};

/* For --format=, in the order of the numbers. */
#ifndef WITHOUT_SVG
#define SVG_NAME "|svg"
#else
#define SVG_NAME ""
#endif
#ifndef WITHOUT_CHROME
#define CHROME_NAME "|chrome"
#else
#define CHROME_NAME ""
#endif
#define FORMAT_NAMES "text|json" SVG_NAME CHROME_NAME

static inline int format_is_for_files(enum format f)
{
	return f > FORMAT_JSON;
}

/* A picture over time: it needs a history (ledger/history.h). */
static inline int format_needs_history(enum format f)
{
	int needs = 0;

#ifndef WITHOUT_SVG
	needs |= f == FORMAT_SVG;
#endif
#ifndef WITHOUT_CHROME
	needs |= f == FORMAT_CHROME;
#endif
	return needs;
}

/* The format that the end of a file's name stands for; FORMATS: none. */
enum format format_of_file(const char *name, size_t len);

#endif
