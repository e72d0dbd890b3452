/* SPDX-License-Identifier: MIT */
/*
 * The page of the picture, and how something is drawn on it.
 *
 * Lengths are tenths of a pixel, y goes down. The page is 1200 pixels wide: on
 * the left the axis and the plots, whose x is time, on the right the legends.
 * The width of a text is not known, so no text stands where a wide font would
 * not fit: a character counts as 6.6 pixels.
 */
#ifndef MEMSTRACK_SVG_PAGE_H
#define MEMSTRACK_SVG_PAGE_H

#include "report/picture.h"

#define PX 10u
#define PAGE_WIDTH (1200 * PX)
#define PLOT_LEFT (72 * PX)
#define PLOT_WIDTH (848 * PX)
#define PLOT_RIGHT (PLOT_LEFT + PLOT_WIDTH)
#define LEGEND_LEFT (944 * PX)
#define PAGE_RIGHT (1176 * PX)
#define CHAR_WIDTH 66u

struct svg {
	struct sheet *s;
	const struct picture *p;
	uint32_t x[PICTURE_POINTS];	/* of the points */
};

/* The part `value` of `whole`, of a length. */
uint32_t svg_scale(uint64_t value, uint64_t whole, uint32_t length);
uint32_t svg_x(const struct svg *g, uint64_t time_ns);

/* Adds a template of line.h with its values. */
void svg_put(struct svg *g, const char *template, const uint64_t *values);
/* Adds a template with one mark. */
void svg_value(struct svg *g, const char *template, uint64_t value);
/* Adds a text of our own. */
void svg_text(struct svg *g, const char *text);
/* Adds a name in so many columns, or its beginning and an ellipsis. Returns the
 * columns that it takes. */
uint32_t svg_name(struct svg *g, const char *name, uint32_t columns);
/* The same for a row of modules or of tasks, and for a band; with the pid of a
 * task. */
void svg_row_name(struct svg *g, enum table t, uint32_t row, uint32_t columns);
uint32_t svg_band_name(struct svg *g, const struct chart *c,
		       const struct band *b, uint32_t columns);
/* Sends the line if it is long, or at once. */
void svg_break(struct svg *g);
void svg_end(struct svg *g);

/* A text of our own at a place, up to "</text>". */
void svg_label(struct svg *g, const char *class, uint32_t x, uint32_t y,
	       const char *text);

/* The colour of a band: the class of its area. */
char svg_colour(const struct chart *c, uint32_t b);

/* Lines for the time at the bottom of a plot, with labels, and the marks. */
void svg_time_axis(struct svg *g, uint32_t top, uint32_t bottom);
void svg_marks(struct svg *g, uint32_t top, uint32_t bottom);
void svg_mark_labels(struct svg *g, uint32_t bottom);
/* Lines for so many pages at most, with labels. */
void svg_size_axis(struct svg *g, uint64_t most, uint32_t top,
		   uint32_t bottom);

#endif
