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
	FORMATS,
};

/* For --format=, in the order of the numbers. */
#define FORMAT_NAMES "text|json"

static inline int format_is_for_files(enum format f)
{
	return f > FORMAT_JSON;
}

/* The format that the end of a file's name stands for; FORMATS: none. */
enum format format_of_file(const char *name, size_t len);

#endif
