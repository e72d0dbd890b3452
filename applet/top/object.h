/* SPDX-License-Identifier: MIT */
/*
 * What is asked of a line of the tracer's answer, which report_live() writes: a
 * JSON object (base/parsed.h). Texts come out as printable ASCII, since they go
 * to a terminal; what is not there, or of another kind, is none.
 */
#ifndef MEMSTRACK_OBJECT_H
#define MEMSTRACK_OBJECT_H

#include "base/parsed.h"

/* UNKNOWN of report/line.h: null, not there, or not a number. */
uint64_t object_number(const struct parsed *o, const char *name);
/* Copies a text, cut to `size`, with an end byte; "" if there is none. `size`
 * is LINE_BYTES at most. */
void object_text(const struct parsed *o, const char *name, char *text,
		 size_t size);
/* Is it this text? */
int object_is(const struct parsed *o, const char *name, const char *text);

/* The strings of a list, one after the other: 0 at its end. */
struct word object_list(const struct parsed *o, const char *name);
int list_next(struct word *rest, char *text, size_t size);

#endif
