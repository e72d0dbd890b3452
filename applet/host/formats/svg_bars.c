/* SPDX-License-Identifier: MIT */
/* Bars: see formats.h, svg bars. */
#include "host/formats/formats.h"

#define BAR_HEIGHT (11 * PX)
#define BAR_LEAST (2 * PX)

/* Keeps the heaviest in order of weight; of two equal ones the first. */
static void offer(struct bars *b, const struct picture_span *s)
{
	uint32_t at = b->count;

	b->of++;
	while (at && b->span[at - 1].value[SPAN_HELD_PEAK] <
		     s->value[SPAN_HELD_PEAK])
		at--;
	if (at == BARS_MOST)
		return;
	if (b->count < BARS_MOST)
		b->count++;
	for (uint32_t i = b->count - 1; i > at; i--)
		b->span[i] = b->span[i - 1];
	b->span[at] = *s;
}

static void sort_by_time(struct bars *b)
{
	for (uint32_t i = 1; i < b->count; i++)
		for (uint32_t k = i; k && b->span[k].value[SPAN_BEGIN_NS] <
			     b->span[k - 1].value[SPAN_BEGIN_NS]; k--) {
			const struct picture_span later = b->span[k - 1];

			b->span[k - 1] = b->span[k];
			b->span[k] = later;
		}
}

void svg_bars_get(const struct picture *p, uint32_t chart, struct bars *b)
{
	const enum table t = chart_table(chart);
	struct picture_span s;

	b->chart = chart;
	b->count = b->of = 0;
	for (uint32_t i = 0; i < p->spans[t]; i++)
		if (p->get_span(p, t, i, &s) && s.value[SPAN_HELD_PEAK])
			offer(b, &s);
	sort_by_time(b);
}

/* The colour of the row's area; 'o' if it has none. */
static char colour_of(const struct picture *p, uint32_t chart, uint64_t row)
{
	const struct chart *c = &p->chart[chart];

	for (uint32_t b = 0; b < c->bands; b++)
		if (c->band[b].row == row)
			return svg_colour(p, chart, b);
	return 'o';
}

static void put_bar(struct svg *g, const struct bars *b, uint32_t i,
		    uint32_t y)
{
	const struct picture_span *s = &b->span[i];
	const char class[] = {
		'a', colour_of(g->p, b->chart, s->value[SPAN_ROW]), '\0'
	};
	const uint32_t x = svg_x(g, s->value[SPAN_BEGIN_NS]);
	uint32_t width = svg_x(g, s->value[SPAN_END_NS]) - x, columns;

	if (width < BAR_LEAST)
		width = BAR_LEAST;
	svg_text(g, "<rect class=\"");
	svg_text(g, class);
	svg_put(g, "\" x=\"%e\" y=\"%e\" width=\"%e\" height=\"%e\" rx=\"2\">"
		"<title>",
		(const uint64_t[]){ x, y + 3 * PX, width, BAR_HEIGHT });
	svg_named(g, s->name, s->value[SPAN_PID], LINE_BYTES);
	svg_put(g, ": %t to %t, at most %p, ",
		(const uint64_t[]){ s->value[SPAN_BEGIN_NS],
			s->value[SPAN_END_NS], s->value[SPAN_HELD_PEAK] });
	svg_name(g, s->state, STATE_BYTES);
	svg_text(g, "</title></rect>");
	svg_end(g);
	/* With a pid and a size. */
	columns = 20;
	while (columns < 42 && s->name[columns - 20])
		columns++;
	columns *= CHAR_WIDTH;
	if (x + width + columns < PLOT_RIGHT)
		svg_label(g, "", x + width + 6 * PX, y + 13 * PX, "");
	else if (x > PLOT_LEFT + columns)
		svg_label(g, "e", x - 6 * PX, y + 13 * PX, "");
	else
		svg_label(g, "", LEGEND_LEFT, y + 13 * PX, "");
	svg_named(g, s->name, s->value[SPAN_PID], 22);
	svg_value(g, "<tspan class=\"s\">  %p</tspan></text>",
		  s->value[SPAN_HELD_PEAK]);
	svg_end(g);
}

void svg_bars(struct svg *g, const struct bars *b, uint32_t top)
{
	const uint32_t bottom = top + b->count * BAR_ROW + 4 * PX;

	svg_time_axis(g, top, bottom);
	svg_marks(g, top, bottom);
	for (uint32_t i = 0; i < b->count; i++)
		put_bar(g, b, i, top + i * BAR_ROW + 2 * PX);
}
