/* SPDX-License-Identifier: MIT */
/* See json_line.h. */
#include "report/json_line.h"

#define NAME_ROOM 340u		/* see json_name() */

void json_begin(struct sheet *s, const char *type)
{
	line_str(&s->line, "{\"type\":\"");
	line_str(&s->line, type);
	line_char(&s->line, '"');
}

void json_end(struct sheet *s)
{
	sheet_line(s, "}", NULL);
}

void json_string(struct sheet *s, const char *before, const char *text,
		       size_t room)
{
	line_str(&s->line, before);
	line_name_within(&s->line, text, LINE_BYTES, room);
	line_char(&s->line, '"');
}

void json_name(struct sheet *s, const char *before, const char *name)
{
	json_string(s, before, name, NAME_ROOM);
}

void json_number(struct sheet *s, const char *name, uint64_t value,
		       const char *mark)
{
	line_str(&s->line, ",\"");
	line_str(&s->line, name);
	line_str(&s->line, "\":");
	line_fill(&s->line, mark, &value);
}

void json_put_figures(struct sheet *s, unsigned int first, unsigned int until)
{
	const char *mark = first == FIGURE_BALANCE ? "%i" : "%u";

	for (unsigned int i = first; i < until; i++)
		json_number(s, figure_name(i), s->value[i], mark);
}

void json_figures(struct sheet *s, const char *type, unsigned int first,
		    unsigned int until)
{
	json_begin(s, type);
	json_put_figures(s, first, until);
	json_end(s);
}
