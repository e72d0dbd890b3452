/* SPDX-License-Identifier: MIT */
/* Lines of /proc/allocinfo: see view.h, allocinfo. */
#include <errno.h>
#include <string.h>
#include "base/base.h"
#include "view/view.h"

/* No machine has more memory, and sums of sites stay in 64 bits. */
#define SITE_BYTES_MAX (UINT64_C(1) << 47)

static const char magic[] = "allocinfo - version: ";

static int take_bytes(struct word *rest, int64_t *bytes)
{
	struct word w;
	uint64_t value;
	int negative;

	next_word(rest, &w);
	negative = w.len && *w.at == '-';
	w.at += negative;
	w.len -= (size_t)negative;
	if (parse_u64(w.at, w.len, 10, 0, SITE_BYTES_MAX, &value))
		return -EINVAL;
	*bytes = negative ? -(int64_t)value : (int64_t)value;
	return 0;
}

/* "file:line": only the last colon counts. */
static int is_place(const struct word *w)
{
	size_t at = w->len;
	uint64_t line;

	while (at && w->at[at - 1] != ':')
		at--;
	return at > 1 && !parse_u64(w->at + at, w->len - at, 10, 0, UINT32_MAX,
				    &line);
}

static const char *take_tag(struct word *rest, struct site_line *s)
{
	struct word w;

	if (!is_place(next_word(rest, &s->place)))
		return "no file and line";
	next_word(rest, &w);
	if (w.len && *w.at == '[') {
		if (w.len < 3 || w.at[w.len - 1] != ']')
			return "no module";
		s->module = (struct word){ w.at + 1, w.len - 2 };
		next_word(rest, &w);
	}
	s->function = w;
	return word_skip(&s->function, "func:") || !s->function.len ?
	       "no function" : NULL;
}

/* Pairs of later versions. */
static const char *take_pairs(struct word *rest, struct site_line *s)
{
	struct word w;

	while (rest->at && next_word(rest, &w)->len) {
		if (word_is(&w, "accurate:no"))
			s->inaccurate = 1;
		else if (memchr(w.at, ':', w.len))
			s->unknown += !word_is(&w, "accurate:yes");
		else
			return "text behind the function";
	}
	return NULL;
}

int allocinfo_line(const char *line, size_t len, struct site_line *s,
		   struct word *version, const char **problem)
{
	struct word rest = { line, len }, w;
	uint64_t calls = 0;

	memset(s, 0, sizeof(*s));
	if (!word_skip(&rest, magic)) {
		*version = rest;
		return 1;
	}
	if (len && *line == '#')
		return 1;
	if (take_bytes(&rest, &s->bytes))
		*problem = "a size that cannot be";
	else if (word_number(next_word(&rest, &w), 10, &calls))
		*problem = "a number of calls that cannot be";
	else if (!rest.at)
		*problem = "no file and line";
	else
		*problem = take_tag(&rest, s);
	s->calls = (int64_t)calls;	/* which the kernel prints unsigned */
	if (!*problem)
		*problem = take_pairs(&rest, s);
	return *problem ? -EINVAL : 0;
}
