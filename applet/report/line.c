/* SPDX-License-Identifier: MIT */
/* See report.h, line. */
#include <string.h>
#include "report/report.h"
#include "source/event.h"

void line_char(struct line *l, char c)
{
	if (l->len < LINE_BYTES - 1)
		l->text[l->len++] = c;
}

void line_str(struct line *l, const char *s)
{
	while (*s)
		line_char(l, *s++);
}

static void line_digit(struct line *l, uint64_t value)
{
	line_char(l, "0123456789abcdef"[value & 15]);
}

/* NULL: the byte stands for itself in XML. */
static const char *entity(unsigned char c)
{
	return c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" :
	       c == '"' ? "&quot;" : NULL;
}

/* The byte as it stands in a name, or 0: it must be escaped. */
static char plain(unsigned char c, enum escape e)
{
	if (c < 0x20 || c > 0x7e || c == '\\' ||
	    (c == '"' && (e == ESCAPE_JSON || e == ESCAPE_LABEL)))
		return 0;
	if (e == ESCAPE_FOLDED)
		return c == ' ' ? '_' : c == ';' ? ':' : (char)c;
	return (char)c;
}

void line_name_within(struct line *l, const char *s, size_t size, size_t room)
{
	static const char *const before[] = {
		[ESCAPE_TEXT] = "\\x", [ESCAPE_JSON] = "\\u00",
		[ESCAPE_LABEL] = "\\\\x", [ESCAPE_FOLDED] = "\\x",
		[ESCAPE_XML] = "\\x",
	};

	if (room > LINE_BYTES - 1 - l->len)
		room = LINE_BYTES - 1 - l->len;
	for (; size && *s; s++, size--) {
		const unsigned char byte = (unsigned char)*s;
		const char c = plain(byte, l->escape);
		const char *as = l->escape == ESCAPE_XML ? entity(byte) : NULL;
		const size_t n = as ? strlen(as) : c ? 1 :
				 strlen(before[l->escape]) + 2;

		if (n > room)
			return;
		room -= n;
		if (as || c) {
			line_str(l, as ? as : (const char[]){ c, '\0' });
			continue;
		}
		line_str(l, before[l->escape]);
		line_digit(l, byte >> 4);
		line_digit(l, byte);
	}
}

void line_name(struct line *l, const char *s)
{
	line_name_within(l, s, LINE_BYTES, LINE_BYTES);
}

static void line_number(struct line *l, uint64_t value, unsigned int base)
{
	uint64_t unit = 1;

	while (value / unit >= base)
		unit *= base;
	for (; unit; unit /= base)
		line_digit(l, value / unit % base);
}

void line_pad(struct line *l, size_t column)
{
	do
		line_char(l, ' ');
	while (l->len < column);
}

void line_right(struct line *l, size_t from, size_t column)
{
	const size_t width = l->len - from;
	size_t to = from + 1;

	if (to + width < column)
		to = column - width;
	if (to + width > LINE_BYTES - 1)
		to = LINE_BYTES - 1 - width;
	memmove(l->text + to, l->text + from, width);
	memset(l->text + from, ' ', to - from);
	l->len = to + width;
}

/* value / unit, rounded half up to one or two decimals (`scale` 10 or 100); no
 * product can overflow. */
static void line_decimal(struct line *l, uint64_t value, uint64_t unit,
			 unsigned int scale)
{
	uint64_t part = (value % unit * scale + unit / 2) / unit;

	line_number(l, value / unit + part / scale, 10);
	line_char(l, '.');
	if (scale == 100)
		line_digit(l, part / 10 % 10);
	line_digit(l, part % 10);
}

static void line_size(struct line *l, uint64_t kib)
{
	int large = kib >> 10 >= 10000;

	if (kib >= 1024)
		line_decimal(l, kib, large ? 1 << 20 : 1 << 10, 10);
	else
		line_number(l, kib, 10);
	if (kib)
		line_char(l, large ? 'G' : kib >= 1024 ? 'M' : 'K');
}

int64_t share_of(int64_t part, int64_t all, int64_t scale)
{
	const int64_t half = part < 0 ? -(all / 2) : all / 2;
	int64_t scaled;

	if (all <= 0)
		return 0;
	if (__builtin_mul_overflow(part, scale, &scaled) ||
	    __builtin_add_overflow(scaled, half, &scaled))
		return part / all * scale;
	return scaled / all;
}

uint64_t pages_kib(uint64_t pages, uint64_t page_kib)
{
	return __builtin_mul_overflow(pages, page_kib, &pages) ? UINT64_MAX :
								  pages;
}

uint64_t session_kib(const struct session *s, uint64_t pages)
{
	return pages_kib(pages, s->page_size >> 10);
}

static void fill_one(struct line *l, char mark, uint64_t value)
{
	int is_signed = mark == 'i' || mark == 'q';

	if (value == UNKNOWN) {
		line_str(l, "null");
		return;
	}
	if (is_signed && (int64_t)value < 0) {
		line_char(l, '-');
		value = -value;
	}
	switch (mark) {
	case 'q':
	case 'p':
		line_size(l, pages_kib(value, l->page_kib));
		break;
	case 'M':
		line_decimal(l, pages_kib(value, l->page_kib), 1024, 10);
		line_str(l, "MB (");
		line_number(l, value, 10);
		line_str(l, " pages)");
		break;
	case 'k':
		line_size(l, value);
		break;
	case 'b':
		line_size(l, value / 1024 + value / 512 % 2);
		break;
	case 't':
		line_char(l, '+');
		/* fall through */
	case 'd':
		line_decimal(l, value, 1000000000, 100);
		line_str(l, " s");
		break;
	case 'm':
		line_decimal(l, (int64_t)value < 0 ? 0 : value, 10, 10);
		break;
	case 'e':
		line_decimal(l, value, 10, 10);
		break;
	case 'x':
		line_str(l, "0x");
		line_number(l, value, 16);
		break;
	default:
		line_number(l, value, 10);
	}
}

void line_fill(struct line *l, const char *template, const uint64_t *value)
{
	for (; *template; template++) {
		if (*template != '%')
			line_char(l, *template);
		else if (*++template == '%')
			line_char(l, '%');
		else if (*template == 's')
			line_str(l, value[-1] == 1 ? "" : "s");
		else
			fill_one(l, *template, *value++);
	}
}

/* Inlined, it would take 8 bytes more in each of its 60 places. */
__attribute__((noinline))
void line_value(struct line *l, const char *template, uint64_t value)
{
	line_fill(l, template, &value);
}

void line_figure(struct line *l, size_t column, const char *template,
		 uint64_t value)
{
	const size_t from = l->len;

	line_value(l, template, value);
	line_right(l, from, column);
}

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

const char *line_key(struct line *l, const char *keys)
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
