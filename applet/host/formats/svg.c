/* SPDX-License-Identifier: MIT */
/*
 * The report as one picture of the boot, for people: free memory, what could not
 * be given back, and what was held over time, by kind, by module and by task;
 * loads of modules and lives of processes, the peak, the kernel and its command
 * line.
 *
 * The output is one SVG file without scripts and without links to other files:
 * light or dark as the reader's screen is, light on paper. The colours are
 * those of Okabe and Ito, which colour-blind people can distinguish. Names are
 * not trusted: they are printed as ASCII, escaped for XML (report.h, line).
 */
#include <string.h>
#include "host/formats/formats.h"

#define CMDLINE_COLUMNS 168u
#define CMDLINE_ROW (15 * PX)
#define TITLE_ROOM (34 * PX)	/* above a plot */
#define MARKS_ROOM (61 * PX)
#define AXIS_ROOM (34 * PX)	/* below it */
#define MACHINE_HEIGHT (110 * PX)
#define CHART_HEIGHT (230 * PX)

/* The parts from top to bottom: where the plot of each begins. */
struct places {
	uint32_t cmdline, facts, machine, chart[CHARTS], loads, lives, end;
};

/* Lines, with an empty one behind the last. */
static const char style[] =
	"text{font:12px system-ui,\"Segoe UI\",Roboto,\"Liberation Sans\",\0"
	"Arial,sans-serif;fill:#1f2933}\0"
	".t{font-size:24px;font-weight:700}.h{font-size:15px;font-weight:600}\0"
	".k{font-size:22px;font-weight:600}.m{text-anchor:middle}\0"
	".e{text-anchor:end}.s,.m,.l{fill:#5b6672}\0"
	".c{font:11px ui-monospace,\"Liberation Mono\",monospace;fill:#5b6672;\0"
	"white-space:pre}\0"
	".bg{fill:#fff}path,rect{stroke:none}\0"
	"path[class^=a]{stroke:#fff;stroke-width:.6;stroke-linejoin:round}\0"
	".g{stroke:#dde2e8;stroke-width:1;fill:none}\0"
	".b{stroke:#8c96a3;stroke-width:1;fill:none}\0"
	".peak,.low,.kill,.hard{fill:none;stroke-width:1.4;\0"
	"stroke-dasharray:5 3}.peak,.hard,.need{stroke:#111}\0"
	".low{stroke:#0072b2;stroke-dasharray:2 3}\0"
	".hard{stroke-dasharray:1 3}.need{fill:none;stroke-width:2}\0"
	".kill{stroke:#c00}.tp{font-weight:600}.tl{fill:#005b8f}\0"
	".tk{fill:#c00;font-weight:600}\0"
	".p{fill:#000;fill-opacity:0;pointer-events:all}\0"
	".p:hover{fill-opacity:.12}[class^=a]:hover{opacity:.8}\0"
	".a0{fill:#0072b2}.a1{fill:#e69f00}.a2{fill:#009e73}\0"
	".a3{fill:#d55e00}.a4{fill:#56b4e9}.a5{fill:#f0e442}\0"
	".a6{fill:#cc79a7}.an{fill:#8c96a3}.av{fill:#5b6672}\0"
	".ao{fill:#c5ccd4}.af{fill:#d5ebe0}\0"
	".i{fill:#111;font-weight:600;pointer-events:none}.i0,.iv{fill:#fff}\0"
	"@media print{:root{width:100vw;height:100vh}}\0"
	"@media screen and (prefers-color-scheme:dark){\0"
	"text,.tp{fill:#e6e9ed}.s,.m,.l,.c{fill:#9aa5b1}.bg{fill:#12171d}\0"
	"path[class^=a]{stroke:#12171d}.g{stroke:#2a323b}\0"
	".peak,.hard,.need{stroke:#fff}\0"
	".b{stroke:#66717d}.tl{fill:#7cc4f0}.low{stroke:#56b4e9}\0"
	".kill{stroke:#ff6b6b}.tk{fill:#ff6b6b}.p{fill:#fff}\0"
	".i{fill:#111}.i0,.iv,.io{fill:#fff}\0"
	".an{fill:#7b8794}.av{fill:#52606d}.ao{fill:#3e4c59}"
	".af{fill:#1d3a2e}}\0";

/* The bytes of the next line of a text: whole words, if they are not longer. */
static uint32_t next_line(const char *text)
{
	uint32_t len = 0, words = 0;

	for (; text[len] && len < CMDLINE_COLUMNS; len++)
		if (text[len] == ' ')
			words = len + 1;
	return text[len] && words ? words : len;
}

static uint32_t cmdline_rows(const struct picture *p)
{
	const char *text = p->text[TEXT_CMDLINE];
	uint32_t rows = 0;

	for (; *text; rows++)
		text += next_line(text);
	return rows ? rows : 1;
}

static uint32_t bars_height(const struct bars *b)
{
	return b->count * BAR_ROW + 4 * PX;
}

static void place(const struct svg *g, const struct bars *loads,
		  const struct bars *lives, struct places *at)
{
	const uint32_t chart = g->p->points ? CHART_HEIGHT : 0;
	const uint32_t between = AXIS_ROOM + TITLE_ROOM;

	at->cmdline = 92 * PX;
	at->facts = at->cmdline + cmdline_rows(g->p) * CMDLINE_ROW +
		    14 * PX;
	at->machine = at->facts + 62 * PX + TITLE_ROOM + MARKS_ROOM;
	at->loads = at->machine + (chart ? MACHINE_HEIGHT : 0) + between;
	for (int i = 0; i < CHARTS; i++, at->loads += chart + between)
		at->chart[i] = at->loads;
	at->lives = at->loads + bars_height(loads) + between;
	at->end = at->lives + bars_height(lives) + AXIS_ROOM;
}

static void put_begin(struct svg *g, const struct places *at)
{
	svg_text(g, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
	svg_end(g);
	svg_put(g, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
		"viewBox=\"0 0 %u %u\" width=\"%u\" height=\"%u\">",
		(const uint64_t[]){ PAGE_WIDTH / PX, at->end / PX + 30,
			PAGE_WIDTH / PX, at->end / PX + 30 });
	svg_text(g, "<title>memstrack: who held the memory</title><style>");
	svg_end(g);
	for (const char *line = style; *line; line += strlen(line) + 1) {
		svg_text(g, line);
		svg_break(g);
	}
	svg_text(g, "</style><rect class=\"bg\" width=\"100%\" "
		 "height=\"100%\"/>");
	svg_end(g);
}

static void put_head(struct svg *g, const struct places *at)
{
	const struct picture *p = g->p;
	const char *text = p->text[TEXT_CMDLINE];
	uint32_t y = at->cmdline;

	svg_label(g, "t", 24 * PX, 42 * PX, "Who held the memory</text>");
	svg_label(g, "l", 24 * PX, 66 * PX, "Linux ");
	svg_name(g, p->text[TEXT_KERNEL], 60);
	svg_value(g, ", %k RAM, ", p->fact[FACT_RAM_KIB]);
	svg_text(g, p->fact[FACT_SAMPLED] ? "sampled" : "traced");
	svg_put(g, " from %t to %t, reason: ",
		&p->fact[FACT_START_NS]);
	svg_name(g, p->text[TEXT_REASON], 40);
	svg_text(g, "</text>");
	svg_end(g);
	for (uint32_t i = 0; i < cmdline_rows(p); i++, y += CMDLINE_ROW) {
		const uint32_t len = next_line(text);

		svg_label(g, "c", 24 * PX, y, "");
		line_name_within(&g->s->line, text, len, LINE_BYTES -
				 sizeof("</text>") - g->s->line.len);
		text += len;
		if (!*p->text[TEXT_CMDLINE])
			svg_text(g, "(the command line was not recorded)");
		svg_text(g, "</text>");
		svg_end(g);
	}
}

/* A fact's name, up to its value. */
static void put_fact(struct svg *g, uint32_t column, uint32_t y,
		     const char *name)
{
	const uint32_t x = (24 + 288 * column) * PX;

	svg_label(g, "s", x, y, name);
	svg_label(g, "k", x, y + 27 * PX, "");
}

static void put_small(struct svg *g, uint32_t column, uint32_t y)
{
	svg_text(g, "</text>");
	svg_label(g, "s", (24 + 288 * column) * PX, y + 45 * PX, "");
}

static void put_largest(struct svg *g, enum table t, uint32_t column,
			uint32_t y)
{
	const struct picture_name *k = &g->p->largest[t];

	put_fact(g, column, y, t == TABLE_TASKS ?
		 "Largest task at the peak</text>" :
		 "Largest module at the peak</text>");
	if (k->pages)
		svg_named(g, k->name, k->pid, 16);
	else
		svg_text(g, "none");
	put_small(g, column, y);
	if (k->pages)
		svg_value(g, "%p then", k->pages);
	svg_text(g, "</text>");
	svg_end(g);
}

static void put_facts(struct svg *g, uint32_t y)
{
	const uint64_t *fact = g->p->fact;

	put_fact(g, 0, y, "Lowest free memory</text>");
	if (g->p->points)
		svg_value(g, "%k", fact[FACT_FREE_LOWEST_KIB]);
	else
		svg_text(g, "not sampled");
	put_small(g, 0, y);
	if (g->p->points)
		svg_put(g, "%k at the start, lowest at %t",
			(const uint64_t[]){ fact[FACT_FREE_START_KIB],
				fact[FACT_FREE_LOWEST_NS] });
	svg_text(g, "</text>");
	put_fact(g, 1, y, "Held at the peak, since the start</text>");
	if (fact[FACT_SAMPLED])
		svg_text(g, "not traced");
	else
		svg_value(g, "%p", fact[FACT_HELD_PAGES]);
	put_small(g, 1, y);
	svg_value(g, "peak at %t</text>", fact[FACT_PEAK_NS]);
	svg_end(g);
	put_largest(g, TABLE_MODULES, 2, y);
	put_largest(g, TABLE_TASKS, 3, y);
}

/* `more` is a template. */
static void put_title(struct svg *g, uint32_t plot, const char *title,
		      const char *more, const uint64_t *values)
{
	svg_label(g, "h", 24 * PX, plot - 14 * PX, title);
	svg_text(g, "<tspan class=\"s\" font-weight=\"400\" font-size=\"12\">");
	svg_put(g, more, values);
	svg_text(g, "</tspan></text>");
	svg_end(g);
}

static void put_bars_title(struct svg *g, uint32_t plot, const char *title,
			   const struct bars *b)
{
	put_title(g, plot, title, "  the largest %u of %u, with the most that "
		  "each held", (const uint64_t[]){ b->count, b->of });
}

static void put_charts(struct svg *g, const struct places *at)
{
	static const char *const titles[CHARTS][2][2] = { /* [sampled] */
		[CHART_KINDS] = {
			{ "Held by kind", "  pages taken since the start and "
			  "not freed, with areas; others before the kinds "
			  "were known" },
			{ "Kinds", "  all that is in use" },
		},
		[CHART_MODULES] = {
			{ "Held by module", "  the same pages" },
			{ "Modules", "  their images" },
		},
		[CHART_TASKS] = {
			{ "Held by task",
			  "  the same pages, by who took them" },
			{ "Tasks", "  their resident sets; what they share "
			  "counts in each" },
		},
	};
	const int sampled = g->p->fact[FACT_SAMPLED] != 0;

	put_title(g, at->machine - MARKS_ROOM, "All memory", "  that is online, "
		  "over the time since the kernel started", NULL);
	svg_machine(g, at->machine, at->machine + MACHINE_HEIGHT);
	for (uint32_t i = 0; i < CHARTS; i++) {
		const char *const *title = titles[i][sampled];

		put_title(g, at->chart[i], title[0], title[1], NULL);
		svg_chart(g, i, at->chart[i], at->chart[i] + CHART_HEIGHT);
	}
}

static void put_foot(struct svg *g, uint32_t y)
{
	const uint64_t *fact = g->p->fact;

	svg_label(g, "s", 24 * PX, y + 12 * PX, "memstrack " MEMSTRACK_VERSION);
	svg_put(g, fact[FACT_SAMPLED] ? ": sampled, %u point%s" :
		fact[FACT_COMPLETE] ?
		": exact at %u point%s, straight lines between them; "
		"%u record%s lost" : ": INCOMPLETE, see the report; %u point%s, "
		"straight lines between them; %u record%s lost",
		(const uint64_t[]){ g->p->points, fact[FACT_LOST] });
	if (g->p->without_history)
		svg_text(g, "; no history was kept");
	svg_text(g, "</text></svg>");
	svg_end(g);
}

static void svg(struct sheet *s)
{
	struct picture made;
	const struct picture *p = picture_of(s, &made);
	struct bars loads, lives;
	struct places at;
	struct svg g = { .s = s, .p = p };

	s->last = 1;	/* whole, or it is no picture */
	for (uint32_t i = 0; i < p->points; i++)
		g.x[i] = svg_x(&g, p->point[i].value[POINT_TIME_NS]);
	svg_bars_get(p, CHART_MODULES, &loads);
	svg_bars_get(p, CHART_TASKS, &lives);
	place(&g, &loads, &lives, &at);
	put_begin(&g, &at);
	put_head(&g, &at);
	put_facts(&g, at.facts);
	if (p->points)
		put_charts(&g, &at);
	put_bars_title(&g, at.loads, "Loads of modules", &loads);
	svg_bars(&g, &loads, at.loads);
	put_bars_title(&g, at.lives, "Processes", &lives);
	svg_bars(&g, &lives, at.lives);
	put_foot(&g, at.end);
}

void report_svg(const struct report *r, struct out *o)
{
	sheet_report(r, o, ESCAPE_XML, svg);
}
