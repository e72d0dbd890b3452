/* SPDX-License-Identifier: MIT */
/* Lists of sections: see config.h, sections. */
#include <string.h>
#include "base/base.h"
#include "config/config.h"

/* Returns 0 if the text is an argument. */
static int take_argument(struct section *s, const char *text, size_t len)
{
	size_t name_len = length_to(text, '=') + 1;
	int which;

	if (name_len > len)
		name_len = len;
	which = value_keyword("sort_by_alloc|sort_by_peak|top=|throttle=", text,
			      name_len);
	text += name_len;
	len -= name_len;
	if (which == 2)
		return value_within("1 to 10000", text, len, &s->top);
	if (which == 3)
		return value_within("1 to 100", text, len,
				    &s->throttle_percent);
	s->by_peak = which;
	return which < 0;
}

/* The length up to a comma or a colon. */
static size_t part_length(const char *text)
{
	const size_t section = length_to(text, ',');
	const size_t part = length_to(text, ':');

	return part < section ? part : section;
}

const char *section_next(const char **list, struct section *s)
{
	const char *at = *list;
	size_t len = part_length(at);
	const int type = value_keyword(SECTION_TYPES, at, len);

	if (type < 0)
		return SECTION_TYPES;
	*s = (struct section){
		.name = at, .name_len = len, .type = (enum section_type)type,
	};
	for (at += len; *at == ':'; at += len) {
		len = part_length(++at);
		if (take_argument(s, at, len))
			return "sort_by_alloc|sort_by_peak|top=1 to 10000|"
			       "throttle=1 to 100";
	}
	*list = *at ? at + 1 : NULL;
	return NULL;
}

const char *sections_check(const char *list)
{
	const char *accepted = NULL;
	struct section section;

	while (list && !accepted)
		accepted = section_next(&list, &section);
	return accepted;
}
