/* SPDX-License-Identifier: MIT */
/* See config.h, formats. */
#include <string.h>
#include "base/base.h"
#include "config/config.h"

static const char *const suffixes[FORMATS] = {
	[FORMAT_TEXT] = ".txt",
	[FORMAT_JSON] = ".json",
	[FORMAT_LINE] = ".line",
#ifndef WITHOUT_FOLDED
	[FORMAT_FOLDED_PEAK] = ".peak.folded",
	[FORMAT_FOLDED_TASKS] = ".tasks.folded",
	[FORMAT_FOLDED] = ".folded",
#endif
#ifndef WITHOUT_PROMETHEUS
	[FORMAT_PROMETHEUS] = ".prom",
#endif
#ifndef WITHOUT_SVG
	[FORMAT_SVG] = ".svg",
#endif
#ifndef WITHOUT_CHROME
	[FORMAT_CHROME] = ".chrome",
#endif
};

enum format format_of_file(const char *name, size_t len)
{
	enum format f = FORMAT_TEXT;

	for (; f < FORMATS; f++) {
		const size_t suffix = strlen(suffixes[f]);

		if (len > suffix &&
		    !memcmp(name + len - suffix, suffixes[f], suffix))
			break;
	}
	return f;
}

const char *format_name(enum format f, size_t *len)
{
	const char *name = FORMAT_NAMES;

	for (; f; f--)
		name += length_to(name, '|') + 1;
	*len = length_to(name, '|');
	return name;
}
