/* SPDX-License-Identifier: MIT */
/* The formats of a host: see formats.h. */
#include "host/formats/formats.h"

/* A format that this configuration lacks was refused (config.h, formats). */
static void write_as(const struct report *r, enum format format, struct out *o)
{
	switch (format) {
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
	default:
		if (has_feature(FEATURE_CHROME))
			report_chrome(r, o);
	}
}

void report_write_of_host(const struct report *r, enum format format,
			  struct out *o)
{
	if (of_books(r->ledger) && format <= FORMAT_JSON)
		report_books(r, format, o);
	else
		write_as(r, format, o);
}
