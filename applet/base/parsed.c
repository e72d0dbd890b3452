/* SPDX-License-Identifier: MIT */
/* See system.h, parsed. */
#include <errno.h>
#include <string.h>
#include "base/base.h"
#include "base/system.h"

struct cursor {
	const char *at, *end;
};

static void skip_blanks(struct cursor *c)
{
	while (c->at < c->end && (*c->at == ' ' || *c->at == '\t'))
		c->at++;
}

static int take(struct cursor *c, char wanted)
{
	skip_blanks(c);
	if (c->at == c->end || *c->at != wanted)
		return 0;
	c->at++;
	return 1;
}

/* The cursor stands behind the first quote. */
static int take_string(struct cursor *c, struct word *w)
{
	w->at = c->at;
	for (; c->at < c->end && *c->at != '"'; c->at++) {
		if ((unsigned char)*c->at < ' ')
			return 0;
		if (*c->at == '\\' && ++c->at == c->end)
			return 0;
	}
	w->len = (size_t)(c->at - w->at);
	return take(c, '"');
}

static int is_plain(char ch)
{
	return (ch >= '0' && ch <= '9') || (ch >= 'a' && ch <= 'z') ||
	       ch == '-' || ch == '+' || ch == '.' || ch == 'E';
}

/* A number, true, false, null. */
static int take_plain(struct cursor *c, struct word *w)
{
	w->at = c->at;
	while (c->at < c->end && is_plain(*c->at))
		c->at++;
	w->len = (size_t)(c->at - w->at);
	return w->len != 0;
}

/* The cursor stands behind the bracket `first`, and moves behind the bracket
 * that closes it. */
static int skip_nested(struct cursor *c, char first)
{
	char close[PARSED_DEPTH_MAX];
	uint32_t depth = 0;
	struct word w;

	close[depth++] = first == '{' ? '}' : ']';
	while (c->at < c->end) {
		const char ch = *c->at++;

		if (ch == '"' && !take_string(c, &w))
			return 0;
		if (ch == '{' || ch == '[') {
			if (depth == PARSED_DEPTH_MAX)
				return 0;
			close[depth++] = ch == '{' ? '}' : ']';
		}
		if ((ch == '}' || ch == ']') && ch != close[--depth])
			return 0;
		if (!depth)
			return 1;
	}
	return 0;
}

static int take_value(struct cursor *c, struct parsed_member *m)
{
	skip_blanks(c);
	m->kind = PARSED_OTHER;
	if (c->at == c->end)
		return 0;
	switch (*c->at) {
	case '"':
		m->kind = PARSED_STRING;
		c->at++;
		return take_string(c, &m->value);
	case '{':
	case '[':
		m->kind = *c->at == '[' ? PARSED_LIST : PARSED_OTHER;
		m->value.at = ++c->at;
		if (!skip_nested(c, c->at[-1]))
			return 0;
		m->value.len = (size_t)(c->at - m->value.at) - 1;
		return 1;
	}
	if (*c->at == '-' || (*c->at >= '0' && *c->at <= '9'))
		m->kind = PARSED_NUMBER;
	return take_plain(c, &m->value);
}

size_t parsed_object(struct parsed *o, const char *text, size_t len)
{
	struct cursor c = { text, text + len };
	struct parsed_member m;

	o->members = 0;
	if (!take(&c, '{'))
		return 0;
	do {
		if (!take(&c, '"') || !take_string(&c, &m.name) ||
		    !take(&c, ':') || !take_value(&c, &m))
			return 0;
		if (o->members < PARSED_MEMBERS_MAX)
			o->member[o->members++] = m;
	} while (take(&c, ','));
	return take(&c, '}') ? (size_t)(c.at - text) : 0;
}

int parsed_next(struct word *list, struct word *string)
{
	struct cursor c = { list->at, list->at + list->len };

	if (!take(&c, '"') || !take_string(&c, string))
		return 0;
	take(&c, ',');
	*list = (struct word){ c.at, (size_t)(c.end - c.at) };
	return 1;
}

const struct word *parsed_word(const struct parsed *o, const char *name,
			       enum parsed_kind kind)
{
	const size_t len = length_to(name, ' ');

	for (uint32_t i = 0; i < o->members; i++)
		if (o->member[i].name.len == len &&
		    !memcmp(o->member[i].name.at, name, len))
			return o->member[i].kind == kind ?
			       &o->member[i].value : NULL;
	return NULL;
}

const struct word *parsed_string(const struct parsed *o, const char *name)
{
	return parsed_word(o, name, PARSED_STRING);
}

int parsed_number(const struct parsed *o, const char *name, int64_t *value)
{
	const struct word *w = parsed_word(o, name, PARSED_NUMBER);
	const int minus = w && *w->at == '-';
	size_t digits;
	uint64_t n;
	int error;

	if (!w)
		return 0;
	digits = w->len - (size_t)minus;
	error = parse_digits(w->at + minus, &digits, 10, &n);
	if (digits + (size_t)minus != w->len || !digits)
		return 0;
	if (error || n > (uint64_t)PARSED_NUMBER_MAX)
		n = (uint64_t)PARSED_NUMBER_MAX;
	*value = minus ? -(int64_t)n : (int64_t)n;
	return 1;
}

int parsed_values(const struct parsed *o, const char *names, uint64_t *value)
{
	int error = 0;

	for (; *names; names = next_name(names), value++) {
		const struct word *w = parsed_word(o, names, PARSED_NUMBER);

		*value = PARSED_NONE;
		if (w && !word_number(w, 10, value))
			continue;
		w = parsed_word(o, names, PARSED_OTHER);
		if (!w || !word_is(w, "null"))
			error = -EINVAL;
	}
	return error;
}

/* The byte that \u00NN stands for; 0: the escape has another form, or stands
 * for more than a byte. */
static char byte_of(const char *at, size_t left)
{
	size_t digits = 4;
	uint64_t n;

	if (left < 6 || at[1] != 'u' ||
	    parse_digits(at + 2, &digits, 16, &n) || digits != 4 || n > 255)
		return 0;
	return (char)n;
}

size_t parsed_unescape(const struct word *w, char *text, size_t room)
{
	static const char plain[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	size_t len = 0;

	for (size_t i = 0; i < w->len && len < room; i++) {
		char ch = w->at[i], byte = 0;
		size_t at = sizeof(plain) - 1;

		if (ch == '\\') {
			byte = byte_of(w->at + i, w->len - i);
			if (i + 1 < w->len)
				at = length_to(plain, w->at[i + 1]);
		}
		if (byte)
			i += 5;
		else if (plain[at])
			i++;
		text[len++] = byte ? byte : plain[at] ? meant[at] : ch;
	}
	return len;
}

int parsed_text(const struct parsed *o, const char *name, char *text,
		size_t size)
{
	const struct word *w = parsed_string(o, name);

	text[w ? parsed_unescape(w, text, size - 1) : 0] = '\0';
	return w != NULL;
}
