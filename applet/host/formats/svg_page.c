/* SPDX-License-Identifier: MIT */
/* Texts, scales and axes of the picture: see formats.h, svg page. */
#include <string.h>
#include "host/formats/formats.h"

/* A line with more bytes is sent: what comes next has room. */
#define LINE_ENOUGH 480u
#define LABEL_ROW (15 * PX)
#define TICKS_MOST 12u

/* Products fit 64 bits, because a length has less than 14. */
uint32_t svg_scale(uint64_t value, uint64_t whole, uint32_t length)
{
	if (value >= whole)
		return length;
	for (; whole >> 48; whole >>= 1)
		value >>= 1;
	return (uint32_t)(value * length / whole);
}

uint32_t svg_x(const struct svg *g, uint64_t time_ns)
{
	const struct picture *p = g->p;

	return PLOT_LEFT + svg_scale(picture_time(p, time_ns) -
				     p->fact[FACT_FROM_NS],
				     p->fact[FACT_UNTIL_NS] -
				     p->fact[FACT_FROM_NS], PLOT_WIDTH);
}

void svg_put(struct svg *g, const char *template, const uint64_t *values)
{
	line_fill(&g->s->line, template, values);
}

void svg_value(struct svg *g, const char *template, uint64_t value)
{
	line_value(&g->s->line, template, value);
}

void svg_text(struct svg *g, const char *text)
{
	line_str(&g->s->line, text);
}

static int takes_one(unsigned char c)
{
	return c >= 0x20 && c <= 0x7e && c != '\\';
}

uint32_t svg_name(struct svg *g, const char *name, uint32_t columns)
{
	uint32_t wide = 0, len = 0;

	for (; name[len]; len++) {
		const uint32_t more = takes_one((unsigned char)name[len]) ?
				      1 : 4;

		if (wide + more > columns)
			break;
		wide += more;
	}
	if (name[len] && len)
		len--;
	line_name_within(&g->s->line, name, len, LINE_BYTES);
	if (name[len])
		svg_text(g, "&#8230;");
	return wide;
}

uint32_t svg_named(struct svg *g, const char *name, uint64_t pid,
		   uint32_t columns)
{
	uint32_t wide = svg_name(g, name, columns);

	if (pid == UNKNOWN)
		return wide;
	svg_value(g, "[%u]", pid);
	for (wide += 3; pid >= 10; pid /= 10)
		wide++;
	return wide;
}

void svg_end(struct svg *g)
{
	if (g->s->line.len)
		sheet_emit(g->s);
}

void svg_break(struct svg *g)
{
	if (g->s->line.len > LINE_ENOUGH)
		sheet_emit(g->s);
}

void svg_label(struct svg *g, const char *class, uint32_t x, uint32_t y,
	       const char *text)
{
	svg_break(g);
	svg_put(g, "<text x=\"%e\" y=\"%e\"", (const uint64_t[]){ x, y });
	if (*class) {
		svg_text(g, " class=\"");
		svg_text(g, class);
		line_char(&g->s->line, '"');
	}
	line_char(&g->s->line, '>');
	svg_text(g, text);
}

char svg_colour(const struct picture *p, uint32_t chart, uint32_t b)
{
	const struct chart *c = &p->chart[chart];

	if (b + 1 == c->bands)
		return 'o';
	if (b < c->fixed)
		return chart == CHART_TASKS ? 'v' : 'n';
	return (char)('0' + b - c->fixed);
}

void svg_line(struct svg *g, const char *class, uint32_t x1, uint32_t y1,
	      uint32_t x2, uint32_t y2)
{
	svg_break(g);
	svg_text(g, "<path class=\"");
	svg_text(g, class);
	svg_put(g, "\" d=\"M%e,%eL%e,%e\"/>",
		(const uint64_t[]){ x1, y1, x2, y2 });
}

/* 1, 2 or 5 times a power of ten: at most `most` steps in `span`. */
static uint64_t round_step(uint64_t span, uint64_t unit, uint32_t most)
{
	static const uint8_t times[] = { 1, 2, 5 };

	for (;; unit *= 10)
		for (unsigned int i = 0; i < ARRAY_LEN(times); i++)
			if (span / (unit * times[i]) < most ||
			    unit > UINT64_MAX / 100)
				return unit * times[i];
}

void svg_time_axis(struct svg *g, uint32_t top, uint32_t bottom)
{
	const struct picture *p = g->p;
	const uint64_t from_ns = p->fact[FACT_FROM_NS];
	const uint64_t until_ns = p->fact[FACT_UNTIL_NS];
	const uint64_t step = round_step(until_ns - from_ns, 1000, 10);
	uint64_t at = (from_ns / step + (from_ns % step != 0)) * step;

	for (uint32_t n = 0; n < TICKS_MOST && at >= from_ns &&
	     at <= until_ns; n++, at += step) {
		const uint32_t x = svg_x(g, at);

		svg_line(g, "g", x, top, x, bottom + 4 * PX);
		svg_label(g, "m", x, bottom + 17 * PX, "");
		if (step >= 1000000000)
			svg_value(g, "%u s</text>", at / 1000000000);
		else if (step >= 10000000)
			svg_value(g, "%d</text>", at);
		else
			svg_value(g, "%u us</text>", at / 1000);
	}
	svg_line(g, "b", PLOT_LEFT, bottom, PLOT_RIGHT, bottom);
	svg_end(g);
}

void svg_size_axis(struct svg *g, uint64_t most, uint32_t top,
		   uint32_t bottom)
{
	const uint64_t kib = pages_kib(most, g->s->line.page_kib);
	const char *letter = "KMGTP";
	uint64_t unit = 1, step;

	for (; kib / unit >= 2048 && letter[1]; letter++)
		unit *= 1024;
	step = round_step(kib / unit, 1, 6) * unit;
	for (uint64_t at = step; at <= kib && at >= step; at += step) {
		const uint32_t y = bottom - svg_scale(at, kib, bottom - top);

		svg_line(g, "g", PLOT_LEFT, y, PLOT_RIGHT, y);
		svg_label(g, "e", PLOT_LEFT - 8 * PX, y + 4 * PX, "");
		svg_value(g, "%u", at / unit);
		line_char(&g->s->line, *letter);
		svg_text(g, "</text>");
	}
	svg_label(g, "e", PLOT_LEFT - 8 * PX, bottom + 4 * PX, "0</text>");
	svg_end(g);
}

/* The moments that are marked. */
enum { MARK_KILL, MARK_HARD, MARK_PEAK, MARK_LOW, MARKS };

static const struct mark {
	char line[5], label[3], behind[5];	/* classes; behind: the text stands
						 * left of the line */
	const char *text;
} marks[MARKS] = {
	[MARK_KILL] = { "kill", "tk", "tk e", "OOM kill, %t</text>" },
	[MARK_HARD] = { "hard", "", "e",
			"most that could not be reclaimed %k, %t</text>" },
	[MARK_PEAK] = { "peak", "tp", "tp e", "peak: most used, %t</text>" },
	[MARK_LOW] = { "low", "tl", "tl e", "lowest free %k, %t</text>" },
};

/* The values of its text, the last of which is its time. Returns how many: 0, it
 * is not known. */
static unsigned int mark_values(const struct svg *g, int mark,
				uint64_t value[2])
{
	const struct picture *p = g->p;

	switch (mark) {
	case MARK_KILL:
		value[0] = p->kill_ns[0];
		return p->kills != 0;
	case MARK_HARD:
		value[0] = p->fact[FACT_HARD_KIB];
		value[1] = p->fact[FACT_HARD_NS];
		return p->points && value[0] != UNKNOWN ? 2 : 0;
	case MARK_PEAK:
		value[0] = p->fact[FACT_PEAK_NS];
		return p->points != 0;
	default:
		value[0] = p->fact[FACT_FREE_LOWEST_KIB];
		value[1] = p->fact[FACT_FREE_LOWEST_NS];
		return p->points ? 2 : 0;
	}
}

void svg_marks(struct svg *g, uint32_t top, uint32_t bottom)
{
	uint64_t value[2];
	unsigned int n;

	for (int mark = MARK_HARD; mark < MARKS; mark++) {
		n = mark_values(g, mark, value);
		if (n)
			svg_line(g, marks[mark].line, svg_x(g, value[n - 1]),
				 top, svg_x(g, value[n - 1]), bottom);
	}
	for (uint32_t i = 0; i < g->p->kills; i++) {
		const uint32_t x = svg_x(g, g->p->kill_ns[i]);

		svg_line(g, "kill", x, top, x, bottom);
	}
	for (uint32_t i = 0; i < g->p->phases.used; i++) {
		const uint32_t x = svg_x(g, g->p->phases.phase[i].time_ns);

		svg_line(g, "b", x, top, x, bottom);
	}
	svg_end(g);
}

/* In three rows, because some phases are short; of many short ones some have no
 * label. */
void svg_phase_labels(struct svg *g, uint32_t top)
{
	const struct phases *p = &g->p->phases;
	uint32_t end[3] = { 0 };	/* of the last label in each row */

	for (uint32_t i = 0; i < p->used; i++) {
		const uint32_t x = svg_x(g, p->phase[i].time_ns) + 3 * PX;
		const uint32_t len = (uint32_t)strlen(p->phase[i].name);
		uint32_t row = 0;

		while (row < ARRAY_LEN(end) && end[row] > x)
			row++;
		if (row == ARRAY_LEN(end) || x + len * 7 * PX > PLOT_RIGHT)
			continue;
		end[row] = x + len * 7 * PX;
		svg_label(g, "s", x, top + 12 * PX + row * LABEL_ROW, "");
		svg_named(g, p->phase[i].name, UNKNOWN, PHASE_NAME_BYTES);
		svg_text(g, "</text>");
	}
	svg_end(g);
}

/* Each on the side of its line where there is more room. */
void svg_mark_labels(struct svg *g, uint32_t bottom)
{
	uint64_t value[2];

	for (int mark = MARKS - 1; mark >= 0; mark--) {
		const struct mark *k = &marks[mark];
		const unsigned int n = mark_values(g, mark, value);
		uint32_t x;

		if (!n)
			continue;
		bottom -= LABEL_ROW;
		x = svg_x(g, value[n - 1]);
		if (x > PLOT_LEFT + PLOT_WIDTH / 2)
			svg_label(g, k->behind, x - 5 * PX, bottom + 11 * PX, "");
		else
			svg_label(g, k->label, x + 5 * PX, bottom + 11 * PX, "");
		svg_put(g, k->text, value);
	}
	svg_end(g);
}
