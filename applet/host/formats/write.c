/* SPDX-License-Identifier: MIT */
/* The formats of a host: see formats.h. */
#include "host/formats/formats.h"

/* A format that this configuration lacks was refused (config.h, formats). */
static void write_as(const struct report *r, enum format format, struct out *o)
{
	if (has_feature(FEATURE_PROMETHEUS) && format == FORMAT_PROMETHEUS)
		report_prometheus(r, o);
	else if (has_feature(FEATURE_SVG) && format == FORMAT_SVG)
		report_svg(r, o);
	else if (has_feature(FEATURE_CHROME) && format == FORMAT_CHROME)
		report_chrome(r, o);
	else if (has_feature(FEATURE_FOLDED))
		report_folded(r, format, o);
}

void report_write_of_host(const struct report *r, enum format format,
			  struct out *o)
{
	if (of_books(r->ledger) && format <= FORMAT_JSON)
		report_books(r, format, o);
	else
		write_as(r, format, o);
}
