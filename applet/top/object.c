/* SPDX-License-Identifier: MIT */
/* What is asked of a line of the tracer's answer: see top.h, object. */
#include <string.h>
#include "report/report.h"
#include "top/top.h"

uint64_t object_number(const struct parsed *o, const char *name)
{
	const struct word *w = parsed_word(o, name, PARSED_NUMBER);
	uint64_t value = UNKNOWN;

	return w && !word_number(w, 10, &value) ? value : UNKNOWN;
}

/* A byte that cannot be printed becomes \xNN, as in a report. */
static void put_text(const struct word *w, char *text, size_t size)
{
	struct line l = { .text = (char[LINE_BYTES]){ 0 } };
	char bytes[LINE_BYTES];

	line_name_within(&l, bytes, parsed_unescape(w, bytes, size - 1),
			 size - 1);
	memcpy(text, l.text, l.len);
	text[l.len] = '\0';
}

void object_text(const struct parsed *o, const char *name, char *text,
		 size_t size)
{
	const struct word *w = parsed_string(o, name);

	*text = '\0';
	if (w)
		put_text(w, text, size);
}

int object_is(const struct parsed *o, const char *name, const char *text)
{
	const struct word *w = parsed_string(o, name);

	return w && word_is(w, text);
}

struct word object_list(const struct parsed *o, const char *name)
{
	const struct word *w = parsed_word(o, name, PARSED_LIST);

	return w ? *w : (struct word){ "", 0 };
}

int list_next(struct word *rest, char *text, size_t size)
{
	struct word string;

	if (!parsed_next(rest, &string))
		return 0;
	put_text(&string, text, size);
	return 1;
}
