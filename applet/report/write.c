/* SPDX-License-Identifier: MIT */
/* A report as text, JSON or sections; or a part of it. */
#include "report/report.h"
#include "report/parts.h"

static void (*const writers[FORMATS])(const struct report *r, struct out *o) = {
	[FORMAT_TEXT] = report_text,
	[FORMAT_JSON] = report_json,
	[FORMAT_LINE] = report_brief,
#ifndef WITHOUT_FOLDED
	[FORMAT_FOLDED_PEAK] = report_folded_peak,
	[FORMAT_FOLDED_TASKS] = report_folded_tasks,
	[FORMAT_FOLDED] = report_folded,
#endif
#ifndef WITHOUT_PROMETHEUS
	[FORMAT_PROMETHEUS] = report_prometheus,
#endif
#ifndef WITHOUT_SVG
	[FORMAT_SVG] = report_svg,
#endif
#ifndef WITHOUT_CHROME
	[FORMAT_CHROME] = report_chrome,
#endif
};

void report_write(const struct report *r, enum format format, struct out *o)
{
	if (r->sections && r->sections[0])
		report_sections(r, o);
#ifndef WITHOUT_VIEW
	else if (r->ledger->books.on && format <= FORMAT_JSON)
		report_books(r, format, o);
#endif
	else
		writers[format](r, o);
}

static void objects_text(struct sheet *s)
{
	slab_write(s);
	text_finish(s);
}

static void objects_json(struct sheet *s)
{
	slab_write(s);
	s->last = 1;
	json_figures(s, "end", FIGURE_WRITTEN, FIGURES);
}

void report_objects(const struct report *r, enum format format, struct out *o)
{
	if (format == FORMAT_JSON)
		sheet_report(r, o, ESCAPE_JSON, objects_json);
	else
		sheet_report(r, o, ESCAPE_TEXT, objects_text);
}
