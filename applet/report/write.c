/* SPDX-License-Identifier: MIT */
/* A report as text, JSON or sections; or a part of it. */
#include "report/report.h"
#include "report/parts.h"

/* A format that this configuration lacks was refused (config.h, formats). */
static void write_as(const struct report *r, enum format format, struct out *o)
{
	switch (format) {
	case FORMAT_LINE:
		report_brief(r, o);
		break;
	case FORMAT_JSON:
		if (has_feature(FEATURE_JSON))
			report_json(r, o);
		break;
	case FORMAT_FOLDED_PEAK:
		if (has_feature(FEATURE_FOLDED))
			report_folded_peak(r, o);
		break;
	case FORMAT_FOLDED_TASKS:
		if (has_feature(FEATURE_FOLDED))
			report_folded_tasks(r, o);
		break;
	case FORMAT_FOLDED:
		if (has_feature(FEATURE_FOLDED))
			report_folded(r, o);
		break;
	case FORMAT_PROMETHEUS:
		if (has_feature(FEATURE_PROMETHEUS))
			report_prometheus(r, o);
		break;
	case FORMAT_SVG:
		if (has_feature(FEATURE_SVG))
			report_svg(r, o);
		break;
	case FORMAT_CHROME:
		if (has_feature(FEATURE_CHROME))
			report_chrome(r, o);
		break;
	default:
		report_text(r, o);
	}
}

void report_write(const struct report *r, enum format format, struct out *o)
{
	if (has_feature(FEATURE_SECTIONS) && r->sections && r->sections[0])
		report_sections(r, o);
	else if (of_books(r->ledger) && format <= FORMAT_JSON)
		report_books(r, format, o);
	else
		write_as(r, format, o);
}

static void objects(struct sheet *s)
{
	slab_write(s);
	if (sheet_is_json(s))
		json_finish(s);
	else
		text_finish(s);
}

void report_objects(const struct report *r, enum format format, struct out *o)
{
	const int json = has_feature(FEATURE_JSON) && format == FORMAT_JSON;

	sheet_report(r, o, json ? ESCAPE_JSON : ESCAPE_TEXT, objects);
}
