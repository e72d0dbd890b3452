/* SPDX-License-Identifier: MIT */
/* A report as text, JSON or sections; or a part of it. */
#include "report/report.h"
#include "report/parts.h"

void report_write(const struct report *r, enum format format, struct out *o)
{
	if (has_feature(FEATURE_SECTIONS) && r->sections && r->sections[0])
		report_sections(r, o);
	else if (format > FORMAT_LINE || of_books(r->ledger))
		report_write_of_host(r, format, o);
	else if (format == FORMAT_LINE)
		report_brief(r, o);
	else if (has_feature(FEATURE_JSON) && format == FORMAT_JSON)
		report_json(r, o);
	else
		report_text(r, o);
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
