/* SPDX-License-Identifier: MIT */
/*
 * One line of a report, built piece by piece in a buffer of fixed size.
 *
 * What must hold: the text is never longer than LINE_BYTES - 1, and contains
 * only printable ASCII, whatever bytes a name has. A process may give itself
 * any name, and no name may forge a report or send commands to a terminal. What
 * does not fit is left out.
 */
#ifndef MEMSTRACK_LINE_H
#define MEMSTRACK_LINE_H

#include <stddef.h>
#include <stdint.h>
#include "limits.h"
#include "base/print.h"

/* How a byte that may not be printed is written: \xNN or \u00NN. In a label of
 * Prometheus the backslash is itself escaped: \\xNN. A folded stack has no spaces
 * and no semicolons within names: they become '_' and ':'. In XML as in text, but
 * &lt; and the like. */
enum escape {
	ESCAPE_TEXT, ESCAPE_JSON, ESCAPE_LABEL, ESCAPE_FOLDED, ESCAPE_XML,
};

struct session;

struct line {
	size_t len;
	uint64_t page_kib;	/* for %p */
	enum escape escape;	/* of names */
	char *text;		/* LINE_BYTES */
};

void line_char(struct line *l, char c);
/* Adds a text of our own, which is printable. */
void line_str(struct line *l, const char *s);
/* Adds a name that we did not choose. */
void line_name(struct line *l, const char *s);
/* Adds a name up to its end byte or `size`, in at most `room` bytes, without
 * cutting an escape. */
void line_name_within(struct line *l, const char *s, size_t size, size_t room);
/* Adds spaces up to a column, at least one. */
void line_pad(struct line *l, size_t column);
/* Moves the text from `from` on to the right, so that it ends at a column. At
 * least one space comes before it. */
void line_right(struct line *l, size_t from, size_t column);

/* Adds a template of ours, with one value for each mark:
 *	%u  number		%x  the same as 0x1f
 *	%p  pages, %k  KiB, %b  bytes, as 12K, 26.8M or 13.4G, rounded half up
 *	%M  pages, as 26.8MB (6861 pages)
 *	%i  signed number	%q  signed pages
 *	%t  ns, as +7.20 s	%d  ns, as 7.20 s
 *	%m  per mille, as 97.1 per cent, at least 0.0
 *	%e  tenths, as 12.3
 *	%s  an s, unless the value before it was 1: it takes no value
 *	%%  a per cent sign, which takes no value
 * UNKNOWN becomes null, as in JSON. */
void line_fill(struct line *l, const char *template, const uint64_t *value);
/* Adds a template with one mark or none. */
void line_value(struct line *l, const char *template, uint64_t value);
/* The same, so that it ends at a column. */
void line_figure(struct line *l, size_t column, const char *template,
		 uint64_t value);

/* A value that no count of either sign can have. */
#define UNKNOWN (UINT64_C(1) << 63)

static inline uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* part / all in parts of `scale`, rounded to the nearest one; 0 of nothing. Of
 * numbers that no machine has, less exactly. */
int64_t share_of(int64_t part, int64_t all, int64_t scale);

/* The KiB of so many pages; the largest number if the product is too large. */
uint64_t pages_kib(uint64_t pages, uint64_t page_kib);
/* The same for pages of the machine. */
uint64_t session_kib(const struct session *s, uint64_t pages);

#endif
