/* One line of the tracer's answer, taken apart: see object.h. */
#include <errno.h>
#include <string.h>
#include "base/number.h"
#include "report/line.h"
#include "top/object.h"

static int take(struct word *rest, char c)
{
	if (!rest->len || *rest->at != c)
		return 0;
	rest->at++;
	rest->len--;
	return 1;
}

/* Behind an opening quote, up to the closing one, and past it. No quote is
 * within: it is written as \u0022. */
static int take_string(struct word *rest, struct word *w)
{
	const char *end = rest->len ? memchr(rest->at, '"', rest->len) : NULL;

	if (!end)
		return 0;
	*w = (struct word){ rest->at, (size_t)(end - rest->at) };
	rest->at = end + 1;
	rest->len -= w->len + 1;
	return 1;
}

static int take_list(struct word *rest, struct word *w)
{
	struct word string;

	*w = (struct word){ rest->at, 0 };
	while (take(rest, '"'))
		if (!take_string(rest, &string) ||
		    (!take(rest, ',') && (!rest->len || *rest->at != ']')))
			return 0;
	w->len = (size_t)(rest->at - w->at);
	return take(rest, ']');
}

static int take_number(struct word *rest, struct word *w)
{
	*w = (struct word){ rest->at, 0 };
	while (rest->len && *rest->at != ',' && *rest->at != '}') {
		rest->at++;
		rest->len--;
		w->len++;
	}
	return w->len != 0;
}

static int take_member(struct word *rest, struct object *o)
{
	struct word *name = &o->member[o->members].name;
	struct word *value = &o->member[o->members].value;
	char *kind = &o->member[o->members].kind;

	if (!take(rest, '"') || !take_string(rest, name) || !take(rest, ':'))
		return 0;
	o->members++;
	*kind = rest->len ? *rest->at : '\0';
	if (take(rest, '"'))
		return take_string(rest, value);
	if (take(rest, '['))
		return take_list(rest, value);
	*kind = '0';
	return take_number(rest, value);
}

int object_parse(struct object *o, const char *line, size_t len)
{
	struct word rest = { line, len };

	o->members = 0;
	if (!take(&rest, '{'))
		return -EINVAL;
	do
		if (o->members == MEMBERS_MAX || !take_member(&rest, o))
			return -EINVAL;
	while (take(&rest, ','));
	return take(&rest, '}') && !rest.len ? 0 : -EINVAL;
}

static const struct word *find(const struct object *o, const char *name,
			       char kind)
{
	for (unsigned int i = 0; i < o->members; i++)
		if (o->member[i].kind == kind &&
		    word_is(&o->member[i].name, name))
			return &o->member[i].value;
	return NULL;
}

uint64_t object_number(const struct object *o, const char *name)
{
	const struct word *w = find(o, name, '0');
	uint64_t value = UNKNOWN;

	return w && !word_number(w, 10, &value) ? value : UNKNOWN;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' :
	       c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* \u00NN of a byte that cannot be printed becomes \xNN, as in a report. */
static void unescape(const struct word *w, char *text, size_t size)
{
	struct line l = { .text = (char[LINE_BYTES]){ 0 } };
	size_t i = 0;

	while (i < w->len && l.len < size - 1) {
		char c = w->at[i++];

		if (c == '\\' && w->len - i >= 5 && w->at[i] == 'u' &&
		    hex_digit(w->at[i + 3]) >= 0 &&
		    hex_digit(w->at[i + 4]) >= 0) {
			c = (char)(hex_digit(w->at[i + 3]) << 4 |
				   hex_digit(w->at[i + 4]));
			i += 5;
		}
		line_name_within(&l, &c, 1, size - 1 - l.len);
	}
	memcpy(text, l.text, l.len);
	text[l.len] = '\0';
}

void object_text(const struct object *o, const char *name, char *text,
		 size_t size)
{
	const struct word *w = find(o, name, '"');

	*text = '\0';
	if (w)
		unescape(w, text, size);
}

int object_is(const struct object *o, const char *name, const char *text)
{
	const struct word *w = find(o, name, '"');

	return w && word_is(w, text);
}

struct word object_list(const struct object *o, const char *name)
{
	const struct word *w = find(o, name, '[');

	return w ? *w : (struct word){ "", 0 };
}

int list_next(struct word *rest, char *text, size_t size)
{
	struct word string;

	if (!take(rest, '"') || !take_string(rest, &string))
		return 0;
	unescape(&string, text, size);
	take(rest, ',');
	return 1;
}
