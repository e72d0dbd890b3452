/*
 * One line of the tracer's answer, taken apart: a JSON object whose values are
 * numbers, null, strings and lists of strings, as report_live() writes them.
 *
 * What must hold: any bytes are read within their bounds. A line that is
 * anything else is refused as a whole. Texts come out as printable ASCII, since
 * they go to a terminal.
 */
#ifndef MEMSTRACK_OBJECT_H
#define MEMSTRACK_OBJECT_H

#include "base/readfile.h"

#define MEMBERS_MAX 48u		/* the head has 25 */

struct object {
	unsigned int members;
	struct {
		struct word name, value;	/* a string without its quotes,
						 * a list without brackets */
		char kind;		/* '"', '[' or '0' */
	} member[MEMBERS_MAX];
};

/* 0 or -EINVAL. */
int object_parse(struct object *o, const char *line, size_t len);

/* UNKNOWN of report/line.h: null, not there, or not a number. */
uint64_t object_number(const struct object *o, const char *name);
/* Copies a text, cut to `size`, with an end byte; "" if there is none. */
void object_text(const struct object *o, const char *name, char *text,
		 size_t size);
/* Is it this text? */
int object_is(const struct object *o, const char *name, const char *text);

/* The strings of a list, one after the other: 0 at its end. */
struct word object_list(const struct object *o, const char *name);
int list_next(struct word *rest, char *text, size_t size);

#endif
