/* SPDX-License-Identifier: MIT */
/*
 * `format` files of tracepoints, as kernels print them and as none does, in
 * tests/fuzz/corpus/format. In those without a version the fields are as every
 * kernel has them.
 */
#ifndef FORMATS_H
#define FORMATS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/system.h"
#include "source/tracefs/tracefs.h"

/* The text of a file, until the next call. */
static inline const char *format_text(const char *file)
{
	static char text[8192];
	char path[80];

	snprintf(path, sizeof(path), "tests/fuzz/corpus/format/%s", file);
	if (readfile(path, text, sizeof(text)) < 0)
		abort();
	return text;
}

static inline int format_point(struct point *p, enum tracepoint tp,
			       const char *file)
{
	const char *text = format_text(file);

	return point_parse(p, tp, text, strlen(text));
}

#endif
