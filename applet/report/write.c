/* A report as text, JSON or sections. */
#include "report/report.h"

void report_write(const struct report *r, enum format format, struct out *o)
{
	if (r->sections && r->sections[0])
		report_sections(r, o);
	else if (format == FORMAT_JSON)
		report_json(r, o);
	else
		report_text(r, o);
}
