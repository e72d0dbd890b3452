/*
 * What the tracer says: lines, and what a report notes that could not be seen.
 */
#include <stdarg.h>
#include "base/print.h"
#include "tracer/tracer.h"

void tracer_say(struct tracer *t, const char *format, ...)
{
	char text[LINE_BYTES - 64];
	va_list args;

	va_start(args, format);
	vprint_to(text, sizeof(text), format, &args);
	va_end(args);
	sink_say(t->sink, text);
}

void tracer_note(struct tracer *t, const char *format, ...)
{
	va_list args;

	if (t->session.notes == NOTES_MAX)
		return;
	va_start(args, format);
	vprint_to(t->session.note[t->session.notes++], NOTE_BYTES, format,
		  &args);
	va_end(args);
}

void tracer_note_missing(struct tracer *t)
{
	const uint32_t missing = t->perf.missing;

	if (t->points.problem[0])
		tracer_note(t, "%s", t->points.problem);
	if (t->points.point[TP_INITCALL].id)
		tracer_note(t, "the loading window is approximate: from "
			    "module_load to the end of init");
	/* The first of a run: a kernel without modules lacks them all. */
	for (unsigned int tp = 1; tp <= TP_EXIT_FINIT_MODULE; tp++)
		if ((missing >> (tp - 1) & 3) == 2 &&
		    (tp < TP_ENTER_INIT_MODULE ||
		     (missing >> TP_RAW_EXIT & missing >> TP_INITCALL & 1)))
			tracer_note(t, "not seen: %s: the kernel has no such "
				    "event", tracepoint_name(tp));
	if (!t->perf.split)
		tracer_note(t, "first touches cannot be told: every allocation "
			    "carries its call chain");
}

/* Before Linux 5.14 vmalloc has no bulk allocation: page events show all. */
static int has_bulk(const char *release)
{
	unsigned int major = 0, number = 0;

	for (int dots = 0; dots < 2; release++) {
		const unsigned int digit = (unsigned char)*release - '0';

		if (digit < 10) {
			number = number * 10 + digit;
		} else if (!dots++) {
			major = number;
			number = 0;
		}
	}
	return major > 5 || (major == 5 && number >= 14);
}

int tracer_note_areas(struct tracer *t, int error)
{
	const uint32_t probes = (1u << TP_BULK) | (1u << TP_AREA_ENTER) |
				(1u << TP_AREA_ALLOC) | (1u << TP_AREA_FREE);

	if ((!error && !(t->perf.missing & probes)) ||
	    !has_bulk(t->session.kernel))
		return 0;
	tracer_note(t, "vmalloc is sampled, not traced (kprobes: %s): pages "
		    "may be in other rows too", error_text(error));
	return 1;
}
