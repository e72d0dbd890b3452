/* SPDX-License-Identifier: MIT */
/* Bars: see parts.h, svg bars. */
#include "report/report.h"
#include "report/parts.h"

#define BAR_HEIGHT (11 * PX)
#define BAR_LEAST (2 * PX)

static uint64_t weight(const struct ledger *l, enum table t, uint32_t row)
{
	return t == TABLE_TASKS ? l->tasks.row[row].held_peak :
				  l->modules.row[row].held_peak;
}

/* Keeps the heaviest in order of weight; of two equal ones the first. */
static void offer(const struct ledger *l, struct bars *b, uint32_t row)
{
	const uint64_t heavy = weight(l, b->table, row);
	uint32_t at = b->count;

	b->of++;
	while (at && weight(l, b->table, b->row[at - 1]) < heavy)
		at--;
	if (at == BARS_MOST)
		return;
	if (b->count < BARS_MOST)
		b->count++;
	for (uint32_t i = b->count - 1; i > at; i--)
		b->row[i] = b->row[i - 1];
	b->row[at] = row;
}

static uint64_t begins(const struct picture *p, const struct bars *b,
		       uint32_t i)
{
	uint64_t begin_ns, end_ns;

	picture_span(p, b->table, b->row[i], &begin_ns, &end_ns);
	return begin_ns;
}

static void sort_by_time(const struct picture *p, struct bars *b)
{
	for (uint32_t i = 1; i < b->count; i++)
		for (uint32_t k = i; k && begins(p, b, k) < begins(p, b, k - 1);
		     k--) {
			const uint32_t row = b->row[k];

			b->row[k] = b->row[k - 1];
			b->row[k - 1] = row;
		}
}

void svg_bars_get(const struct picture *p, enum table t, struct bars *b)
{
	const struct ledger *l = p->ledger;
	const uint32_t rows = t == TABLE_TASKS ? l->tasks.used :
						 l->modules.used;
	uint64_t begin_ns, end_ns;

	*b = (struct bars){ .table = t };
	for (uint32_t i = 0; i < rows; i++)
		if (weight(l, t, i) &&
		    picture_span(p, t, i, &begin_ns, &end_ns))
			offer(l, b, i);
	sort_by_time(p, b);
}

/* The colour of the row's area; 'o' if it has none. */
static char colour_of(const struct chart *c, uint32_t row)
{
	for (uint32_t b = 0; b < c->bands; b++)
		if (c->band[b].column < HISTORY_COLUMNS &&
		    c->series->column[c->band[b].column].row == row)
			return svg_colour(c, b);
	return 'o';
}

static void put_bar(struct svg *g, const struct bars *b, uint32_t i,
		    const struct chart *c, uint32_t y)
{
	const struct ledger *l = g->p->ledger;
	const uint32_t row = b->row[i];
	const char class[] = { 'a', colour_of(c, row), '\0' };
	uint64_t begin_ns, end_ns;
	uint32_t x, width, columns;

	picture_span(g->p, b->table, row, &begin_ns, &end_ns);
	x = svg_x(g, begin_ns);
	width = svg_x(g, end_ns) - x;
	if (width < BAR_LEAST)
		width = BAR_LEAST;
	svg_text(g, "<rect class=\"");
	svg_text(g, class);
	svg_put(g, "\" x=\"%e\" y=\"%e\" width=\"%e\" height=\"%e\" rx=\"2\">"
		"<title>",
		(const uint64_t[]){ x, y + 3 * PX, width, BAR_HEIGHT });
	svg_row_name(g, b->table, row, LINE_BYTES);
	svg_put(g, ": %t to %t, at most %p, ",
		(const uint64_t[]){ begin_ns, end_ns,
			weight(l, b->table, row) });
	svg_text(g, row_state(l, b->table, row));
	svg_text(g, "</title></rect>");
	svg_end(g);
	/* With a pid and a size. */
	columns = 20;
	while (columns < 42 && row_name(l, b->table, row)[columns - 20])
		columns++;
	columns *= CHAR_WIDTH;
	if (x + width + columns < PLOT_RIGHT)
		svg_label(g, "", x + width + 6 * PX, y + 13 * PX, "");
	else if (x > PLOT_LEFT + columns)
		svg_label(g, "e", x - 6 * PX, y + 13 * PX, "");
	else
		svg_label(g, "", LEGEND_LEFT, y + 13 * PX, "");
	svg_row_name(g, b->table, row, 22);
	svg_value(g, "<tspan class=\"s\">  %p</tspan></text>",
		  weight(l, b->table, row));
	svg_end(g);
}

void svg_bars(struct svg *g, const struct bars *b, const struct chart *c,
	      uint32_t top)
{
	const uint32_t bottom = top + b->count * BAR_ROW + 4 * PX;

	svg_time_axis(g, top, bottom);
	svg_marks(g, top, bottom);
	for (uint32_t i = 0; i < b->count; i++)
		put_bar(g, b, i, c, top + i * BAR_ROW + 2 * PX);
}
