/* SPDX-License-Identifier: MIT */
/*
 * What text and JSON share: the current line, its destination, and the figures,
 * which include the number of lines written so far.
 */
#ifndef MEMSTRACK_SHEET_H
#define MEMSTRACK_SHEET_H

#include "report/figures.h"
#include "report/line.h"
#include "report/shown.h"

/* Added to the last line, with FIGURE_CUT. */
#define MORE_NOT_WRITTEN ", %u more not written: raise rd.memstrack.lines"

/* Columns of a report's text. Only an answer's first line, and a line without a
 * place to break it, may be longer. */
#define TEXT_COLUMNS 100u
#define NAME_COLUMN 24u		/* the first figure of a row ends 8 columns on */
#define FIGURE_COLUMNS 8u

/* Stacks of modules that a table of tasks can refer to; at level 3, to all. */
#define REFERRED_MAX 64u

struct sheet {
	struct line line;	/* its escape tells text from JSON */
	const struct report *r;
	const struct ledger *ledger;	/* of the report */
	struct out *out;
	int last;		/* the last line, which always fits */
	uint32_t columns;	/* longer lines are broken; 0: none is */
	/* Leaves of the stacks of modules that were shown; or all were. */
	uint32_t shown_leaf[REFERRED_MAX], shown_leaves;
	int all_leaves;
	uint64_t value[FIGURES];
	char text[LINE_BYTES];
};

/* Writes a whole report onto a sheet, by `write`. */
void sheet_report(const struct report *r, struct out *o, enum escape e,
		  void (*write)(struct sheet *s));

/* lines_max permits no more lines but the last. */
int sheet_is_full(const struct sheet *s);
/* Sends the line if lines_max permits, and begins the next one. A line that is
 * too long is broken behind a comma, a semicolon or before a second space. */
void sheet_emit(struct sheet *s);
/* Adds this template and sends the line. */
void sheet_line(struct sheet *s, const char *template, const uint64_t *value);

/* A template with one enum figure for each mark. */
void sheet_figures(struct sheet *s, const char *template, ...);

/* Writes "stack 1 of 3", and returns whether the stack has frames. */
int sheet_stack(struct sheet *s, const struct shown *k);
/* Writes one frame and counts it. */
void sheet_frame(struct sheet *s, uint64_t addr);
/* Writes a caller of vmalloc without its module. It counts as a frame if its
 * address is known. */
void sheet_caller(struct sheet *s, const struct caller *c);

#endif
