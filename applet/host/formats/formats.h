/* SPDX-License-Identifier: MIT */
/*
 * Formats of a report that only a host's binary has: pictures, call chains for
 * viewers, figures for a monitoring system; and the report of the kernel's own
 * books.
 *
 * Each is a report_json() of its own, of the same ledger and session. No other
 * room knows them: report_write_of_host() (report.h) is all that they offer.
 */
#ifndef MEMSTRACK_FORMATS_FORMATS_H
#define MEMSTRACK_FORMATS_FORMATS_H

#include "report/parts.h"
#include "report/report.h"

/* For viewers of call chains, in any of the three forms: see folded.c. */
void report_folded(const struct report *r, enum format format, struct out *o);
/* For node_exporter: see prometheus.c. */
void report_prometheus(const struct report *r, struct out *o);
/* Pictures: see svg.c and chrome.c. No bound on lines cuts them. */
void report_svg(const struct report *r, struct out *o);
void report_chrome(const struct report *r, struct out *o);
/* What the kernel's own books hold (ledger/history.h, books), as text or JSON.
 * */
void report_books(const struct report *r, enum format format, struct out *o);

/*
 * --- svg page
 *
 * The page of the picture, and how something is drawn on it.
 *
 * Lengths are tenths of a pixel, y goes down. The page is 1200 pixels wide: on
 * the left the axis and the plots, whose x is time, on the right the legends.
 * The width of a text is not known, so no text stands where a wide font would
 * not fit: a character counts as 6.6 pixels.
 */

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

/* Adds a template of report.h, line with its values. */
void svg_put(struct svg *g, const char *template, const uint64_t *values);
/* Adds a template with one mark. */
void svg_value(struct svg *g, const char *template, uint64_t value);
/* Adds a text of our own. */
void svg_text(struct svg *g, const char *text);
/* Adds a name cut to so many columns, with an ellipsis if it was cut. Returns
 * the columns used. */
uint32_t svg_name(struct svg *g, const char *name, uint32_t columns);
/* The same with the pid of a task. */
uint32_t svg_named(struct svg *g, const char *name, uint64_t pid,
		   uint32_t columns);
/* Sends the line if it is long, or at once. */
void svg_break(struct svg *g);
void svg_end(struct svg *g);

/* A text of our own at a place, up to "</text>". */
void svg_label(struct svg *g, const char *class, uint32_t x, uint32_t y,
	       const char *text);

/* The colour of a band: the class of its area. */
char svg_colour(const struct picture *p, uint32_t chart, uint32_t b);

/* A line from (x1, y1) to (x2, y2). */
void svg_line(struct svg *g, const char *class, uint32_t x1, uint32_t y1,
	      uint32_t x2, uint32_t y2);
/* Lines for the time at the bottom of a plot, with labels, and the marks. */
void svg_time_axis(struct svg *g, uint32_t top, uint32_t bottom);
void svg_marks(struct svg *g, uint32_t top, uint32_t bottom);
void svg_mark_labels(struct svg *g, uint32_t bottom);
void svg_phase_labels(struct svg *g, uint32_t top);
/* Lines for pages, up to this number at most, with labels. */
void svg_size_axis(struct svg *g, uint64_t most, uint32_t top,
		   uint32_t bottom);

/*
 * --- svg areas
 *
 * Stacked areas over time, each with its title and colour, labels in them where
 * they fit, and a legend in their order.
 */

/* The bands of a chart, between these two. */
void svg_chart(struct svg *g, uint32_t chart, uint32_t top, uint32_t bottom);
/* All memory: used before, areas, traced, free. */
void svg_machine(struct svg *g, uint32_t top, uint32_t bottom);

/*
 * --- svg bars
 *
 * Loads of modules and lives of processes, as bars over time: the largest,
 * ordered by their beginnings, each with its title.
 */

#define BARS_MOST 24u
#define BAR_ROW (17 * PX)

struct bars {
	uint32_t chart;			/* whose colours they have */
	uint32_t count, of;		/* shown; known */
	struct picture_span span[BARS_MOST];
};

void svg_bars_get(const struct picture *p, uint32_t chart, struct bars *b);
/* Below `top` each bar has BAR_ROW. */
void svg_bars(struct svg *g, const struct bars *b, uint32_t top);

#endif
