/* SPDX-License-Identifier: MIT */
/* See report.h, json line. */
#include "report/report.h"

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

/* Adds the first word, and returns the next one. */
static const char *line_key(struct line *l, const char *keys)
{
	line_str(l, ",\"");
	while (*keys && *keys != ' ')
		line_char(l, *keys++);
	line_str(l, "\":");
	return *keys ? keys + 1 : keys;
}

void line_text(struct line *l, const char *key, const char *text, size_t size,
	       size_t room)
{
	line_key(l, key);
	line_char(l, '"');
	line_name_within(l, text, size, room);
	line_char(l, '"');
}

void line_numbers(struct line *l, const char *mark, const char *keys,
		  const uint64_t *value)
{
	while (*keys) {
		keys = line_key(l, keys);
		line_fill(l, mark, value++);
	}
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

void json_numbers(struct sheet *s, const char *keys, const uint64_t *value)
{
	line_numbers(&s->line, "%u", keys, value);
}

void json_number(struct sheet *s, const char *key, uint64_t value)
{
	line_key(&s->line, key);
	line_value(&s->line, "%u", value);
}

void json_signed(struct sheet *s, const char *key, int64_t value)
{
	line_key(&s->line, key);
	line_value(&s->line, "%i", (uint64_t)value);
}

void json_put_figures(struct sheet *s, unsigned int first, unsigned int until)
{
	const char *mark = first == FIGURE_BALANCE ? "%i" : "%u";

	for (unsigned int i = first; i < until; i++)
		line_numbers(&s->line, mark, figure_name(i), &s->value[i]);
}

void json_figures(struct sheet *s, const char *type, unsigned int first,
		    unsigned int until)
{
	json_begin(s, type);
	json_put_figures(s, first, until);
	json_end(s);
}
