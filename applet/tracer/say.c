/* SPDX-License-Identifier: MIT */
/* See tracer.h, say. */
#include <stdarg.h>
#include "base/base.h"
#include "tracer/tracer.h"

void say(struct sink *s, const char *format, ...)
{
	char text[LINE_BYTES - 64];
	va_list args;

	va_start(args, format);
	vprint_to(text, sizeof(text), format, &args);
	va_end(args);
	sink_say(s, text);
}
