/* SPDX-License-Identifier: MIT */
/* Notes of a session: see event.h, session. */
#include <stdarg.h>
#include "base/base.h"
#include "source/event.h"

void session_note(struct session *s, const char *format, ...)
{
	va_list args;

	if (s->notes == NOTES_MAX) {
		/* The first time, that note goes too. */
		s->notes_dropped += s->notes_dropped ? 1 : 2;
		print_to(s->note[NOTES_MAX - 1], NOTE_BYTES,
			 "%u more notes found no room", s->notes_dropped);
		return;
	}
	s->notes_dropped = 0;
	va_start(args, format);
	vprint_to(s->note[s->notes++], NOTE_BYTES, format, &args);
	va_end(args);
}
