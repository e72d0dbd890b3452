/*
 * One line of a report, built piece by piece in a buffer of fixed size.
 *
 * What must hold: the text never grows past LINE_BYTES - 1, and holds only
 * printable ASCII whatever bytes a name has: a process may call itself
 * anything, and a report must not be forged, nor a terminal driven, by a name.
 * What does not fit is left out.
 */
#ifndef MEMSTRACK_LINE_H
#define MEMSTRACK_LINE_H

#include <stddef.h>
#include <stdint.h>
#include "limits.h"
#include "base/print.h"

/* How a byte that may not stand as it is gets written: \xNN or \u00NN. */
enum escape { ESCAPE_TEXT, ESCAPE_JSON };

struct line {
	size_t len;
	uint64_t page_kib;	/* for %p */
	enum escape escape;	/* of names */
	char *text;		/* LINE_BYTES */
};

void line_char(struct line *l, char c);
/* A text of ours, printable already. */
void line_str(struct line *l, const char *s);
/* A foreign one. */
void line_name(struct line *l, const char *s);
/* Up to its end byte or `size`, in at most `room` bytes, whole escapes only. */
void line_name_within(struct line *l, const char *s, size_t size, size_t room);
/* Spaces up to a column, one at least. */
void line_pad(struct line *l, size_t column);

/* A template of ours with one value for each mark:
 *	%u  number		%x  the same as 0x1f
 *	%p  pages, %k  KiB, %b  bytes, as 12K, 26.8M or 13.4G, rounded half up
 *	%M  pages, as 26.8MB (6861 pages)
 *	%i  signed number	%q  signed pages
 *	%t  ns, as +7.20 s	%d  ns, as 7.20 s
 *	%m  per mille, as 97.1 per cent, 0.0 at least
 *	%%  a per cent sign, of no value
 * UNKNOWN is null, as JSON has it. */
void line_fill(struct line *l, const char *template, const uint64_t *value);

/* No number that is counted, of either sign. */
#define UNKNOWN (UINT64_C(1) << 63)

static inline uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Never more than there are numbers for. */
uint64_t pages_kib(uint64_t pages, uint64_t page_kib);

#endif
