/* SPDX-License-Identifier: MIT */
/* Stacked areas: see formats.h, svg areas. */
#include "host/formats/formats.h"

#define LABEL_HEIGHT (15 * PX)
#define LABEL_COLUMNS 24u
#define LEGEND_ROW (19 * PX)

/* The edges of the area that is drawn now, at each point. */
struct edges {
	uint32_t low[PICTURE_POINTS], high[PICTURE_POINTS];
	uint64_t pages[PICTURE_POINTS];	/* below it, then with it */
	uint64_t most;			/* pages at the top of the plot */
	uint32_t top, bottom;
};

static void edges_init(struct edges *e, uint32_t points, uint64_t most,
		       uint32_t top, uint32_t bottom)
{
	e->most = most ? most : 1;
	e->top = top;
	e->bottom = bottom;
	for (uint32_t i = 0; i < points; i++) {
		e->pages[i] = 0;
		e->high[i] = bottom;
	}
}

static void edges_add(struct edges *e, uint32_t i, uint64_t pages)
{
	e->pages[i] += pages;
	e->low[i] = e->high[i];
	e->high[i] = e->bottom - svg_scale(e->pages[i], e->most,
					   e->bottom - e->top);
}

/* One edge, forwards or backwards; what lies on a level line is left out. */
static void put_edge(struct svg *g, const uint32_t *y, int forwards)
{
	const uint32_t points = g->p->points;

	for (uint32_t n = 0; n < points; n++) {
		const uint32_t i = forwards ? n : points - 1 - n;

		if (i && i < points - 1 && y[i] == y[i - 1] &&
		    y[i] == y[i + 1])
			continue;
		svg_break(g);
		svg_put(g, forwards && !n ? "M%e,%e" : " %e,%e",
			(const uint64_t[]){ g->x[i], y[i] });
		if (forwards && !n)
			svg_text(g, "L");
	}
}

/* Up to its title. */
static void put_area(struct svg *g, const struct edges *e, char colour)
{
	const char class[] = { 'a', colour, '\0' };

	svg_end(g);
	svg_text(g, "<path class=\"");
	svg_text(g, class);
	svg_text(g, "\" d=\"");
	put_edge(g, e->high, 1);
	put_edge(g, e->low, 0);
	svg_text(g, "Z\">");
	svg_end(g);
	svg_text(g, "<title>");
}

/* y at some x, on the line between two points. */
static uint32_t y_at(const struct svg *g, const uint32_t *y, uint32_t x)
{
	uint32_t i = 1;

	while (i < g->p->points - 1 && g->x[i] < x)
		i++;
	if (x >= g->x[i] || g->x[i] == g->x[i - 1])
		return y[i];
	return y[i] > y[i - 1] ?
	       y[i - 1] + svg_scale(x - g->x[i - 1], g->x[i] - g->x[i - 1],
				    y[i] - y[i - 1]) :
	       y[i - 1] - svg_scale(x - g->x[i - 1], g->x[i] - g->x[i - 1],
				    y[i - 1] - y[i]);
}

/* Between x and x + width: the lowest place of the upper edge and the highest of
 * the lower one. */
static void room_at(const struct svg *g, const struct edges *e, uint32_t x,
		    uint32_t width, uint32_t *top, uint32_t *bottom)
{
	*top = y_at(g, e->high, x);
	*bottom = y_at(g, e->low, x);
	for (uint32_t i = 0; i <= g->p->points; i++) {
		const int last = i == g->p->points;
		const uint32_t at = last ? x + width : g->x[i];
		const uint32_t high = last ? y_at(g, e->high, at) : e->high[i];
		const uint32_t low = last ? y_at(g, e->low, at) : e->low[i];

		if (at < x || at > x + width)
			continue;
		if (*top < high)
			*top = high;
		if (*bottom > low)
			*bottom = low;
	}
}

/* Where in the area there is most height for a text of this width: 0 if there
 * is not enough. */
static int find_room(const struct svg *g, const struct edges *e,
		     uint32_t width, uint32_t *x, uint32_t *y)
{
	uint32_t best = LABEL_HEIGHT - 1;

	for (uint32_t at = PLOT_LEFT + 4 * PX; at + width < PLOT_RIGHT;
	     at += 8 * PX) {
		uint32_t top, bottom;

		if (at < g->x[0])
			continue;
		room_at(g, e, at, width, &top, &bottom);
		if (bottom <= top + best)
			continue;
		best = bottom - top;
		*x = at;
		*y = top + best / 2 + 4 * PX;
	}
	return best >= LABEL_HEIGHT;
}

static uint32_t columns_of(const char *name, uint64_t pid)
{
	uint32_t n = 0;

	while (name[n] && n < LABEL_COLUMNS)
		n++;
	if (pid == UNKNOWN)
		return n;
	for (n += 3; pid >= 10; pid /= 10)
		n++;
	return n;
}

static void put_area_label(struct svg *g, const struct edges *e,
			   uint32_t chart, uint32_t b)
{
	const char class[] = {
		'i', ' ', 'i', svg_colour(g->p, chart, b), '\0'
	};
	const struct picture_name *n = &g->p->chart[chart].band[b];
	uint32_t x = 0, y = 0;

	if (!find_room(g, e, (columns_of(n->name, n->pid) + 2) * CHAR_WIDTH,
		       &x, &y))
		return;
	svg_label(g, class, x + CHAR_WIDTH, y, "");
	svg_named(g, n->name, n->pid, LABEL_COLUMNS);
	svg_text(g, "</text>");
}

/* A line of a legend, up to the name. */
static void begin_legend(struct svg *g, char colour, uint32_t y)
{
	svg_text(g, "<rect class=\"a");
	line_char(&g->s->line, colour);
	svg_put(g, "\" x=\"%e\" y=\"%e\" width=\"11\" height=\"11\" rx=\"2\"/>",
		(const uint64_t[]){ LEGEND_LEFT, y });
	svg_label(g, "", LEGEND_LEFT + 18 * PX, y + 10 * PX, "");
}

static void end_legend(struct svg *g, uint32_t y, const char *template,
		       uint64_t value)
{
	svg_text(g, "</text>");
	svg_label(g, "e", PAGE_RIGHT, y + 10 * PX, "");
	svg_value(g, template, value);
	svg_end(g);
}

/* The first band is at the bottom, and the last line of the legend. */
static void put_legend(struct svg *g, uint32_t chart, uint32_t top)
{
	const struct picture *p = g->p;
	const struct chart *c = &p->chart[chart];

	svg_label(g, "e s", PAGE_RIGHT, top - 4 * PX, "at the peak</text>");
	for (uint32_t n = 0; n < c->bands; n++) {
		const uint32_t b = c->bands - 1 - n;
		const uint32_t y = top + n * LEGEND_ROW + 4 * PX;

		begin_legend(g, svg_colour(p, chart, b), y);
		svg_named(g, c->band[b].name, c->band[b].pid, 18);
		end_legend(g, y, "%p</text>", p->point[p->peak].pages[chart][b]);
	}
}

/* The largest sum of all bands. */
static uint64_t chart_most(const struct picture *p, uint32_t chart)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < p->points; i++) {
		uint64_t sum = 0;

		for (uint32_t b = 0; b < p->chart[chart].bands; b++)
			sum += p->point[i].pages[chart][b];
		if (most < sum)
			most = sum;
	}
	return most;
}

/* Adds a band to the edges; returns the most pages that it has. */
static uint64_t add_band(const struct svg *g, struct edges *e, uint32_t chart,
			 uint32_t b)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < g->p->points; i++) {
		const uint32_t pages = g->p->point[i].pages[chart][b];

		edges_add(e, i, pages);
		if (most < pages)
			most = pages;
	}
	return most;
}

void svg_chart(struct svg *g, uint32_t chart, uint32_t top, uint32_t bottom)
{
	const struct picture *p = g->p;
	const struct chart *c = &p->chart[chart];
	const uint64_t all = chart_most(p, chart);
	struct edges e;

	edges_init(&e, p->points, all + all / 20, top, bottom);
	svg_size_axis(g, e.most, top, bottom);
	svg_time_axis(g, top, bottom);
	for (uint32_t b = 0; b < c->bands; b++) {
		const uint64_t most = add_band(g, &e, chart, b);

		if (!most)
			continue;
		put_area(g, &e, svg_colour(p, chart, b));
		svg_named(g, c->band[b].name, c->band[b].pid, LINE_BYTES);
		svg_put(g, ": at most %p, at the peak %p, at the end %p"
			"</title></path>",
			(const uint64_t[]){ most,
				p->point[p->peak].pages[chart][b],
				p->point[p->points - 1].pages[chart][b] });
		svg_end(g);
		put_area_label(g, &e, chart, b);
		svg_end(g);
	}
	put_legend(g, chart, top);
	svg_marks(g, top, bottom);
}

enum { BEFORE, AREAS, TRACED, FREE, PARTS };

static const struct part {
	const char *name, *sampled;	/* sampled: in such a ledger */
	char colour;
} parts[PARTS] = {
	[BEFORE] = { "used before, reserved", "used", 'n' },
	[AREAS] = { "areas since then", "", 'v' },
	[TRACED] = { "traced pages held", "", '0' },
	[FREE] = { "free", "free", 'f' },
};

static uint64_t part_pages(const struct svg *g, int part, uint32_t i)
{
	const struct picture *p = g->p;
	const uint64_t *value = p->point[i].value;
	const uint64_t areas = p->fact[FACT_SAMPLED] ? 0 :
				 value[POINT_AREAS];
	const uint64_t total = picture_pages(p, value[POINT_RAM_KIB]);
	const uint64_t free = picture_pages(p, value[POINT_FREE_KIB]);
	const uint64_t known = free + value[POINT_TRACED] + areas;

	return part == FREE ? free : part == TRACED ? value[POINT_TRACED] :
	       part == AREAS ? areas : total - smaller(total, known);
}

static uint64_t parts_most(const struct svg *g)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < g->p->points; i++) {
		uint64_t sum = 0;

		for (int part = 0; part < PARTS; part++)
			sum += part_pages(g, part, i);
		if (most < sum)
			most = sum;
	}
	return most;
}

static void put_parts_legend(struct svg *g, uint32_t top)
{
	const struct picture *p = g->p;
	const int sampled = p->fact[FACT_SAMPLED] != 0;
	uint32_t y = top + 4 * PX;

	svg_label(g, "e s", PAGE_RIGHT, top - 4 * PX, "at the peak</text>");
	for (int part = PARTS - 1; part >= 0; part--, y += LEGEND_ROW) {
		const struct part *k = &parts[part];

		if (sampled && !*k->sampled)
			continue;
		begin_legend(g, k->colour, y);
		svg_text(g, sampled ? k->sampled : k->name);
		end_legend(g, y, "%p</text>", part_pages(g, part, p->peak));
	}
	if (p->fact[FACT_HARD_KIB] == UNKNOWN)
		return;
	svg_line(g, "need", LEGEND_LEFT, y + 6 * PX, LEGEND_LEFT + 11 * PX,
		 y + 6 * PX);
	svg_label(g, "", LEGEND_LEFT + 18 * PX, y + 10 * PX,
		  "not reclaimable, at most");
	end_legend(g, y, "%k</text>", p->fact[FACT_HARD_KIB]);
}

/* A point of the line of what could not be given back. */
static void put_need(struct svg *g, uint64_t time_ns, uint64_t kib,
		     const struct edges *e)
{
	svg_break(g);
	svg_put(g, " %e,%e", (const uint64_t[]){
		svg_x(g, time_ns), e->bottom -
		svg_scale(kib, e->most * g->s->line.page_kib,
			  e->bottom - e->top) });
}

/* With its maximum, which may lie between two points. */
static void put_needs(struct svg *g, const struct edges *e)
{
	const uint64_t *fact = g->p->fact;
	int above = 0;

	if (fact[FACT_HARD_KIB] == UNKNOWN)
		return;
	svg_text(g, "<path class=\"need\" d=\"M");
	for (uint32_t i = 0; i < g->p->points; i++) {
		const uint64_t kib = g->p->point[i].value[POINT_HARD_KIB];
		const uint64_t time_ns = g->p->point[i].value[POINT_TIME_NS];

		if (!above && time_ns > fact[FACT_HARD_NS]) {
			put_need(g, fact[FACT_HARD_NS],
				 fact[FACT_HARD_KIB], e);
			above = 1;
		}
		if (kib != UNKNOWN)
			put_need(g, time_ns, kib, e);
	}
	svg_text(g, "\"/>");
	svg_end(g);
}

/* Bars too thin to draw: their titles show all figures of a point. */
static void put_points(struct svg *g, uint32_t top, uint32_t bottom)
{
	const struct picture *p = g->p;

	for (uint32_t i = 0; i < p->points; i++) {
		const uint64_t *value = p->point[i].value;
		const uint32_t from = i ? (g->x[i - 1] + g->x[i]) / 2 : g->x[i];
		const uint32_t to = i + 1 < p->points ?
				    (g->x[i] + g->x[i + 1]) / 2 : g->x[i];

		if (to == from)
			continue;
		svg_put(g, "<rect class=\"p\" x=\"%e\" y=\"%e\" width=\"%e\" "
			"height=\"%e\"><title>%t: free %k",
			(const uint64_t[]){ from, top, to - from, bottom - top,
				value[POINT_TIME_NS], value[POINT_FREE_KIB] });
		if (!p->fact[FACT_SAMPLED])
			svg_put(g, ", traced %p, areas %p",
				&value[POINT_TRACED]);
		if (value[POINT_HARD_KIB] != UNKNOWN)
			svg_value(g, ", not reclaimable %k",
				  value[POINT_HARD_KIB]);
		svg_text(g, "</title></rect>");
		svg_break(g);
	}
	svg_end(g);
}

void svg_machine(struct svg *g, uint32_t top, uint32_t bottom)
{
	const int sampled = g->p->fact[FACT_SAMPLED] != 0;
	struct edges e;

	edges_init(&e, g->p->points, parts_most(g), top, bottom);
	svg_size_axis(g, e.most, top, bottom);
	svg_time_axis(g, top, bottom);
	for (int part = 0; part < PARTS; part++) {
		const struct part *k = &parts[part];

		if (sampled && !*k->sampled)
			continue;
		for (uint32_t i = 0; i < g->p->points; i++)
			edges_add(&e, i, part_pages(g, part, i));
		put_area(g, &e, k->colour);
		svg_text(g, sampled ? k->sampled : k->name);
		svg_text(g, "</title></path>");
		svg_end(g);
	}
	put_needs(g, &e);
	put_parts_legend(g, top);
	svg_mark_labels(g, top);
	svg_marks(g, top, bottom);
	svg_phase_labels(g, top);
	put_points(g, top, bottom);
}
