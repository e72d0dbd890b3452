/*
 * What text and JSON share: the line being written, where it goes, and what
 * was written so far.
 */
#ifndef MEMSTRACK_SHEET_H
#define MEMSTRACK_SHEET_H

#include "figures.h"
#include "select.h"

/* Of what was written: for the last line. */
enum { SHEET_LINES, SHEET_FRAMES, SHEET_UNNAMED, SHEET_COUNTS };

struct sheet {
	struct line line;
	const struct report *r;
	struct out *out;
	uint64_t count[SHEET_COUNTS];
	uint64_t value[FIGURES];
};

/* A sheet of zeroes, to be written for `r`. */
void sheet_start(struct sheet *s, const struct report *r, struct out *o);

/* The line goes out, the next begins. */
void sheet_emit(struct sheet *s);

/* A run of figures, from this one on. */
void sheet_figures(struct sheet *s, const char *template, enum figure first);

/* One frame, on a line of its own, counted. */
void sheet_frame(struct sheet *s, struct line *l, uint64_t addr, enum escape e);

#endif
