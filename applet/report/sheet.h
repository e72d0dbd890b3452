/*
 * What text and JSON share: the line being written, where it goes, and the
 * figures, of what was written so far among them.
 */
#ifndef MEMSTRACK_SHEET_H
#define MEMSTRACK_SHEET_H

#include "report/figures.h"
#include "report/line.h"
#include "report/shown.h"

/* Behind the last line, of FIGURE_CUT. */
#define MORE_NOT_WRITTEN ", %u more not written: raise rd.memstrack.lines"

struct sheet {
	struct line line;	/* its escape says which of the two */
	const struct report *r;
	const struct ledger *ledger;	/* its own */
	struct out *out;
	int last;		/* of its lines: it always fits */
	uint64_t value[FIGURES];
	char text[LINE_BYTES];
};

/* `write` writes a whole report onto a sheet. */
void sheet_report(const struct report *r, struct out *o, enum escape e,
		  void (*write)(struct sheet *s));

/* The line goes out, if lines_max lets it; the next begins. */
void sheet_emit(struct sheet *s);
/* So it does behind this template. */
void sheet_line(struct sheet *s, const char *template, const uint64_t *value);

/* A template with one enum figure for each mark. */
void sheet_figures(struct sheet *s, const char *template, ...);

/* "stack 1 of 3", and whether it has frames. */
int sheet_stack(struct sheet *s, const struct shown *k);
/* One frame, counted. */
void sheet_frame(struct sheet *s, uint64_t addr);

#endif
