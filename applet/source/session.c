/* SPDX-License-Identifier: MIT */
/* Notes of a session: see session.h. */
#include <stdarg.h>
#include "base/print.h"
#include "source/session.h"

void session_note(struct session *s, const char *format, ...)
{
	va_list args;

	if (s->notes == NOTES_MAX)
		return;
	va_start(args, format);
	vprint_to(s->note[s->notes++], NOTE_BYTES, format, &args);
	va_end(args);
}
