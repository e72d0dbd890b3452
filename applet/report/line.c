/* See line.h. */
#include <string.h>
#include "line.h"

void line_start(struct line *l)
{
	l->len = 0;
	l->over = 0;
}

void line_char(struct line *l, char c)
{
	if (l->len >= LINE_BYTES - 1) {
		l->over = 1;
		return;
	}
	l->text[l->len++] = c;
}

void line_str(struct line *l, const char *s)
{
	while (*s)
		line_char(l, *s++);
}

static char hex_digit(unsigned int value)
{
	return "0123456789abcdef"[value & 15];
}

static size_t escape_byte(char out[6], unsigned char c, enum escape e)
{
	size_t n = e == ESCAPE_JSON ? 4 : 2;

	if (c >= 0x20 && c <= 0x7e && c != '\\' &&
	    (c != '"' || e == ESCAPE_TEXT)) {
		out[0] = (char)c;
		return 1;
	}
	memcpy(out, e == ESCAPE_JSON ? "\\u00" : "\\x", n);
	out[n] = hex_digit(c >> 4);
	out[n + 1] = hex_digit(c);
	return n + 2;
}

void line_name(struct line *l, const char *s, size_t size, size_t room,
	       enum escape e)
{
	for (size_t i = 0; i < size && s[i]; i++) {
		char piece[6];
		size_t n = escape_byte(piece, (unsigned char)s[i], e);

		if (n > room || n > LINE_BYTES - 1 - l->len) {
			l->over |= n <= room;
			return;
		}
		memcpy(l->text + l->len, piece, n);
		l->len += n;
		room -= n;
	}
}

static void line_number(struct line *l, uint64_t value, unsigned int base)
{
	char digits[20];
	size_t n = 0;

	do {
		digits[n++] = hex_digit((unsigned int)(value % base));
		value /= base;
	} while (value);
	while (n)
		line_char(l, digits[--n]);
}

void line_u64(struct line *l, uint64_t value)
{
	line_number(l, value, 10);
}

void line_hex(struct line *l, uint64_t value)
{
	line_str(l, "0x");
	line_number(l, value, 16);
}

void line_pad(struct line *l, size_t column)
{
	do
		line_char(l, ' ');
	while (l->len < column && !l->over);
}

void line_right(struct line *l, size_t from, size_t column)
{
	size_t n = l->len - from;
	size_t to = column > n ? column - n : 0;

	if (to <= from || column >= LINE_BYTES)
		return;
	memmove(l->text + to, l->text + from, n);
	memset(l->text + from, ' ', to - from);
	l->len = column;
}

/* value / unit with one decimal, no product that could overflow. */
static void line_tenths(struct line *l, uint64_t value, uint64_t unit, char c)
{
	uint64_t whole = value / unit;
	uint64_t tenths = (value % unit * 10 + unit / 2) / unit;

	line_u64(l, whole + tenths / 10);
	line_char(l, '.');
	line_u64(l, tenths % 10);
	line_char(l, c);
}

static void line_size(struct line *l, uint64_t kib)
{
	if (kib < 1024) {
		line_u64(l, kib);
		if (kib)
			line_char(l, 'K');
	} else if (kib >> 10 < 10000) {
		line_tenths(l, kib, 1024, 'M');
	} else {
		line_tenths(l, kib, 1024 * 1024, 'G');
	}
}

static void line_seconds(struct line *l, uint64_t ns)
{
	uint64_t hundredths = ns / 10000000 + (ns % 10000000 >= 5000000);

	line_u64(l, hundredths / 100);
	line_char(l, '.');
	line_char(l, hex_digit((unsigned int)(hundredths / 10 % 10)));
	line_char(l, hex_digit((unsigned int)(hundredths % 10)));
	line_str(l, " s");
}

static void fill_one(struct line *l, char mark, uint64_t value)
{
	switch (mark) {
	case 'k':
		line_size(l, value);
		return;
	case 't':
		line_char(l, '+');
		/* fall through */
	case 'd':
		line_seconds(l, value);
		return;
	case 'o':
		if (value == LINE_NULL) {
			line_str(l, "null");
			return;
		}
	}
	line_u64(l, value);
}

void line_fill(struct line *l, const char *template, const uint64_t *value)
{
	for (; *template; template++) {
		if (*template != '%')
			line_char(l, *template);
		else if (*++template == '%')
			line_char(l, '%');
		else
			fill_one(l, *template, *value++);
	}
}
