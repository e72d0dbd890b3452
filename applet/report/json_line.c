/* SPDX-License-Identifier: MIT */
/* See json_line.h. */
#include "report/json_line.h"

void line_object(struct line *l, const char *type)
{
	line_str(l, "{\"type\":\"");
	line_str(l, type);
	line_char(l, '"');
}

void line_quoted(struct line *l, const char *before, const char *text)
{
	line_str(l, before);
	line_name_within(l, text, LINE_BYTES, JSON_NAME_ROOM);
	line_char(l, '"');
}

static void line_key(struct line *l, const char *key)
{
	line_str(l, ",\"");
	line_str(l, key);
	line_str(l, "\":");
}

void line_text(struct line *l, const char *key, const char *text, size_t size,
	       size_t room)
{
	line_key(l, key);
	line_char(l, '"');
	line_name_within(l, text, size, room);
	line_char(l, '"');
}

void line_member(struct line *l, const char *key, uint64_t value,
		 const char *mark)
{
	line_key(l, key);
	line_fill(l, mark, &value);
}

void json_begin(struct sheet *s, const char *type)
{
	line_object(&s->line, type);
}

void json_end(struct sheet *s)
{
	sheet_line(s, "}", NULL);
}

void json_string(struct sheet *s, const char *key, const char *text,
		 size_t room)
{
	line_text(&s->line, key, text, LINE_BYTES, room);
}

void json_name(struct sheet *s, const char *key, const char *name)
{
	json_string(s, key, name, JSON_NAME_ROOM);
}

void json_number(struct sheet *s, const char *key, uint64_t value,
		 const char *mark)
{
	line_member(&s->line, key, value, mark);
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
